//! Requests to verify: their URL, and in every variant the node it leads to.

use indexmap::IndexMap;

use crate::model::experiment::Variant;
use crate::model::hand_in::Login;
use crate::model::hand_in::VerifyItem;
use crate::model::parameter::ParameterValue;
use crate::model::secret::Secret;
use crate::scenario::lower::Around;
use crate::scenario::lower::networks::reached;
use crate::scenario::lower::target::port_of;
use crate::scenario::lower::target::unserved;
use crate::scenario::lower::topology::unknown_node;
use crate::scenario::path::Path;
use crate::scenario::problem::Complaint;
use crate::scenario::problem::one_of;
use crate::scenario::read;
use crate::scenario::read::Values;

/// Lowers `verify`.
pub(in crate::scenario) fn verify(
    around: &mut Around<'_, '_, '_>,
    variants: &IndexMap<String, Variant>,
    values: &Values,
) -> Vec<VerifyItem> {
    let mut items = Vec::new();
    for (position, value) in read::list(values, "verify").iter().enumerate() {
        let ParameterValue::Map(item) = value else { continue };
        let path = Path::of(&["verify"]).index(position);
        items.extend(one(around, variants, item, &path));
    }
    items
}

fn one(
    around: &mut Around<'_, '_, '_>,
    variants: &IndexMap<String, Variant>,
    item: &Values,
    path: &Path,
) -> Option<VerifyItem> {
    let url = read::text(item, "url")?;
    let port = match port_of(&url) {
        Ok(port) => port,
        Err(complaint) => {
            around.complain(&path.key("url"), complaint);
            return None;
        }
    };
    let given = read::text(item, "node");
    for (name, variant) in variants {
        around.problems.enter(Some(name));
        let node = given.as_deref().unwrap_or(&variant.target.node);
        let here = path.key("node");
        if variant.topology.members(node).next().is_none() {
            around.complain(&here, unknown_node(&variant.topology, node));
        } else if let Err(complaint) = reached(&variant.topology, node) {
            around.complain(&here, complaint);
        } else if let Some(complaint) = unserved(&variant.topology, node, port) {
            around.complain(&path.key("url"), complaint);
        }
    }
    around.problems.enter(None);
    let mut targets: Vec<&str> = variants.values().map(|variant| variant.target.node.as_str()).collect();
    targets.sort_unstable();
    targets.dedup();
    if given.is_none() && targets.len() > 1 {
        let complaint = Complaint::new("the node must be said: the variants have different targets");
        around.complain(path, complaint.allowed(format!("`node:`, for example {}", one_of(&targets))));
    }
    let login = read::text(item, "user").zip(read::text(item, "password"));
    let status = read::count(item, "status").and_then(|status| u16::try_from(status).ok());
    Some(VerifyItem {
        url,
        node: given.or_else(|| targets.first().map(|node| (*node).to_owned()))?,
        login: login.map(|(user, password)| Login { user, password: Secret::new(password) }),
        status: status.unwrap_or(200),
        contains: read::text(item, "contains"),
    })
}
