//! The first page: who, what was asked and answered, the table, the picture, topology, evidence, thresholds. And the
//! findings.

use indexmap::IndexMap;

use crate::model::experiment::Language;
use crate::model::run::RunRecord;
use crate::report::analysis::{Analysis, Verdict};
use crate::report::chart;
use crate::report::finding;
use crate::report::input::ReportInput;
use crate::report::markdown::{Align, Table, code, text};
use crate::report::page::{link, results, topology};
use crate::report::words;
use crate::report::words::phrase::phrases;

phrases! {
    incomplete() { "This is not a whole run.", "Esta ejecución no está completa." }
    author() { "Author", "Autor" }
    course() { "Course", "Asignatura" }
    date() { "Date", "Fecha" }
    run_id() { "Run", "Ejecución" }
    questions_heading() { "Questions and answers", "Preguntas y respuestas" }
    results_heading() { "Results", "Resultados" }
    /// Stands for the chart where it cannot be seen.
    picture() {
        "Goodput at each level with 95 % intervals; the numbers are in the table above",
        "Peticiones correctas por segundo en cada nivel con intervalos del 95 %; las cifras están en la tabla anterior"
    }
    thresholds_heading() { "Thresholds", "Umbrales" }
    threshold() { "Threshold", "Umbral" }
    verdict() { "Verdict", "Veredicto" }
    numbers() { "Numbers", "Cifras" }
    pass() { "pass", "se cumple" }
    fail() { "**fail**", "**no se cumple**" }
    cannot_tell() { "**cannot tell**", "**no se puede decir**" }
    findings_heading() { "Findings", "Hallazgos" }
    /// Leads from the list of findings to their details.
    details_at(link) {
        "What was seen and what to do about it: {link}.",
        "Qué se vio y qué hacer al respecto: {link}."
    }
    seen() { "Seen", "Visto" }
    advice() { "Advice", "Consejo" }
    evidence_heading() { "Evidence in this report", "Evidencias de este informe" }
    /// Leads from the list of evidence to its texts.
    evidence_at(link) { "The texts are under {link}.", "Los textos están en {link}." }
    /// Above the table of requests that were checked.
    verified_as() {
        "Requests that were sent before anything was measured, and answered as they must be:",
        "Peticiones enviadas antes de medir nada y respondidas como debían:"
    }
    url() { "URL", "URL" }
    login() { "Login", "Usuario" }
    no_login() { "without login", "sin usuario" }
    status() { "Status", "Estado" }
    in_variants() { "In variants", "En las variantes" }
    all() { "all", "todas" }
}

/// Everything a reader needs who reads one page. `evidence` is the section with the texts, to lead to.
pub(super) fn page(input: &ReportInput, analysis: &Analysis, evidence: &str) -> String {
    let language = input.run.experiment.report.language;
    let mut page = format!("# {}\n\n{}\n\n", text(&analysis.title), byline(input.run));
    if !analysis.incomplete.is_empty() {
        page.push_str(&format!("> **{}**\n", incomplete(language)));
        for missing in &analysis.incomplete {
            page.push_str(&format!(">\n> - {}\n", text(missing)));
        }
        page.push('\n');
    }
    page.push_str(&questions(analysis, language));
    page.push_str(&format!("## {}\n\n", results_heading(language)));
    page.push_str(&results::table(analysis));
    if chart::has_points(analysis) {
        page.push_str(&format!("![{}]({}.png)\n\n", picture(language), chart::GOODPUT));
    }
    page.push_str(&topology::section(input.run));
    page.push_str(&evidence_list(input.run, evidence));
    page.push_str(&thresholds(analysis, language));
    page.push_str(&finding_list(analysis, language));
    page
}

/// `**Author:** … · **Course:** … · **Date:** … · **Run:** …`, what is not given left out.
fn byline(run: &RunRecord) -> String {
    let settings = &run.experiment.report;
    let language = settings.language;
    let day = run.started_at.split('T').next().unwrap_or_default();
    let parts = [
        (author(language), text(&settings.author)),
        (course(language), text(&settings.course)),
        (date(language), text(day)),
        (run_id(language), code(&run.run)),
    ];
    let shown: Vec<String> = parts
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("**{name}:** {value}"))
        .collect();
    shown.join(" · ")
}

