//! CSV for a spreadsheet: RFC 4180, numbers unrounded, text that cannot become a formula. Always in English: what reads
//! it must not depend on the report's language.

use crate::model::experiment::Language;
use crate::model::measurement::Repetition;
use crate::report::analysis::Analysis;
use crate::report::cell::{CellSummary, RepetitionSummary};
use crate::report::input::ReportInput;
use crate::report::strike;
use crate::report::words;

/// The language of heads and reasons.
const LANGUAGE: Language = Language::En;

/// Lines under a header; every record ends with CR LF.
#[derive(Debug, Default)]
struct Sheet {
    written: String,
}

/// A field: numbers as they are, text guarded.
#[derive(Debug)]
enum Field<'a> {
    Text(&'a str),
    Words(String),
    Number(f64),
    Count(u64),
    Empty,
}

impl From<Option<f64>> for Field<'_> {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Self::Empty, Self::Number)
    }
}

impl Sheet {
    fn record(&mut self, fields: &[Field]) {
        let shown: Vec<String> = fields.iter().map(show).collect();
        self.written.push_str(&shown.join(","));
        self.written.push_str("\r\n");
    }
}

fn show(field: &Field) -> String {
    match field {
        Field::Text(text) => quoted(text),
        Field::Words(text) => quoted(text),
        Field::Number(number) if number.is_finite() => number.to_string(),
        Field::Count(count) => count.to_string(),
        Field::Number(_) | Field::Empty => String::new(),
    }
}

/// Quotes what RFC 4180 wants quoted; what a spreadsheet would read as a formula gets an apostrophe in front.
fn quoted(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let guarded = if formula { format!("'{text}") } else { text.to_owned() };
    if formula || guarded.contains([',', '"', '\r', '\n']) || guarded != guarded.trim() {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded
    }
}

/// `cells.csv`: one row a repetition, level by level.
pub(super) fn repetitions(input: &ReportInput, analysis: &Analysis) -> String {
    let classes = words::OUTCOMES
        .map(|outcome| format!("outcome_{}", words::outcome(LANGUAGE, outcome).replace(' ', "_")));
    let names = BEFORE_CLASSES.into_iter().chain(classes.iter().map(String::as_str)).chain(AFTER_CLASSES);
    let mut sheet = Sheet::default();
    sheet.record(&names.map(Field::Text).collect::<Vec<Field>>());
    for cell in &analysis.cells {
        for summary in &cell.repetitions {
            if let Some(raw) = raw(input, cell, summary) {
                sheet.record(&record(analysis, cell, summary, raw));
            }
        }
    }
    sheet.written
}

/// The line a summary was made from.
fn raw<'a>(
    input: &ReportInput<'a>,
    cell: &CellSummary,
    summary: &RepetitionSummary,
) -> Option<&'a Repetition> {
    input.repetitions.iter().find(|r| {
        r.variant == cell.variant
            && r.level == cell.level
            && !r.superseded
            && (r.round, r.attempt, r.order) == (summary.round, summary.attempt, summary.order)
    })
}

/// Why a cell is struck; empty when it is not.
fn struck(input: &ReportInput, cell: &CellSummary) -> String {
    let lines: Vec<&Repetition> = cell.repetitions.iter().filter_map(|r| raw(input, cell, r)).collect();
    let reasons: Vec<Option<String>> = lines.iter().map(|r| strike::repetition(LANGUAGE, r)).collect();
    strike::cell(LANGUAGE, &lines, &reasons).unwrap_or_default()
}

const BEFORE_CLASSES: [&str; 18] = [
    "run",
    "scenario",
    "variant",
    "level",
    "connections",
    "round",
    "order",
    "attempt",
    "started_at",
    "struck",
    "goodput_per_s",
    "throughput_per_s",
    "warm_up_s",
    "duration_s",
    "drain_s",
    "completed",
    "good",
    "unfinished",
];

const AFTER_CLASSES: [&str; 12] = [
    "bytes",
    "body_bytes",
    "reused",
    "connections_opened",
    "latency_mean_ms",
    "latency_max_ms",
    "p50_ms",
    "p95_ms",
    "p99_ms",
    "little_ratio",
    "generator_busiest_share",
    "drained_by_restart",
];

fn record<'a>(
    analysis: &'a Analysis,
    cell: &'a CellSummary,
    summary: &'a RepetitionSummary,
    raw: &'a Repetition,
) -> Vec<Field<'a>> {
    let measured = &raw.measurement;
    let reason = strike::repetition(LANGUAGE, raw).map_or(Field::Empty, Field::Words);
    let mut fields = vec![
        Field::Text(&analysis.run),
        Field::Text(&analysis.scenario),
        Field::Text(&cell.variant),
        Field::Text(&cell.level),
        Field::Count(cell.connections.into()),
        Field::Count(summary.round.into()),
        Field::Count(summary.order.into()),
        Field::Count(summary.attempt.into()),
        Field::Text(&raw.started_at),
        reason,
        Field::Number(summary.goodput_per_s),
        Field::Number(summary.throughput_per_s),
        Field::Number(measured.warm_up_s),
        Field::Number(summary.duration_s),
        Field::Number(raw.drain_s),
        Field::Count(measured.completed),
        Field::Count(measured.good),
        Field::Count(measured.unfinished),
    ];
    let counted = |outcome| Field::Count(measured.outcomes.get(&outcome).copied().unwrap_or(0));
    fields.extend(words::OUTCOMES.map(counted));
    fields.extend([
        Field::Count(measured.bytes),
        Field::Count(measured.body_bytes),
        Field::Count(measured.reused),
        Field::Count(measured.generator.connections_opened),
        summary.latency_mean_ms.into(),
        Field::Number(summary.latency_max_ms),
        summary.percentiles_ms[0].into(),
        summary.percentiles_ms[1].into(),
        summary.percentiles_ms[2].into(),
        summary.little_ratio.into(),
        Field::Number(summary.generator_busiest_share),
        Field::Text(if summary.drained_by_restart { "yes" } else { "no" }),
    ]);
    fields
}

