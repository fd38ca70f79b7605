//! The exercise's table: every repetition's value, mean, interval, errors, and struck rows with their reason.

use crate::report::analysis::Analysis;
use crate::report::cell::{CellSummary, RepetitionSummary};
use crate::report::markdown::{Align, Table, code, text};
use crate::report::number;

/// One row a cell, level by level; a sentence below says what the columns mean.
pub(super) fn table(analysis: &Analysis) -> String {
    let mut table = Table::new(&[
        ("Level", Align::Right),
        ("Variant", Align::Left),
        ("Good requests/s, each repetition", Align::Left),
        ("Mean", Align::Right),
        ("95 % interval", Align::Right),
        ("SD", Align::Right),
        ("CV", Align::Right),
        ("Median (range)", Align::Right),
        ("n", Align::Right),
        ("All requests/s", Align::Right),
        ("Failed", Align::Right),
        ("Note", Align::Left),
    ]);
    for cell in &analysis.cells {
        table.row(row(cell));
    }
    if analysis.cells.is_empty() {
        return "Nothing was planned, so nothing was measured.\n\n".to_owned();
    }
    format!(
        "{}*Good* requests are those whose status and body are what the scenario expects; only they count. *All requests/s* \
         stands beside it with the errors included. Struck values are crossed out and are in no mean and no comparison; \
         *n* is the number of repetitions in the mean. *Failed* is the share of all completed requests, in brackets the \
         upper end of its 95 % interval.\n\n",
        table.write()
    )
}

fn row(cell: &CellSummary) -> Vec<String> {
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
        note(cell),
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
fn note(cell: &CellSummary) -> String {
    if let Some(reason) = &cell.struck {
        let all: Vec<String> = cell.repetitions.iter().map(|r| number::rate(r.throughput_per_s)).collect();
        return format!("**struck:** {} (all requests/s: {})", text(reason), all.join(" · "));
    }
    if cell.repetitions.is_empty() {
        return "not measured".to_owned();
    }
    let single = cell.repetitions.iter().find_map(|r| r.struck.as_ref().map(|reason| (r.round, reason)));
    single.map(|(round, reason)| format!("round {round} struck: {}", text(reason))).unwrap_or_default()
}
