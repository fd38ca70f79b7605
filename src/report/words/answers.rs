//! Answers to questions, outcomes of thresholds, and what is missing from a run.

use crate::report::words::phrase::{labels, phrases};

labels! {
    /// Where an answer holds.
    over_all_levels { "Over all levels", "En todos los niveles juntos" }
    /// A threshold that asks about nothing.
    no_function { "no function in it", "no contiene ninguna función" }
    /// A number that is not known.
    cannot_be_told { "cannot be told", "no se puede saber" }
    /// A run that goes on, or was killed.
    not_ended { "the run has not ended", "la ejecución no ha terminado" }
    /// A run that was interrupted.
    interrupted {
        "the run was interrupted (`benchtop run --resume` goes on)",
        "la ejecución se interrumpió (`benchtop run --resume` la continúa)"
    }
}

phrases! {
    /// Where an answer holds: a number of connections.
    at_connections(level) { "At {level} connections", "Con {level} conexiones" }
    /// Where an answer holds: a level with a name of its own.
    at_level(level) { "At level {level}", "En el nivel {level}" }
    /// Rounds that are missing.
    rounds_complete(complete, planned) {
        "{complete} of {planned} rounds are complete",
        "{complete} de {planned} rondas están completas"
    }
    /// A cell that is missing.
    cell(variant, level) { "{variant} at {level}", "{variant} en el nivel {level}" }
    /// Cells that are missing.
    not_measured(cells) { "not measured: {cells}", "sin medir: {cells}" }
}
