//! A finding as the report prints it.

use serde::Serialize;

use crate::model::finding::FindingKind;
use crate::report::view::CellView;
use crate::report::words;

/// Something the report must say, with what was seen and what to do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Kind.
    pub kind: FindingKind,
    /// Variant it belongs to; none for the whole run.
    pub variant: Option<String>,
    /// Levels it was seen at.
    pub levels: Vec<String>,
    /// Heading.
    pub title: String,
    /// What was seen, with its numbers.
    pub evidence: String,
    /// What to do about it.
    pub advice: String,
}

impl Finding {
    /// A finding of the whole run.
    pub(super) fn of_run(kind: FindingKind, evidence: String) -> Self {
        Self::new(kind, None, Vec::new(), evidence)
    }

    /// A finding of one variant.
    pub(super) fn of_variant(
        kind: FindingKind,
        variant: &str,
        levels: Vec<String>,
        evidence: String,
    ) -> Self {
        Self::new(kind, Some(variant.to_owned()), levels, evidence)
    }

    fn new(kind: FindingKind, variant: Option<String>, levels: Vec<String>, evidence: String) -> Self {
        Self {
            kind,
            variant,
            levels,
            title: words::title(kind).to_owned(),
            evidence,
            advice: words::advice(kind).to_owned(),
        }
    }
}

/// One finding a variant from what a rule says of each of its cells: levels and evidence are gathered.
pub(super) fn by_variant(
    cells: &[CellView],
    kind: FindingKind,
    rule: impl Fn(&CellView) -> Option<String>,
) -> Vec<Finding> {
    let mut gathered: Vec<(&str, Vec<String>, Vec<String>)> = Vec::new();
    for cell in cells {
        let Some(seen) = rule(cell) else { continue };
        let sentence = format!("at {}: {seen}", cell.level.name);
        match gathered.iter_mut().find(|(variant, ..)| *variant == cell.variant.name) {
            Some((_, levels, sentences)) => {
                levels.push(cell.level.name.clone());
                sentences.push(sentence);
            }
            None => gathered.push((&cell.variant.name, vec![cell.level.name.clone()], vec![sentence])),
        }
    }
    gathered
        .into_iter()
        .map(|(variant, levels, sentences)| {
            Finding::of_variant(kind, variant, levels, format!("{variant}, {}", sentences.join("; ")))
        })
        .collect()
}
