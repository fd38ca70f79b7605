//! A scenario as meant: checked, resolved, one topology and load per variant. Everything above floor 4 works from this.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::hand_in::{EvidenceItem, Published, VerifyItem};
use crate::model::load::{Load, Target};
use crate::model::threshold::Threshold;
use crate::model::topology::Topology;

/// Which driver builds the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DriverKind {
    /// Containers on a Docker engine.
    Docker,
    /// In-memory machines with an injectable failure, for tests.
    Fake,
}

/// In which order the cells of a round are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Drawn from the seed, anew in each round.
    #[default]
    Random,
    /// As written; confounded with drift, and the report says so.
    Sequential,
}

/// The language of a report's generated sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Spanish.
    Es,
}

/// What the report's first page says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ReportSettings {
    /// Author line; empty when not given.
    pub author: String,
    /// Course line; empty when not given.
    pub course: String,
    /// Language of the generated sentences.
    #[serde(default)]
    pub language: Language,
}

/// The whole experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Experiment {
    /// `a-z 0-9 -`, at most 32.
    pub name: String,
    /// Heading of the report.
    pub title: String,
    /// The driver the scenario asks for.
    pub driver: DriverKind,
    /// Report settings.
    pub report: ReportSettings,
    /// Variants in the scenario's order; a scenario without `variants:` has one named `base`.
    pub variants: IndexMap<String, Variant>,
    /// Rounds.
    pub repeat: u32,
    /// Order inside a round.
    pub order: Order,
    /// What the exercise asks.
    pub questions: Vec<Question>,
    /// Bounds that decide the exit code.
    pub thresholds: Vec<Threshold>,
    /// What the hand-in must show, beside what the software folders show by themselves.
    #[serde(default)]
    pub evidence: Vec<EvidenceItem>,
    /// Requests that must be answered as said once a variant is up.
    #[serde(default)]
    pub verify: Vec<VerifyItem>,
    /// Somebody else's figures.
    #[serde(default)]
    pub published: Option<Published>,
}

/// One variant with everything applied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Its title; the name when none was given.
    pub title: String,
    /// Nodes and services.
    pub topology: Topology,
    /// Where requests go.
    pub target: Target,
    /// How hard.
    pub load: Load,
    /// What is done before warm-up or inside each window; undone in reverse on leaving, or when the window ends.
    pub actions: Vec<Action>,
}

/// What every service with a process can do, whatever its software.
pub const GENERIC_ACTIONS: [&str; 7] = ["stop", "start", "kill", "pause", "resume", "reload", "restart"];

/// An action of a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Action {
    /// Node (a single one).
    pub node: String,
    /// Service on it.
    pub service: String,
    /// Action name: generic (`stop`, `start`, `restart`, `reload`, `kill`, `pause`, `resume`) or of the software folder.
    pub action: String,
    /// Arguments.
    pub arguments: IndexMap<String, String>,
    /// Seconds after the window's begin at which it is done, in every cell; before the warm-up when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_s: Option<f64>,
}

/// A question, verbatim, and the comparison that answers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The question's own words.
    pub ask: String,
    /// Base and new variant.
    pub compare: [String; 2],
    /// Level to answer at; all levels together when absent.
    pub at: Option<String>,
}
