//! Each cell in detail: the course's columns, percentiles, errors by class, what can be checked.

use crate::model::experiment::Language;
use crate::report::analysis::Analysis;
use crate::report::cell::{CellSummary, PercentileSummary};
use crate::report::chart;
use crate::report::markdown::{Align, Table, code, text};
use crate::report::number;
use crate::report::words;
use crate::report::words::cells;

/// The section.
pub(super) fn section(analysis: &Analysis) -> String {
    let language = analysis.language;
    let mut section = format!(
        "## {}\n\n### {}\n\n{}{}\n\n",
        cells::heading(language),
        cells::course_heading(language),
        course(analysis),
        cells::course_note(language)
    );
    section.push_str(&errors(analysis));
    section.push_str(&format!(
        "### {}\n\n{}{}\n\n",
        cells::latency_heading(language),
        latency(analysis),
        cells::latency_note(language)
    ));
    if chart::has_latency(analysis) {
        section.push_str(&format!("![{}]({}.png)\n\n", cells::latency_picture(language), chart::LATENCY));
    }
    section.push_str(&format!("### {}\n\n{}", cells::checks_heading(language), checks(analysis)));
    section
}

fn course(analysis: &Analysis) -> String {
    let language = analysis.language;
    let mut table = Table::new(&[
        (words::level(language), Align::Right),
        (words::variant(language), Align::Left),
        (cells::time(language), Align::Right),
        (cells::rate(language), Align::Right),
        (cells::time_per_request(language), Align::Right),
        (cells::across_all(language), Align::Right),
        ("KB/s", Align::Right),
        (cells::longest(language), Align::Right),
        (cells::failed(language), Align::Right),
        (cells::failed_by_class(language), Align::Left),
    ]);
    for cell in &analysis.cells {
        let head = [text(&cell.level), code(&cell.variant)];
        let columns = match (&cell.course, &cell.struck) {
            (Some(course), _) => [
                number::seconds(course.time_s),
                number::rate(course.requests_per_s),
                number::optional(course.time_per_request_ms, number::milliseconds),
                number::optional(course.time_per_request_across_all_ms, number::milliseconds),
                number::rate(course.transfer_kib_per_s),
                number::milliseconds(course.longest_ms),
            ],
            (None, Some(_)) => [words::struck(language), "—", "—", "—", "—", "—"].map(str::to_owned),
            (None, None) => [words::not_measured(language), "—", "—", "—", "—", "—"].map(str::to_owned),
        };
        let failed = [cell.errors.failed.to_string(), classes(language, cell)];
        table.row(head.into_iter().chain(columns).chain(failed).collect());
    }
    table.write()
}

fn classes(language: Language, cell: &CellSummary) -> String {
    let parts: Vec<String> = cell
        .errors
        .by_class
        .iter()
        .map(|(outcome, count)| format!("{count} {}", words::outcome(language, *outcome)))
        .collect();
    if parts.is_empty() { "—".to_owned() } else { parts.join(", ") }
}

/// Errors with their upper bound; only cells that have any.
fn errors(analysis: &Analysis) -> String {
    let language = analysis.language;
    let mut table = Table::new(&[
        (words::level(language), Align::Right),
        (words::variant(language), Align::Left),
        (cells::completed(language), Align::Right),
        (cells::failed(language), Align::Right),
        (cells::share(language), Align::Right),
        (cells::at_most(language), Align::Right),
        (cells::unfinished(language), Align::Right),
        (cells::by_class(language), Align::Left),
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
            classes(language, cell),
        ]);
    }
    let written = table.write();
    if written.is_empty() {
        return format!("### {}\n\n{}\n\n", cells::errors_heading(language), cells::no_errors(language));
    }
    format!("### {}\n\n{written}{}\n\n", cells::errors_heading(language), cells::errors_note(language))
}

fn latency(analysis: &Analysis) -> String {
    let language = analysis.language;
    let mut table = Table::new(&[
        (words::level(language), Align::Right),
        (words::variant(language), Align::Left),
        (cells::requests(language), Align::Right),
        ("p50", Align::Right),
        ("p95", Align::Right),
        ("p99", Align::Right),
        (cells::note(language), Align::Left),
    ]);
    for cell in &analysis.cells {
        let note = if cell.struck.is_some() {
            words::struck(language).to_owned()
        } else if cell.latency.unreadable > 0 {
            cells::unreadable(language, &cell.latency.unreadable)
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
    let language = analysis.language;
    let mut table = Table::new(&[
        (words::level(language), Align::Right),
        (words::variant(language), Align::Left),
        (cells::little(language), Align::Right),
        (cells::busiest_thread(language), Align::Right),
        (cells::steady(language), Align::Right),
        (cells::restarted(language), Align::Right),
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
            if judged == 0 { number::NONE.to_owned() } else { cells::of(language, &steady, &judged) },
            cells::of(language, &restarted, &cell.repetitions.len()),
        ]);
    }
    let drift = match &analysis.drift {
        Some(drift) => {
            let sign = if drift.change < 0.0 { "−" } else { "+" };
            let change = format!("{sign}{}", number::percent(drift.change.abs()));
            cells::drift(language, &change, &number::probability(drift.p))
        }
        None => cells::no_drift(language).to_owned(),
    };
    format!("{}{}\n\n{drift}\n\n", table.write(), cells::checks_note(language))
}
