//! Rules about what came back: errors, lengths, redirects.

use crate::model::experiment::Language;
use crate::model::finding::FindingKind;
use crate::model::measurement::Outcome;
use crate::report::finding::{Finding, by_variant};
use crate::report::number;
use crate::report::view::CellView;
use crate::report::words;

/// Share of failures from which throughput would mislead.
const ERRORS_FROM: f64 = 0.01;

/// Share of redirects from which the page is not what was measured.
const REDIRECTS_FROM: f64 = 0.1;

/// Completed requests hold more than 1 % failures.
pub(in crate::report) fn errors_counted_as_throughput(
    language: Language,
    cells: &[CellView],
) -> Vec<Finding> {
    by_variant(language, cells, FindingKind::ErrorsCountedAsThroughput, |cell| {
        let errors = &cell.summary.errors;
        let ratio = errors.ratio.filter(|ratio| *ratio > ERRORS_FROM)?;
        let classes: Vec<String> = errors
            .by_class
            .iter()
            .map(|(outcome, count)| format!("{count} {}", words::outcome(language, *outcome)))
            .collect();
        let time: f64 = cell.repetitions.iter().map(|r| r.measurement.duration_s).sum();
        let per_second = |count: u64| number::rate(if time > 0.0 { count as f64 / time } else { 0.0 });
        let classes = match classes.is_empty() {
            true => words::evidence::no_class(language).to_owned(),
            false => classes.join(", "),
        };
        Some(words::evidence::answers(
            language,
            &per_second(errors.completed),
            &per_second(errors.completed - errors.failed),
            &errors.failed,
            &errors.completed,
            &number::percent(ratio),
            &classes,
        ))
    })
}

/// Good bodies differ in length while nothing failed.
pub(in crate::report) fn length_varies(language: Language, cells: &[CellView]) -> Vec<Finding> {
    by_variant(language, cells, FindingKind::LengthVaries, |cell| {
        if cell.summary.errors.failed > 0 {
            return None;
        }
        let ranges = cell.repetitions.iter().filter_map(|r| r.measurement.good_body_bytes_range);
        let (low, high) = ranges.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))?;
        (low < high).then(|| words::evidence::lengths(language, &low, &high))
    })
}

/// More than a tenth of the answers are redirects that nobody asked for.
pub(in crate::report) fn redirects_measured(language: Language, cells: &[CellView]) -> Vec<Finding> {
    by_variant(language, cells, FindingKind::RedirectsMeasured, |cell| {
        let expected = cell.variant.target.expect.status;
        if (300..400).contains(&expected) {
            return None;
        }
        let redirects = cell.summary.errors.by_class.get(&Outcome::Redirect).copied()?;
        let completed = cell.summary.errors.completed;
        (redirects as f64 > REDIRECTS_FROM * completed as f64)
            .then(|| words::evidence::redirects(language, &redirects, &completed, &expected))
    })
}
