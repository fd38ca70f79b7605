//! Comparisons: those that were asked for, and the exploratory rest.

use crate::model::experiment::Order;
use crate::report::analysis::{Analysis, ComparisonRow};
use crate::report::input::ReportInput;
use crate::report::markdown::{Align, Table, code, text};
use crate::report::number;
use crate::stats::{Compared, DifferenceVerdict};

/// The section; nothing with a single variant.
pub(super) fn section(input: &ReportInput, analysis: &Analysis) -> String {
    if analysis.comparisons.is_empty() {
        return String::new();
    }
    let mut section = "## Comparisons\n\n".to_owned();
    if input.run.experiment.order == Order::Sequential {
        section.push_str(
            "> **Order confounded with time:** the cells were measured in the order written. A difference below may come \
             from the variants or from whatever changed meanwhile.\n\n",
        );
    }
    let (asked, explored): (Vec<&ComparisonRow>, Vec<&ComparisonRow>) =
        analysis.comparisons.iter().partition(|row| row.headline);
    if !asked.is_empty() {
        section.push_str(&format!("### Asked for\n\n{}", table(&asked)));
    }
    if !explored.is_empty() {
        section.push_str(&format!("### Exploratory\n\n{}", table(&explored)));
        section.push_str(
            "These were not asked for before the run: look at *p (Holm)*, which allows for how many there are, and treat a \
             difference as an idea for the next run.\n\n",
        );
    }
    section.push_str(
        "*Ratio* is new over base, of geometric means of good requests per second; with rounds in common the differences \
         are taken within rounds. *Rank p* is the exact Mann–Whitney test, a second opinion. *Detectable* is the increase \
         that so many repetitions with this scatter notice with 80 % power.\n\n",
    );
    let mut words = String::new();
    for row in explored {
        let level = row.level.as_deref().map(|level| format!("at {}", text(level))).unwrap_or_default();
        words.push_str(&format!(
            "- {} → {}, {level}: {}\n",
            code(&row.base),
            code(&row.new),
            text(&row.sentence)
        ));
    }
    if !words.is_empty() {
        section.push_str(&format!("In words:\n\n{words}\n"));
    }
    section
}

fn table(rows: &[&ComparisonRow]) -> String {
    let mut table = Table::new(&[
        ("Level", Align::Right),
        ("Base", Align::Left),
        ("New", Align::Left),
        ("Ratio", Align::Right),
        ("95 % interval", Align::Right),
        ("p", Align::Right),
        ("p (Holm)", Align::Right),
        ("Rank p", Align::Right),
        ("Detectable", Align::Right),
        ("Verdict", Align::Left),
    ]);
    for row in rows {
        let head =
            [row.level.as_deref().map_or_else(|| "all".to_owned(), text), code(&row.base), code(&row.new)];
        let columns = match &row.compared {
            Some(compared) => numbers(compared, row.p_holm),
            None => {
                let mut columns = vec!["—".to_owned(); 6];
                columns.push("cannot be told".to_owned());
                columns
            }
        };
        table.row(head.into_iter().chain(columns).collect());
    }
    table.write()
}

fn numbers(compared: &Compared, p_holm: Option<f64>) -> Vec<String> {
    let three = |value: f64| if value.is_finite() { format!("{value:.3}") } else { number::NONE.to_owned() };
    let verdict = match (compared.verdict, compared.small) {
        (DifferenceVerdict::Different, true) => "different, but less than matters",
        (DifferenceVerdict::Different, false) => "different",
        (DifferenceVerdict::Equivalent, _) => "equivalent",
        (DifferenceVerdict::Inconclusive, _) => "inconclusive",
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
