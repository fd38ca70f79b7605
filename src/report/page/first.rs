//! The first page: who, what was asked and answered, the table, the picture, thresholds, topology. And the findings.

use crate::model::experiment::Language;
use crate::model::run::RunRecord;
use crate::report::analysis::{Analysis, Verdict};
use crate::report::chart;
use crate::report::input::ReportInput;
use crate::report::markdown::{Align, Table, code, text};
use crate::report::page::{results, topology};
use crate::report::words;

/// Everything a reader needs who reads one page.
pub(super) fn page(input: &ReportInput, analysis: &Analysis) -> String {
    let mut page = format!("# {}\n\n{}\n\n", text(&analysis.title), byline(input.run));
    if !analysis.incomplete.is_empty() {
        page.push_str("> **This is not a whole run.**\n");
        for missing in &analysis.incomplete {
            page.push_str(&format!(">\n> - {}\n", text(missing)));
        }
        page.push('\n');
    }
    page.push_str(&questions(analysis));
    page.push_str("## Results\n\n");
    page.push_str(&results::table(analysis));
    if chart::has_points(analysis) {
        page.push_str(&format!(
            "![{}]({}.png)\n\n",
            "Goodput at each level with 95 % intervals; the numbers are in the table above",
            chart::GOODPUT
        ));
    }
    page.push_str(&thresholds(analysis));
    page.push_str(&finding_list(analysis, input.run.experiment.report.language));
    page.push_str(&topology::section(input.run));
    page.push_str(&evidence_list(input.run));
    page
}

/// `**Author:** … · **Course:** … · **Date:** … · **Run:** …`, what is not given left out.
fn byline(run: &RunRecord) -> String {
    let settings = &run.experiment.report;
    let date = run.started_at.split('T').next().unwrap_or_default();
    let parts = [
        ("Author", text(&settings.author)),
        ("Course", text(&settings.course)),
        ("Date", text(date)),
        ("Run", code(&run.run)),
    ];
    let shown: Vec<String> = parts
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("**{name}:** {value}"))
        .collect();
    shown.join(" · ")
}

fn questions(analysis: &Analysis) -> String {
    if analysis.answers.is_empty() {
        return String::new();
    }
    let mut section = "## Questions and answers\n\n".to_owned();
    for (place, answer) in analysis.answers.iter().enumerate() {
        section.push_str(&format!(
            "{}. **{}**\n\n   {}\n\n",
            place + 1,
            text(&answer.ask),
            text(&answer.answer)
        ));
    }
    section
}

fn thresholds(analysis: &Analysis) -> String {
    if analysis.thresholds.is_empty() {
        return String::new();
    }
    let mut table =
        Table::new(&[("Threshold", Align::Left), ("Verdict", Align::Left), ("Numbers", Align::Left)]);
    for threshold in &analysis.thresholds {
        let verdict = match threshold.verdict {
            Verdict::Pass => "pass",
            Verdict::Fail => "**fail**",
            Verdict::CannotTell => "**cannot tell**",
        };
        table.row(vec![code(&threshold.text), verdict.to_owned(), text(&threshold.values)]);
    }
    format!("### Thresholds\n\n{}", table.write())
}

/// The headings only: details follow behind.
fn finding_list(analysis: &Analysis, language: Language) -> String {
    if analysis.findings.is_empty() {
        return format!("### Findings\n\n{}\n\n", words::no_findings(language));
    }
    let mut list = "### Findings\n\n".to_owned();
    let mut shown: Vec<&str> = Vec::new();
    for finding in &analysis.findings {
        if shown.contains(&finding.title.as_str()) {
            continue;
        }
        shown.push(&finding.title);
        let same = analysis.findings.iter().filter(|other| other.title == finding.title);
        let variants: Vec<String> = same.filter_map(|f| f.variant.as_deref()).map(code).collect();
        let whose = if variants.is_empty() { String::new() } else { format!(": {}", variants.join(", ")) };
        list.push_str(&format!("- {}{whose}\n", text(&finding.title)));
    }
    list.push_str("\nWhat was seen and what to do about it: [Findings in detail](#findings-in-detail).\n\n");
    list
}

/// Each finding with its evidence and advice.
pub(super) fn findings(analysis: &Analysis) -> String {
    if analysis.findings.is_empty() {
        return String::new();
    }
    let mut section = "## Findings in detail\n\n".to_owned();
    for finding in &analysis.findings {
        let whose = finding.variant.as_deref().map(|v| format!(" ({})", code(v))).unwrap_or_default();
        section.push_str(&format!(
            "### {}{whose}\n\n- **Seen:** {}.\n- **Advice:** {}\n\n",
            text(&finding.title),
            text(&finding.evidence),
            // Advice is ours and is Markdown already.
            finding.advice
        ));
    }
    section
}

fn evidence_list(run: &RunRecord) -> String {
    if run.evidence.is_empty() {
        return String::new();
    }
    let mut list = "### Evidence in this report\n\n".to_owned();
    let mut shown: Vec<&str> = Vec::new();
    for item in &run.evidence {
        if shown.contains(&item.title.as_str()) {
            continue;
        }
        shown.push(&item.title);
        let same = |variant: &str| {
            run.evidence.iter().any(|other| other.title == item.title && other.variant == variant)
        };
        let variants = run.experiment.variants.keys().filter(|variant| same(variant));
        let variants: Vec<String> = variants.map(|variant| code(variant)).collect();
        list.push_str(&format!("- {} ({})\n", text(&item.title), variants.join(", ")));
    }
    list.push_str("\nThe texts are under [Evidence](#evidence).\n\n");
    list
}
