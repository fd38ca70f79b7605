//! The summary for a terminal: a table, answers, thresholds, findings. Text only; `cli` prints it.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table};

use crate::report::analysis::{Analysis, Verdict};
use crate::report::cell::CellSummary;
use crate::report::finding;
use crate::report::finding::Finding;
use crate::report::markdown::one_line;
use crate::report::number;
use crate::report::words;

/// Width of running text when the terminal's is not known.
const TEXT_WIDTH: usize = 100;

/// The summary of a run; `width` is the terminal's, in columns, when there is one.
#[must_use]
pub fn terminal(analysis: &Analysis, width: Option<u16>) -> String {
    let language = analysis.language;
    let columns = width.map_or(TEXT_WIDTH, usize::from).clamp(20, 160);
    let mut parts = vec![one_line(&analysis.title), table(analysis, width)];
    let mut list = |heading: &str, items: Vec<String>| {
        if !items.is_empty() {
            let lines: Vec<String> = items.iter().map(|item| wrap(&one_line(item), columns)).collect();
            parts.push(format!("{heading}\n{}", lines.join("\n")));
        }
    };
    list(words::summary::not_whole(language), analysis.incomplete.clone());
    list(
        words::summary::answers(language),
        analysis.answers.iter().map(|a| format!("{} {}", a.ask, a.answer)).collect(),
    );
    list(
        words::summary::thresholds(language),
        analysis
            .thresholds
            .iter()
            .map(|threshold| {
                let verdict = match threshold.verdict {
                    Verdict::Pass => words::summary::pass(language),
                    Verdict::Fail => words::summary::fail(language),
                    Verdict::CannotTell => words::summary::cannot_tell(language),
                };
                format!("{verdict}: {} ({})", threshold.text, threshold.values)
            })
            .collect(),
    );
    list(words::summary::findings(language), finding::by_kind(&analysis.findings).map(one_finding).collect());
    parts.retain(|part| !part.is_empty());
    format!("{}\n", parts.join("\n\n"))
}

/// The findings of one kind: one heading, what was seen in each variant.
fn one_finding(same: &[Finding]) -> String {
    let title = same.first().map(|finding| finding.title.as_str()).unwrap_or_default();
    let seen: Vec<&str> = same.iter().map(|finding| finding.evidence.as_str()).collect();
    format!("{title}: {}.", seen.join("; "))
}

fn table(analysis: &Analysis, width: Option<u16>) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    match width {
        Some(width) => {
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(width.max(40));
        }
        None => {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
    }
    table.set_header([
        words::summary::level(analysis.language),
        words::summary::variant(analysis.language),
        words::summary::good(analysis.language),
        words::summary::all(analysis.language),
        words::summary::failed(analysis.language),
        "p50 ms",
        "p95 ms",
        words::summary::versus_first(analysis.language),
    ]);
    for cell in &analysis.cells {
        let texts = row(analysis, cell);
        table.add_row(texts.into_iter().enumerate().map(|(column, text)| {
            let alignment = if column == 1 { CellAlignment::Left } else { CellAlignment::Right };
            Cell::new(text).set_alignment(alignment)
        }));
    }
    table.trim_fmt()
}

fn row(analysis: &Analysis, cell: &CellSummary) -> [String; 8] {
    let dash = || "-".to_owned();
    let level = one_line(&cell.level);
    let failed = cell.errors.ratio.map_or_else(dash, number::percent);
    let Some(goodput) = &cell.goodput else {
        let why = match &cell.struck {
            Some(reason) => words::summary::struck(analysis.language, reason),
            None => words::not_measured(analysis.language).to_owned(),
        };
        return [level, cell.variant.clone(), why, dash(), failed, dash(), dash(), dash()];
    };
    let half = goodput.ci.map(|ci| format!(" ± {}", number::rate((ci[1] - ci[0]) / 2.0)));
    let lost = cell.repetitions.len() - goodput.n;
    let struck = match lost {
        0 => String::new(),
        _ => words::summary::some_struck(analysis.language, &goodput.n, &lost),
    };
    [
        level,
        cell.variant.clone(),
        format!("{}{}{struck}", number::rate(goodput.mean), half.unwrap_or_default()),
        cell.throughput.as_ref().map_or_else(dash, |s| number::rate(s.mean)),
        failed,
        number::optional(cell.latency.p50.merged_ms, number::milliseconds),
        number::optional(cell.latency.p95.merged_ms, number::milliseconds),
        ratio_to_first(analysis, cell).map_or_else(dash, |ratio| format!("x{ratio:.3}")),
    ]
}

/// The ratio of geometric means to the scenario's first variant, which itself has none.
fn ratio_to_first(analysis: &Analysis, cell: &CellSummary) -> Option<f64> {
    let first = &analysis.cells.first()?.variant;
    let row = analysis.comparisons.iter().find(|row| {
        row.base == *first && row.new == cell.variant && row.level.as_deref() == Some(cell.level.as_str())
    })?;
    row.compared.as_ref().map(|compared| compared.ratio)
}

/// A list item broken at blanks.
fn wrap(text: &str, width: usize) -> String {
    let mut lines = vec!["  -".to_owned()];
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last + 1 + word.chars().count() > width && last > 3 {
            lines.push("   ".to_owned());
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{Lab, fail_mostly};

    #[test]
    fn struck_rows_say_why_and_have_no_numbers() {
        let mut lab = Lab::measured(&["one", "two"], &[16], 5);
        lab.cell("two", 16).for_each(fail_mostly);
        let shown = terminal(&lab.analysis(), None);
        assert!(shown.contains("struck: most requests failed (99.7 %, mostly 5xx)"), "{shown}");
        assert!(shown.contains("100.0 ± "), "{shown}");
        assert!(shown.contains("Findings:\n  - Errors would have counted as throughput"), "{shown}");
        assert!(!shown.contains("x2."), "{shown}");
    }

    #[test]
    fn a_sound_run_shows_the_ratio_to_the_first_variant() {
        let shown = terminal(&Lab::measured(&["one", "two"], &[16], 5).analysis(), None);
        assert!(shown.contains("x2.000"), "{shown}");
    }

    #[test]
    fn nothing_is_wider_than_the_terminal() {
        let mut lab = Lab::measured(&["one", "two"], &[16], 5);
        lab.cell("two", 16).for_each(fail_mostly);
        lab.run.experiment.title = "short".to_owned();
        for width in [60, 80, 120] {
            let shown = terminal(&lab.analysis(), Some(width));
            let widest = shown.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= usize::from(width), "{width}: {widest}\n{shown}");
        }
    }
}
