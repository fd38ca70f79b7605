//! What a run says, as data: the one source of the report, the terminal summary, the exit code and `--format json`.

use serde::Serialize;

use crate::model::experiment::Language;
use crate::report::cell::CellSummary;
use crate::report::finding::Finding;
use crate::report::usage::NodeUse;
use crate::stats::{Compared, Drift};

/// A threshold's outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// A struck or missing cell leaves it open; not a pass.
    CannotTell,
}

/// A threshold with its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ThresholdVerdict {
    /// As written in the scenario.
    pub text: String,
    /// Outcome.
    pub verdict: Verdict,
    /// The numbers that decided, or why there are none.
    pub values: String,
}

/// One comparison of two variants.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonRow {
    /// Base variant.
    pub base: String,
    /// New variant.
    pub new: String,
    /// Level; none for all levels together.
    pub level: Option<String>,
    /// Asked by a question: judged by its own p, not adjusted.
    pub headline: bool,
    /// The result; none when it cannot be told.
    pub compared: Option<Compared>,
    /// Holm-adjusted p of the exploratory comparisons, 0–1.
    pub p_holm: Option<f64>,
    /// The verdict, or why there is none, as a sentence.
    pub sentence: String,
}

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The question, verbatim.
    pub ask: String,
    /// The answer in one or two sentences.
    pub answer: String,
    /// The comparison behind it.
    pub comparison: ComparisonRow,
}

/// What a run says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Analysis {
    /// Language of its sentences.
    pub language: Language,
    /// Run id.
    pub run: String,
    /// Scenario name.
    pub scenario: String,
    /// Title.
    pub title: String,
    /// Rounds asked for.
    pub rounds_planned: u32,
    /// Rounds in which every cell was measured.
    pub rounds_complete: u32,
    /// What is missing from a whole run, in words; empty when nothing is.
    pub incomplete: Vec<String>,
    /// Wall time, seconds.
    pub elapsed_s: f64,
    /// Cells, level by level.
    pub cells: Vec<CellSummary>,
    /// Answers to the scenario's questions.
    pub answers: Vec<Answer>,
    /// Comparisons, headline ones first.
    pub comparisons: Vec<ComparisonRow>,
    /// Thresholds.
    pub thresholds: Vec<ThresholdVerdict>,
    /// Findings.
    pub findings: Vec<Finding>,
    /// Drift over the run; none when it cannot be told.
    pub drift: Option<Drift>,
    /// What nodes and services used inside the windows.
    pub node_use: Vec<NodeUse>,
}

impl Analysis {
    /// The cell of a variant at a level.
    pub(super) fn cell(&self, variant: &str, level: &str) -> Option<&CellSummary> {
        self.cells.iter().find(|cell| cell.variant == variant && cell.level == level)
    }
}
