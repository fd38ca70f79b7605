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
    /// Address the other nodes use, and the client in a lab without a public network.
    pub address: String,
    /// Address the client uses, where the node is on the public network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_address: Option<String>,
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
    /// `node.service`, or only the node.
    pub service: String,
    /// Path relative to the run folder.
    pub file: String,
}

/// A request of `verify:` that was answered as it must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verified {
    /// Variant.
    pub variant: String,
    /// URL.
    pub url: String,
    /// User whose login was sent; none without one.
    pub user: Option<String>,
    /// Status of the answer.
    pub status: u16,
}

/// What a service is for, as its software folder shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ServiceRole {
    /// It shares requests among members.
    Balancer,
    /// It counts hits and misses.
    Cache,
    /// It keeps data of its own.
    Database,
}

/// Where a run's wall time went, seconds of all its sessions together. What is left of `elapsed_s` is everything else.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RunTimes {
    /// Images made or found, and the lab's networks.
    pub images_s: f64,
    /// Nodes made or found.
    pub nodes_s: f64,
    /// Variants put in force.
    pub switching_s: f64,
    /// Answers verified, rates probed, evidence kept.
    pub verifying_s: f64,
    /// Warm-ups.
    pub warm_up_s: f64,
    /// Windows.
    pub windows_s: f64,
    /// Waiting for services to become idle, or restarting them, after windows.
    pub cool_down_s: f64,
    /// How often another variant was put in force.
    pub switches: u64,
    /// The longest such switch, the first one of each variant (which starts its services) left out.
    pub switch_s_max: f64,
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
    /// Requests of `verify:`, as answered.
    #[serde(default)]
    pub verified: Vec<Verified>,
    /// What services are for, by `node.service`; those whose folder shows no role are left out.
    #[serde(default)]
    pub roles: IndexMap<String, ServiceRole>,
    /// Where the time went.
    #[serde(default)]
    pub times: RunTimes,
    /// The scenario as resolved (profile and `--set` applied), secrets masked: what `--resume` lowers again.
    pub document: serde_json::Value,
    /// The experiment as meant.
    pub experiment: Experiment,
}
