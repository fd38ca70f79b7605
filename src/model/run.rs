//! `run.json`: everything about a run that is not a repetition.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::experiment::{DriverKind, Experiment};

/// Version of `run.json`.
pub const RUN_FORMAT: u32 = 1;

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Started, not ended: running, or killed.
    Running,
    /// Ended by an error or a signal; `run --resume` goes on.
    Interrupted,
    /// Every cell is measured.
    Complete,
}

/// Facts about the machine that generated the load.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HostFacts {
    /// Logical CPUs.
    pub cpus: u32,
    /// Memory.
    pub memory_bytes: u64,
    /// Kernel release.
    pub kernel: String,
    /// Operating system name.
    pub os: String,
    /// CPU model name.
    pub cpu_model: String,
    /// What the driver says of itself: `Docker Engine 20.10.24, API 1.41, cgroup v1`.
    pub driver: String,
}

/// What a node was found to be.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct NodeFacts {
    /// Address the client and the other nodes use.
    pub address: String,
    /// Image, named by its hash, for Docker.
    pub image: String,
    /// Facts asked of the machine (`php_version`, `os`, …) and versions of its software.
    pub facts: IndexMap<String, String>,
    /// Limits in force: what the driver really set.
    pub cpus: Option<f64>,
    /// Memory limit in force, bytes.
    pub memory_bytes: Option<u64>,
}

/// What the probe saw before the first cell of a variant.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Probe {
    /// Requests that completed.
    pub completed: u64,
    /// Requests per second.
    pub rate: f64,
    /// Body bytes of the verified answer.
    pub body_bytes: u64,
    /// Status line and headers of the verified answer.
    pub head: String,
    /// Node or service names seen as evidence that the path was taken (from `members`).
    pub members: IndexMap<String, String>,
}

/// A service's rendered configuration, kept with the run under `config/`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RenderedFile {
    /// Variant.
    pub variant: String,
    /// `node.service`.
    pub service: String,
    /// Path relative to the instance directory.
    pub target: String,
    /// Path relative to the run folder.
    pub file: String,
}

/// An evidence item as collected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Heading.
    pub title: String,
    /// Variant.
    pub variant: String,
    /// `node.service`.
    pub service: String,
    /// Path relative to the run folder.
    pub file: String,
}

/// `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// [`RUN_FORMAT`].
    pub format: u32,
    /// Run id, sortable: `20261130-214216-ab12`.
    pub run: String,
    /// benchtop's version.
    pub version: String,
    /// Seed of the cell order.
    pub seed: u64,
    /// Lab name.
    pub lab: String,
    /// Driver used.
    pub driver: DriverKind,
    /// UTC, RFC 3339.
    pub started_at: String,
    /// UTC, RFC 3339, once it ended.
    pub ended_at: Option<String>,
    /// Wall time of all sessions of this run, seconds.
    pub elapsed_s: f64,
    /// State.
    pub state: RunState,
    /// Profile used.
    pub profile: Option<String>,
    /// What of the scenario was left out by `--only`, `--levels`, `--repeat`, in words.
    pub partial: Vec<String>,
    /// The load machine.
    pub host: HostFacts,
    /// Nodes by name.
    pub nodes: IndexMap<String, NodeFacts>,
    /// Probes by variant.
    pub probes: IndexMap<String, Probe>,
    /// Rendered configurations.
    pub configs: Vec<RenderedFile>,
    /// Evidence.
    pub evidence: Vec<Evidence>,
    /// The scenario as resolved (profile and `--set` applied), secrets masked: what `--resume` lowers again.
    pub document: serde_json::Value,
    /// The experiment as meant.
    pub experiment: Experiment,
}
