//! Somebody else's figures: shapes are checked already, here what the numbers mean together.

use indexmap::IndexMap;

use crate::model::hand_in::Published;
use crate::model::hand_in::PublishedFigure;
use crate::model::parameter::ParameterValue;
use crate::scenario::lower::Around;
use crate::scenario::path::Path;
use crate::scenario::problem::Complaint;
use crate::scenario::read;
use crate::scenario::read::Values;

/// Lowers `published`. Variants it names need not exist, but one that is nearly one of ours is told.
pub(in crate::scenario) fn published(around: &mut Around<'_, '_, '_>, values: &Values) -> Option<Published> {
    let written = read::map(values, "published")?;
    let path = Path::of(&["published", "requests_per_second"]);
    let mut figures = IndexMap::new();
    for (variant, levels) in read::map(written, "requests_per_second").into_iter().flatten() {
        let here = path.key(variant);
        if let Err(complaint) = around.variant(variant) {
            let origin = around.tree.locate_key(&here);
            around.problems.add(&origin, &here, Complaint { warning: true, ..complaint });
        }
        let ParameterValue::Map(levels) = levels else { continue };
        let levels = levels
            .iter()
            .filter_map(|(level, value)| Some((level.clone(), figure(around, value, &here.key(level))?)));
        figures.insert(variant.clone(), levels.collect());
    }
    Some(Published { source: read::text(written, "source")?, requests_per_second: figures })
}

fn figure(around: &mut Around<'_, '_, '_>, value: &ParameterValue, path: &Path) -> Option<PublishedFigure> {
    let map = match value {
        ParameterValue::Map(map) => map,
        ParameterValue::List(list) => return Some(plain(numbers(list))),
        ParameterValue::Number(number) => return Some(plain(vec![*number])),
        _ => return None,
    };
    let values = numbers(read::list(map, "values"));
    let range = <[f64; 2]>::try_from(numbers(read::list(map, "range"))).ok();
    if let Some([low, high]) = range.filter(|[low, high]| low > high) {
        let complaint = Complaint::new(format!("the range begins with the larger one, {low} and not {high}"));
        around.complain(&path.key("range"), complaint.allowed("`[smallest, largest]`"));
    }
    Some(PublishedFigure { values, range, invalid: read::text(map, "invalid") })
}

fn plain(values: Vec<f64>) -> PublishedFigure {
    PublishedFigure { values, ..PublishedFigure::default() }
}

fn numbers(list: &[ParameterValue]) -> Vec<f64> {
    let number = |value: &ParameterValue| match value {
        ParameterValue::Number(number) => Some(*number),
        _ => None,
    };
    list.iter().filter_map(number).collect()
}
