//! Comparisons: those that were asked for, and the exploratory rest.

use crate::model::experiment::{Language, Order};
use crate::report::analysis::{Analysis, ComparisonRow};
use crate::report::input::ReportInput;
use crate::report::markdown::{Align, Table, code, text};
use crate::report::number;
use crate::report::words;
use crate::report::words::comparisons;
use crate::stats::{Compared, DifferenceVerdict};

/// The section; nothing with a single variant.
pub(super) fn section(input: &ReportInput, analysis: &Analysis) -> String {
    if analysis.comparisons.is_empty() {
        return String::new();
    }
    let language = analysis.language;
    let mut section = format!("## {}\n\n", comparisons::heading(language));
    if input.run.experiment.order == Order::Sequential {
        section.push_str(&format!("> {}\n\n", comparisons::confounded(language)));
    }
    let (asked, explored): (Vec<&ComparisonRow>, Vec<&ComparisonRow>) =
        analysis.comparisons.iter().partition(|row| row.headline);
    if !asked.is_empty() {
        section.push_str(&format!("### {}\n\n{}", comparisons::asked_for(language), table(language, &asked)));
    }
    if !explored.is_empty() {
        section.push_str(&format!(
            "### {}\n\n{}{}\n\n",
            comparisons::exploratory(language),
            table(language, &explored),
            comparisons::exploratory_note(language)
        ));
    }
    section.push_str(&format!("{}\n\n", comparisons::columns(language)));
    let mut words = String::new();
    for row in explored {
        let level =
            row.level.as_deref().map(|level| comparisons::at(language, &text(level))).unwrap_or_default();
        words.push_str(&format!(
            "- {} → {}, {level}: {}\n",
            code(&row.base),
            code(&row.new),
            text(&row.sentence)
        ));
    }
    if !words.is_empty() {
        section.push_str(&format!("{}\n\n{words}\n", comparisons::in_words(language)));
    }
    section
}

fn table(language: Language, rows: &[&ComparisonRow]) -> String {
    let mut table = Table::new(&[
        (words::level(language), Align::Right),
        (comparisons::base(language), Align::Left),
        (comparisons::new(language), Align::Left),
        (comparisons::ratio(language), Align::Right),
        (comparisons::interval(language), Align::Right),
        ("p", Align::Right),
        ("p (Holm)", Align::Right),
        (comparisons::rank_p(language), Align::Right),
        (comparisons::detectable(language), Align::Right),
        (comparisons::verdict(language), Align::Left),
    ]);
    for row in rows {
        let all = || comparisons::all_levels(language).to_owned();
        let head = [row.level.as_deref().map_or_else(all, text), code(&row.base), code(&row.new)];
        let columns = match &row.compared {
            Some(compared) => numbers(language, compared, row.p_holm),
            None => {
                let mut columns = vec!["—".to_owned(); 6];
                columns.push(comparisons::no_verdict(language).to_owned());
                columns
            }
        };
        table.row(head.into_iter().chain(columns).collect());
    }
    table.write()
}

fn numbers(language: Language, compared: &Compared, p_holm: Option<f64>) -> Vec<String> {
    let three = |value: f64| if value.is_finite() { format!("{value:.3}") } else { number::NONE.to_owned() };
    let verdict = match (compared.verdict, compared.small) {
        (DifferenceVerdict::Different, true) => comparisons::different_but_small(language),
        (DifferenceVerdict::Different, false) => comparisons::different(language),
        (DifferenceVerdict::Equivalent, _) => comparisons::equivalent(language),
        (DifferenceVerdict::Inconclusive, _) => comparisons::inconclusive(language),
    };
    vec![
        three(compared.ratio),
        format!("{} – {}", three(compared.ratio_ci[0]), three(compared.ratio_ci[1])),
        number::probability(compared.p),
        p_holm.map_or_else(|| "—".to_owned(), number::probability),
        number::optional(compared.mann_whitney_p, number::probability),
        number::percent(compared.mde),
        verdict.to_owned(),
    ]
}
