//! The words of a report in each of its languages. The numbers in them come from who says them.

pub(super) mod answers;
pub(super) mod cells;
pub(super) mod comparisons;
pub(super) mod evidence;
mod findings;
mod headings;
pub(super) mod machines;
pub(super) mod method;
mod outcomes;
pub(super) mod phrase;
pub(super) mod results;
pub(super) mod strikes;
pub(super) mod summary;

pub(super) use findings::{advice, no_findings, reason, title};
pub(super) use headings::{
    configurations_heading, every_variant, evidence_heading, findings_heading, level, not_kept, not_measured,
    struck, variant, where_from, within,
};
pub(super) use outcomes::{OUTCOMES, outcome};