const CELL_HEADS: [&str; 30] = [
    "run",
    "scenario",
    "variant",
    "level",
    "connections",
    "repetitions",
    "struck",
    "n",
    "goodput_mean_per_s",
    "goodput_sd_per_s",
    "goodput_cv",
    "goodput_ci_low_per_s",
    "goodput_ci_high_per_s",
    "goodput_median_per_s",
    "goodput_min_per_s",
    "goodput_max_per_s",
    "throughput_mean_per_s",
    "completed",
    "failed",
    "unfinished",
    "error_ratio",
    "error_ratio_upper",
    "p50_ms",
    "p95_ms",
    "p99_ms",
    "time_per_request_ms",
    "time_per_request_across_all_ms",
    "transfer_kib_per_s",
    "longest_ms",
    "little_ratio",
];

/// `summary.csv`: one row a cell; a struck cell has its reason and no means.
pub(super) fn cells(input: &ReportInput, analysis: &Analysis) -> String {
    let mut sheet = Sheet::default();
    sheet.record(&CELL_HEADS.map(Field::Text));
    for cell in &analysis.cells {
        let goodput = cell.goodput.as_ref();
        let course = cell.course.as_ref();
        sheet.record(&[
            Field::Text(&analysis.run),
            Field::Text(&analysis.scenario),
            Field::Text(&cell.variant),
            Field::Text(&cell.level),
            Field::Count(cell.connections.into()),
            Field::Count(cell.repetitions.len() as u64),
            Field::Words(struck(input, cell)),
            Field::Count(goodput.map_or(0, |s| s.n) as u64),
            goodput.map(|s| s.mean).into(),
            goodput.and_then(|s| s.sd).into(),
            goodput.and_then(|s| s.cv).into(),
            goodput.and_then(|s| s.ci).map(|ci| ci[0]).into(),
            goodput.and_then(|s| s.ci).map(|ci| ci[1]).into(),
            goodput.map(|s| s.median).into(),
            goodput.map(|s| s.min).into(),
            goodput.map(|s| s.max).into(),
            cell.throughput.as_ref().map(|s| s.mean).into(),
            Field::Count(cell.errors.completed),
            Field::Count(cell.errors.failed),
            Field::Count(cell.errors.unfinished),
            cell.errors.ratio.into(),
            cell.errors.ratio_upper.into(),
            cell.latency.p50.merged_ms.into(),
            cell.latency.p95.merged_ms.into(),
            cell.latency.p99.merged_ms.into(),
            course.and_then(|c| c.time_per_request_ms).into(),
            course.and_then(|c| c.time_per_request_across_all_ms).into(),
            course.map(|c| c.transfer_kib_per_s).into(),
            course.map(|c| c.longest_ms).into(),
            cell.little_ratio.into(),
        ]);
    }
    sheet.written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{Lab, fail_mostly};

    #[test]
    fn formulas_are_defused_and_quotes_doubled() {
        assert_eq!(quoted("=1+1"), "\"'=1+1\"");
        assert_eq!(quoted("-x"), "\"'-x\"");
        assert_eq!(quoted("a \"b\", c"), "\"a \"\"b\"\", c\"");
        assert_eq!([quoted("plain"), quoted("")], ["plain", ""]);
    }

    #[test]
    fn every_record_has_as_many_fields_as_the_header() {
        let mut lab = Lab::measured(&["one", "two"], &[4, 16], 3);
        lab.cell("two", 16).for_each(fail_mostly);
        let analysis = lab.analysis();
        for (sheet, rows) in [(repetitions(&lab.input(), &analysis), 12), (cells(&lab.input(), &analysis), 4)]
        {
            // The one reason with a comma is quoted, so that commas outside quotes separate.
            let counts: Vec<usize> = sheet
                .split_terminator("\r\n")
                .map(|line| line.split('"').step_by(2).map(|part| part.matches(',').count()).sum())
                .collect();
            assert_eq!(counts.len(), rows + 1);
            assert!(counts.iter().all(|count| *count == counts[0]), "{sheet}");
        }
    }

    #[test]
    fn a_struck_cell_has_a_reason_and_no_mean() {
        let mut lab = Lab::measured(&["one"], &[16], 3);
        lab.cell("one", 16).for_each(fail_mostly);
        let sheet = cells(&lab.input(), &lab.analysis());
        assert!(
            sheet.contains(",\"most requests failed (99.7 %, mostly 5xx)\",0,,,,,,,,,,240000,239280,"),
            "{sheet}"
        );
    }
}
