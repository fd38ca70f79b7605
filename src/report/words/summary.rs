//! The summary for a terminal.

use crate::report::words::phrase::{labels, phrases};

labels! {
    /// Above what is missing.
    not_whole { "Not a whole run:", "No es una ejecución entera:" }
    /// Above answers.
    answers { "Answers:", "Respuestas:" }
    /// Above thresholds.
    thresholds { "Thresholds:", "Umbrales:" }
    /// Above findings.
    findings { "Findings:", "Hallazgos:" }
    /// A threshold that holds.
    pass { "pass", "se cumple" }
    /// One that does not.
    fail { "FAIL", "NO SE CUMPLE" }
    /// One that is open.
    cannot_tell { "CANNOT TELL", "NO SE PUEDE SABER" }
    /// Head of a column.
    level { "level", "nivel" }
    /// Head of a column.
    variant { "variant", "variante" }
    /// Head of a column.
    good { "good/s (95 %)", "correctas/s (95 %)" }
    /// Head of a column.
    all { "all/s", "todas/s" }
    /// Head of a column.
    failed { "failed", "fallidas" }
    /// Head of a column.
    versus_first { "vs first", "frente a la primera" }
}

phrases! {
    /// A struck cell.
    struck(reason) { "struck: {reason}", "descartada: {reason}" }
    /// A cell with struck repetitions.
    some_struck(n, struck) { " (n = {n}, {struck} struck)", " (n = {n}, {struck} descartadas)" }
}
