//! Each cell in detail: the course's columns, percentiles, errors by class, what can be checked.

use crate::report::analysis::Analysis;
use crate::report::cell::{CellSummary, PercentileSummary};
use crate::report::chart;
use crate::report::markdown::{Align, Table, code, text};
use crate::report::number;
use crate::report::words;

/// The section.
pub(super) fn section(analysis: &Analysis) -> String {
    let mut section = "## Cells in detail\n\n### The course's columns\n\n".to_owned();
    section.push_str(&course(analysis));
    section.push_str(
        "Means over the repetitions that count; *longest* is the longest request of all of them. As in the course's own \
         tables, requests/s and time per request are those of all completed requests.\n\n",
    );
    section.push_str(&errors(analysis));
    section.push_str("### Latency of good requests, ms\n\n");
    section.push_str(&latency(analysis));
    section.push_str(
        "From the merged histograms of the repetitions (percentiles are never averaged), in brackets the smallest and \
         largest of the single repetitions; n/a where fewer than ten requests lie beyond. The load is a closed loop: this \
         is what a client sees at that many connections, not at a fixed arrival rate.\n\n",
    );
    if chart::has_latency(analysis) {
        section.push_str(&format!(
            "![Median and 95th percentile of latency at each level]({}.png)\n\n",
            chart::LATENCY
        ));
    }
    section.push_str("### Self-checks\n\n");
    section.push_str(&checks(analysis));
    section
}

fn course(analysis: &Analysis) -> String {
    let mut table = Table::new(&[
        ("Level", Align::Right),
        ("Variant", Align::Left),
        ("Time, s", Align::Right),
        ("Requests/s", Align::Right),
        ("Time per request, ms", Align::Right),
        ("KB/s", Align::Right),
        ("Longest, ms", Align::Right),
        ("Failed", Align::Right),
        ("Failed by class", Align::Left),
    ]);
    for cell in &analysis.cells {
        let head = [text(&cell.level), code(&cell.variant)];
        let columns = match (&cell.course, &cell.struck) {
            (Some(course), _) => [
                number::seconds(course.time_s),
                number::rate(course.requests_per_s),
                number::optional(course.time_per_request_ms, number::milliseconds),
                number::rate(course.transfer_kib_per_s),
                number::milliseconds(course.longest_ms),
            ],
            (None, Some(_)) => ["struck", "—", "—", "—", "—"].map(str::to_owned),
            (None, None) => ["not measured", "—", "—", "—", "—"].map(str::to_owned),
        };
        let failed = [cell.errors.failed.to_string(), classes(cell)];
        table.row(head.into_iter().chain(columns).chain(failed).collect());
    }
    table.write()
}

fn classes(cell: &CellSummary) -> String {
    let parts: Vec<String> = cell
        .errors
        .by_class
        .iter()
        .map(|(outcome, count)| format!("{count} {}", words::outcome(*outcome)))
        .collect();
    if parts.is_empty() { "—".to_owned() } else { parts.join(", ") }
}

/// Errors with their upper bound; only cells that have any.
fn errors(analysis: &Analysis) -> String {
    let mut table = Table::new(&[
        ("Level", Align::Right),
        ("Variant", Align::Left),
        ("Completed", Align::Right),
        ("Failed", Align::Right),
        ("Share", Align::Right),
        ("At most (95 %)", Align::Right),
        ("Unfinished", Align::Right),
        ("By class", Align::Left),
    ]);
    for cell in analysis.cells.iter().filter(|cell| cell.errors.failed > 0) {
        table.row(vec![
            text(&cell.level),
            code(&cell.variant),
            cell.errors.completed.to_string(),
            cell.errors.failed.to_string(),
            number::optional(cell.errors.ratio, number::percent),
            number::optional(cell.errors.ratio_upper, number::percent),
            cell.errors.unfinished.to_string(),
            classes(cell),
        ]);
    }
    let written = table.write();
    if written.is_empty() {
        return "### Errors\n\nNo request failed in any cell.\n\n".to_owned();
    }
    format!(
        "### Errors\n\n{written}All repetitions together, struck ones too. *Unfinished* requests were in flight when the window \
         closed; they are neither good nor failed.\n\n"
    )
}

fn latency(analysis: &Analysis) -> String {
    let mut table = Table::new(&[
        ("Level", Align::Right),
        ("Variant", Align::Left),
        ("Requests", Align::Right),
        ("p50", Align::Right),
        ("p95", Align::Right),
        ("p99", Align::Right),
        ("Note", Align::Left),
    ]);
    for cell in &analysis.cells {
        let note = if cell.struck.is_some() {
            "struck".to_owned()
        } else if cell.latency.unreadable > 0 {
            format!("{} histograms could not be read", cell.latency.unreadable)
        } else {
            String::new()
        };
        table.row(vec![
            text(&cell.level),
            code(&cell.variant),
            cell.latency.count.to_string(),
            percentile(&cell.latency.p50),
            percentile(&cell.latency.p95),
            percentile(&cell.latency.p99),
            note,
        ]);
    }
    table.write()
}

fn percentile(summary: &PercentileSummary) -> String {
    let range = summary.range_ms.map(|ends| format!(" ({})", number::range(ends, number::milliseconds)));
    format!("{}{}", number::optional(summary.merged_ms, number::milliseconds), range.unwrap_or_default())
}

fn checks(analysis: &Analysis) -> String {
    let mut table = Table::new(&[
        ("Level", Align::Right),
        ("Variant", Align::Left),
        ("Rate × latency / connections", Align::Right),
        ("Generator's busiest thread", Align::Right),
        ("Steady windows", Align::Right),
        ("Drained by restart", Align::Right),
    ]);
    for cell in analysis.cells.iter().filter(|cell| !cell.repetitions.is_empty()) {
        let judged = cell.repetitions.iter().filter(|r| r.steady.is_some()).count();
        let steady = cell.repetitions.iter().filter(|r| r.steady == Some(true)).count();
        let restarted = cell.repetitions.iter().filter(|r| r.drained_by_restart).count();
        table.row(vec![
            text(&cell.level),
            code(&cell.variant),
            number::optional(cell.little_ratio, number::ratio),
            number::optional(cell.generator_busiest_share, number::percent),
            if judged == 0 { number::NONE.to_owned() } else { format!("{steady} of {judged}") },
            format!("{restarted} of {}", cell.repetitions.len()),
        ]);
    }
    let drift = match &analysis.drift {
        Some(drift) => format!(
            "Drift over the run: {}{} (p = {}).\n\n",
            if drift.change < 0.0 { "−" } else { "+" },
            number::percent(drift.change.abs()),
            number::probability(drift.p)
        ),
        None => "Drift over the run: cannot be told from so few repetitions.\n\n".to_owned(),
    };
    format!(
        "{}The first column is 1 when Little's law holds (accepted: 0.98 to 1.02, wider on both sides by response time over \
         window); a window is steady when MSER-5 would cut off at most a third and its halves differ by at most 5 %. Nothing \
         is cut off.\n\n{drift}",
        table.write()
    )
}
