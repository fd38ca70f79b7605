//! The answers to the questions of an exercise.

use crate::model::experiment::{Experiment, Question};
use crate::report::analysis::{Answer, ComparisonRow};
use crate::report::comparison;
use crate::report::view::CellView;

/// One answer a question: its comparison, as a headline of its own.
pub(super) fn answers(experiment: &Experiment, cells: &[CellView]) -> Vec<Answer> {
    experiment.questions.iter().map(|question| answer(experiment, cells, question)).collect()
}

fn answer(experiment: &Experiment, cells: &[CellView], question: &Question) -> Answer {
    let [base, new] = &question.compare;
    let row = comparison::row(experiment, cells, base, new, question.at.as_deref());
    let comparison = ComparisonRow { headline: true, ..row };
    let scope = match &question.at {
        // A level with a name of its own is not a number of connections.
        Some(level) if level.parse::<u64>().is_ok() => format!("At {level} connections"),
        Some(level) => format!("At level {level}"),
        None => "Over all levels".to_owned(),
    };
    Answer { ask: question.ask.clone(), answer: format!("{scope}: {}", comparison.sentence), comparison }
}
