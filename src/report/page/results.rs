//! The exercise's table: every repetition's value, mean, interval, errors, and struck rows with their reason.

use crate::model::experiment::Language;
use crate::report::analysis::Analysis;
use crate::report::cell::{CellSummary, RepetitionSummary};
use crate::report::markdown::{Align, Table, code, text};
use crate::report::number;
use crate::report::words;
use crate::report::words::results;

/// One row a cell, level by level; a sentence below says what the columns mean.
pub(super) fn table(analysis: &Analysis) -> String {
    let language = analysis.language;
    let mut table = Table::new(&[
        (words::level(language), Align::Right),
        (words::variant(language), Align::Left),
        (results::each(language), Align::Left),
        (results::mean(language), Align::Right),
        (results::interval(language), Align::Right),
        (results::deviation(language), Align::Right),
        ("CV", Align::Right),
        (results::median(language), Align::Right),
        ("n", Align::Right),
        (results::all(language), Align::Right),
        (results::failed(language), Align::Right),
        (results::note(language), Align::Left),
    ]);
    for cell in &analysis.cells {
        table.row(row(language, cell));
    }
    if analysis.cells.is_empty() {
        return format!("{}\n\n", results::nothing_planned(language));
    }
    format!("{}{}\n\n", table.write(), results::columns(language))
}

fn row(language: Language, cell: &CellSummary) -> Vec<String> {
    let struck = cell.struck.is_some();
    let values: Vec<String> = cell.repetitions.iter().map(|repetition| value(repetition, struck)).collect();
    let goodput = cell.goodput.as_ref();
    let dash = || "—".to_owned();
    let of = |written: Option<String>| written.unwrap_or_else(dash);
    vec![
        text(&cell.level),
        code(&cell.variant),
        values.join(" · "),
        of(goodput.map(|s| format!("**{}**", number::rate(s.mean)))),
        of(goodput.and_then(|s| s.ci).map(|ci| number::range(ci, number::rate))),
        of(goodput.and_then(|s| s.sd).map(number::rate)),
        of(goodput.and_then(|s| s.cv).map(number::percent)),
        of(goodput.map(|s| {
            format!("{} ({})", number::rate(s.median), number::range([s.min, s.max], number::rate))
        })),
        if cell.repetitions.is_empty() { "0".to_owned() } else { goodput.map_or(0, |s| s.n).to_string() },
        of(cell.throughput.as_ref().map(|s| number::rate(s.mean))),
        of(cell.errors.ratio.map(|ratio| {
            let upper =
                cell.errors.ratio_upper.map(|upper| format!(" (≤ {})", upper_end(upper))).unwrap_or_default();
            format!("{}{upper}", number::percent(ratio))
        })),
        note(language, cell),
    ]
}

/// An upper bound is rounded up, never down to what it excludes.
fn upper_end(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 0.1 {
        format!("{:.3} %", (percent * 1000.0).ceil() / 1000.0)
    } else {
        format!("{:.1} %", (percent * 10.0).ceil() / 10.0)
    }
}

fn value(repetition: &RepetitionSummary, cell_struck: bool) -> String {
    let shown = number::rate(repetition.goodput_per_s);
    if cell_struck || repetition.struck.is_some() { format!("~~{shown}~~") } else { shown }
}

/// Why the row or a value in it is struck, or that nothing was measured.
fn note(language: Language, cell: &CellSummary) -> String {
    if let Some(reason) = &cell.struck {
        let all: Vec<String> = cell.repetitions.iter().map(|r| number::rate(r.throughput_per_s)).collect();
        return results::struck(language, &text(reason), &all.join(" · "));
    }
    if cell.repetitions.is_empty() {
        return words::not_measured(language).to_owned();
    }
    let single = cell.repetitions.iter().find_map(|r| r.struck.as_ref().map(|reason| (r.round, reason)));
    single.map(|(round, reason)| results::round_struck(language, &round, &text(reason))).unwrap_or_default()
}
