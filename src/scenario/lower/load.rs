//! The load of one variant: levels with their own or the common extent.

use std::time::Duration;

use crate::model::load::Extent;
use crate::model::load::Level;
use crate::model::load::Load;
use crate::model::parameter::ParameterValue;
use crate::scenario::lower::Context;
use crate::scenario::path::Path;
use crate::scenario::problem::Complaint;
use crate::scenario::read;
use crate::scenario::read::Values;

/// Length of a window when nothing is said.
const DURATION: Duration = Duration::from_secs(20);

/// Lowers `load`.
pub(in crate::scenario) fn load(context: &mut Context<'_, '_, '_>, values: &Values) -> Option<Load> {
    let load = read::map(values, "load")?;
    let levels = levels(context, load);
    let time =
        |key: &str, otherwise: u64| read::duration(load, key).unwrap_or(Duration::from_secs(otherwise));
    let cool_down = read::map(load, "cool_down").and_then(|map| read::duration(map, "at_most"));
    Some(Load {
        levels,
        timeout: time("timeout", 30),
        keep_alive: read::flag(load, "keep_alive").unwrap_or(true),
        warm_up: time("warm_up", 5),
        cool_down_at_most: cool_down.unwrap_or(Duration::from_secs(120)),
    })
}

fn levels(context: &mut Context<'_, '_, '_>, load: &Values) -> Vec<Level> {
    let common = extent(load).unwrap_or(Extent::Duration(DURATION));
    let path = Path::of(&["load"]);
    let mut levels: Vec<Level> = Vec::new();
    for (position, value) in read::list(load, "connections").iter().enumerate() {
        let ParameterValue::Count(count) = value else { continue };
        let name = count.to_string();
        if levels.iter().any(|level| level.name == name) {
            let message = format!("the level `{name}` is there twice");
            context.complain(
                &path.key("connections").index(position),
                Complaint::new(message).allowed("each level once"),
            );
            continue;
        }
        levels.push(Level { name, connections: u32::try_from(*count).unwrap_or(u32::MAX), extent: common });
    }
    for (name, level) in read::map(load, "levels").into_iter().flatten() {
        let ParameterValue::Map(level) = level else { continue };
        let Some(count) = read::count(level, "connections") else { continue };
        let connections = u32::try_from(count).unwrap_or(u32::MAX);
        levels.push(Level { name: name.clone(), connections, extent: extent(level).unwrap_or(common) });
    }
    let written = context.tree.get("load");
    let given = |key: &str| written.is_some_and(|load| load.get(key).is_some());
    if !given("connections") && !given("levels") {
        let complaint = Complaint::new("`load` says nothing about connections");
        let allowed = "`connections: [4, 16]`, or `levels: {few: {connections: 4}}`";
        context.complain(&path, complaint.allowed(allowed));
    }
    levels
}

fn extent(values: &Values) -> Option<Extent> {
    match (read::count(values, "requests"), read::duration(values, "duration")) {
        (Some(requests), _) => Some(Extent::Requests(requests)),
        (None, Some(duration)) => Some(Extent::Duration(duration)),
        (None, None) => None,
    }
}
