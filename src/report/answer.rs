//! The answers to the questions of an exercise.

use crate::model::experiment::{Experiment, Question};
use crate::report::analysis::{Answer, ComparisonRow};
use crate::report::comparison;
use crate::report::view::CellView;
use crate::report::words;

/// One answer a question: its comparison, as a headline of its own.
pub(super) fn answers(experiment: &Experiment, cells: &[CellView]) -> Vec<Answer> {
    experiment.questions.iter().map(|question| answer(experiment, cells, question)).collect()
}

fn answer(experiment: &Experiment, cells: &[CellView], question: &Question) -> Answer {
    let language = experiment.report.language;
    let [base, new] = &question.compare;
    let row = comparison::row(experiment, cells, base, new, question.at.as_deref());
    let comparison = ComparisonRow { headline: true, ..row };
    let scope = match &question.at {
        // A level with a name of its own is not a number of connections.
        Some(level) if level.parse::<u64>().is_ok() => words::answers::at_connections(language, level),
        Some(level) => words::answers::at_level(language, level),
        None => words::answers::over_all_levels(language).to_owned(),
    };
    Answer { ask: question.ask.clone(), answer: format!("{scope}: {}", comparison.sentence), comparison }
}
