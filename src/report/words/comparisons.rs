//! Comparisons: why there is none, what to allow for, and the section about them.

use crate::model::experiment::Language;
use crate::report::words::phrase::{labels, phrases};
use crate::stats::StatsError;

labels! {
    /// Behind a verdict when the cells were measured in the order written.
    not_random {
        " The order was not random, so a change with time would look the same.",
        " El orden no fue aleatorio, así que un cambio con el tiempo se vería igual."
    }
    /// The section's heading.
    heading { "Comparisons", "Comparaciones" }
    /// The same as a warning above the tables.
    confounded {
        "**Order confounded with time:** the cells were measured in the order written. A difference below may come \
         from the variants or from whatever changed meanwhile.",
        "**Orden confundido con el tiempo:** las celdas se midieron en el orden escrito. Una diferencia de abajo puede \
         venir de las variantes o de cualquier cosa que cambiara entretanto."
    }
    /// Comparisons of questions.
    asked_for { "Asked for", "Preguntadas" }
    /// The rest.
    exploratory { "Exploratory", "Exploratorias" }
    /// What exploratory comparisons are worth.
    exploratory_note {
        "These were not asked for before the run: look at *p (Holm)*, which allows for how many there are, and treat a \
         difference as an idea for the next run.",
        "Estas no se preguntaron antes de la ejecución: mire *p (Holm)*, que tiene en cuenta cuántas son, y tome una \
         diferencia como una idea para la próxima ejecución."
    }
    /// What the columns mean.
    columns {
        "*Ratio* is new over base, of geometric means of good requests per second; with rounds in common the differences \
         are taken within rounds. *Rank p* is the exact Mann–Whitney test, a second opinion. *Detectable* is the increase \
         that so many repetitions with this scatter notice with 80 % power.",
        "*Cociente* es nueva entre base, de medias geométricas de peticiones correctas por segundo; si hay rondas en común, \
         las diferencias se toman dentro de cada ronda. *p de rangos* es la prueba exacta de Mann–Whitney, una segunda \
         opinión. *Detectable* es el aumento que tantas repeticiones con esta dispersión notan con una potencia del 80 %."
    }
    /// Above the sentences.
    in_words { "In words:", "En palabras:" }
    /// Head of a column.
    base { "Base", "Base" }
    /// Head of a column.
    new { "New", "Nueva" }
    /// Head of a column.
    ratio { "Ratio", "Cociente" }
    /// Head of a column.
    interval { "95 % interval", "Intervalo del 95 %" }
    /// Head of a column.
    rank_p { "Rank p", "p de rangos" }
    /// Head of a column.
    detectable { "Detectable", "Detectable" }
    /// Head of a column.
    verdict { "Verdict", "Veredicto" }
    /// All levels together.
    all_levels { "all", "todos" }
    /// Verdict.
    no_verdict { "cannot be told", "no se puede saber" }
    /// Verdict.
    different_but_small { "different, but less than matters", "distintas, pero menos de lo que importa" }
    /// Verdict.
    different { "different", "distintas" }
    /// Verdict.
    equivalent { "equivalent", "equivalentes" }
    /// Verdict.
    inconclusive { "inconclusive", "no concluyente" }
}

phrases! {
    /// No verdict, and why.
    cannot_be_told(reason) { "Cannot be told: {reason}.", "No se puede saber: {reason}." }
    /// Nothing to compare.
    no_common_level(base, new) {
        "{base} and {new} were not measured at a common level",
        "{base} y {new} no se midieron en ningún nivel común"
    }
    /// Too few rounds.
    too_few_rounds(rounds) {
        "only {rounds} round has both, and two are needed",
        "rondas con las dos: {rounds}, y hacen falta dos"
    }
    /// Levels that were not compared.
    left_out(reasons) { " Left out: {reasons}.", " Se dejó fuera: {reasons}." }
    /// A cell that does not count.
    is_struck(variant, level, reason) {
        "{variant} at {level} is struck: {reason}",
        "{variant} en el nivel {level} está descartada: {reason}"
    }
    /// A cell that does not exist.
    was_not_measured(variant, level) {
        "{variant} at {level} was not measured",
        "{variant} en el nivel {level} no se midió"
    }
    /// A difference that does not outlast the adjustment.
    by_chance(count, p) {
        " Among {count} exploratory comparisons such a difference turns up by chance too (p = {p} after Holm): \
         an idea for another run, not a result.",
        " Entre {count} comparaciones exploratorias una diferencia así aparece también por azar (p = {p} tras Holm): \
         una idea para otra ejecución, no un resultado."
    }
    /// The level of a sentence.
    at(level) { "at {level}", "en el nivel {level}" }
}

/// Why numbers cannot be compared, as a fragment.
pub(in crate::report) fn obstacle(language: Language, error: &StatsError) -> String {
    match language {
        Language::En => error.to_string(),
        Language::Es => match error {
            StatsError::TooFew { needed, given, .. } => {
                format!("hacen falta al menos {needed} valores y hay {given}")
            }
            StatsError::TooMany { most, given, .. } => {
                format!("se admiten como mucho {most} valores por lado y hay {given}")
            }
            StatsError::NotFinite { place, .. } => format!("el valor número {place} no es finito"),
            StatsError::NotPositive { place, value, .. } => {
                format!("el valor número {place} es {value}, y un cociente necesita valores mayores que cero")
            }
            StatsError::Unequal { left_count, right_count, .. } => {
                format!(
                    "hay {left_count} valores de una y {right_count} de la otra, y los pares necesitan los mismos"
                )
            }
            StatsError::OutOfRange { value, .. } => format!("el valor {value} está fuera de su margen"),
            StatsError::Histogram { .. } => "no se puede leer un histograma de latencias".to_owned(),
        },
    }
}