fn questions(analysis: &Analysis, language: Language) -> String {
    if analysis.answers.is_empty() {
        return String::new();
    }
    let mut section = format!("## {}\n\n", questions_heading(language));
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

fn thresholds(analysis: &Analysis, language: Language) -> String {
    if analysis.thresholds.is_empty() {
        return String::new();
    }
    let titles = [threshold(language), verdict(language), numbers(language)];
    let mut table = Table::new(&titles.each_ref().map(|title| (title.as_str(), Align::Left)));
    for threshold in &analysis.thresholds {
        let verdict = match threshold.verdict {
            Verdict::Pass => pass(language),
            Verdict::Fail => fail(language),
            Verdict::CannotTell => cannot_tell(language),
        };
        table.row(vec![code(&threshold.text), verdict, text(&threshold.values)]);
    }
    format!("### {}\n\n{}", thresholds_heading(language), table.write())
}

/// The headings only: details follow behind.
fn finding_list(analysis: &Analysis, language: Language) -> String {
    if analysis.findings.is_empty() {
        return format!("### {}\n\n{}\n\n", findings_heading(language), words::no_findings(language));
    }
    let mut list = format!("### {}\n\n", findings_heading(language));
    for same in finding::by_kind(&analysis.findings) {
        let Some(first) = same.first() else { continue };
        let variants: Vec<String> = same.iter().filter_map(|f| f.variant.as_deref()).map(code).collect();
        let whose = if variants.is_empty() { String::new() } else { format!(": {}", variants.join(", ")) };
        list.push_str(&format!("- {}{whose}\n", text(&first.title)));
    }
    let details = link::to(&format!("## {}", words::findings_heading(language))).unwrap_or_default();
    list.push_str(&format!("\n{}\n\n", details_at(language, &details)));
    list
}

/// Each kind of finding under one heading: what was seen in each variant, and the advice once.
pub(super) fn findings(analysis: &Analysis, language: Language) -> String {
    if analysis.findings.is_empty() {
        return String::new();
    }
    let mut section = format!("## {}\n\n", words::findings_heading(language));
    for same in finding::by_kind(&analysis.findings) {
        let Some(first) = same.first() else { continue };
        section.push_str(&format!("### {}\n\n", text(&first.title)));
        for finding in same {
            section.push_str(&format!("- **{}:** {}.\n", seen(language), text(&finding.evidence)));
        }
        // Advice is ours and is Markdown already.
        section.push_str(&format!("- **{}:** {}\n\n", advice(language), first.advice));
    }
    section
}

/// What the hand-in shows: the titles of its evidence, and the requests that were checked.
fn evidence_list(run: &RunRecord, evidence: &str) -> String {
    if run.evidence.is_empty() && run.verified.is_empty() {
        return String::new();
    }
    let language = run.experiment.report.language;
    let mut list = format!("### {}\n\n", evidence_heading(language));
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
    if let Some(link) = link::to(evidence).filter(|_| !run.evidence.is_empty()) {
        list.push_str(&format!("\n{}\n\n", evidence_at(language, &link)));
    }
    list.push_str(&verified(run, language));
    list
}

/// The requests of `verify:`, those of several variants on one row.
fn verified(run: &RunRecord, language: Language) -> String {
    if run.verified.is_empty() {
        return String::new();
    }
    let mut rows: IndexMap<(&str, Option<&str>, u16), Vec<&str>> = IndexMap::new();
    for answer in &run.verified {
        let variants = rows.entry((&answer.url, answer.user.as_deref(), answer.status)).or_default();
        if !variants.contains(&answer.variant.as_str()) {
            variants.push(&answer.variant);
        }
    }
    let titles = [url(language), login(language), status(language), in_variants(language)];
    let aligns = [Align::Left, Align::Left, Align::Right, Align::Left];
    let titles: Vec<(&str, Align)> = titles.iter().map(String::as_str).zip(aligns).collect();
    let mut table = Table::new(&titles);
    for ((url, user, status), variants) in rows {
        let every = variants.len() > 1 && variants.len() == run.experiment.variants.len();
        let names = || variants.iter().map(|name| code(name)).collect::<Vec<String>>().join(", ");
        table.row(vec![
            code(url),
            user.map_or_else(|| no_login(language), code),
            status.to_string(),
            if every { all(language) } else { names() },
        ]);
    }
    format!("{}\n\n{}", verified_as(language), table.write())
}
