//! A software's manifest: parameters, relations, files, steps, process, readiness. Unknown keys are refused.

use std::time::Duration;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::model::software::watching::{ActionSpec, EvidenceSpec, MembersSpec, Symptom, TelemetrySpec};

/// One software, as its manifest describes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Software {
    /// The folder's name; what `software:` in a scenario says.
    pub name: String,
    /// One line for lists and the reference.
    pub summary: String,
    /// Its parameters, in the order of the reference.
    #[serde(default)]
    pub parameters: IndexMap<String, Parameter>,
    /// What it may point to.
    #[serde(default)]
    pub relations: IndexMap<String, Relation>,
    /// Packages by distribution family; `debian` is the only one there is.
    #[serde(default)]
    pub packages: IndexMap<String, Vec<String>>,
    /// Facts to ask of a machine once: name → POSIX shell script whose trimmed output is the value.
    #[serde(default)]
    pub facts: IndexMap<String, String>,
    /// Directories to make below the instance directory before anything runs.
    #[serde(default)]
    pub directories: Vec<Directory>,
    /// Files to render.
    #[serde(default)]
    pub files: Vec<ConfigFile>,
    /// A command (template) that judges the rendered files without starting anything.
    pub check: Option<String>,
    /// What files and packages cannot say, in order, after the files are written.
    #[serde(default)]
    pub steps: Vec<StepSpec>,
    /// The process; absent for software that has none.
    pub service: Option<ProcessSpec>,
    /// When it may be used.
    pub ready: Option<Readiness>,
    /// Things that can be done to it while it runs.
    #[serde(default)]
    pub actions: IndexMap<String, ActionSpec>,
    /// Evidence worth keeping of every run.
    #[serde(default)]
    pub evidence: Vec<EvidenceSpec>,
    /// Counters to read every second.
    #[serde(default)]
    pub telemetry: Vec<TelemetrySpec>,
    /// How a balancer's servers and their states are read.
    pub members: Option<MembersSpec>,
    /// Log lines that raise a finding.
    #[serde(default)]
    pub symptoms: Vec<Symptom>,
    /// The log with one line a request, relative to the instance directory.
    pub access_log: Option<String>,
    /// It keeps data of its own: what is written there is nowhere else.
    #[serde(default)]
    pub keeps_data: bool,
    /// What a capacity model needs to know.
    pub capacity: Option<CapacitySpec>,
    /// The named rule set of `sizing`.
    pub sizing: Option<SizingRule>,
    /// Parameter combinations that are refused.
    #[serde(default)]
    pub conflicts: Vec<Conflict>,
}

/// The kinds a parameter may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterKind {
    /// Whole number, zero or more.
    Count,
    /// Any number.
    Number,
    /// A size.
    Bytes,
    /// A time.
    Duration,
    /// true or false.
    Flag,
    /// One of `choices`.
    Choice,
    /// Free text.
    Text,
    /// Text never shown.
    Secret,
    /// A TCP port.
    Port,
    /// Several values.
    List,
    /// Named values.
    Map,
    /// `12`, or `400MB/32MB`.
    WorkerCount,
}

/// One parameter.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// What values it takes.
    pub kind: ParameterKind,
    /// The value when the scenario is silent; a parameter without one is absent then (`params.NAME` is undefined).
    pub default: Option<serde_yaml::Value>,
    /// Smallest legal value (numbers, sizes, times in the kind's own spelling).
    pub min: Option<serde_yaml::Value>,
    /// Largest legal value.
    pub max: Option<serde_yaml::Value>,
    /// Legal words of a `choice`.
    #[serde(default)]
    pub choices: Vec<String>,
    /// One sentence or two: meaning, unit, range.
    pub doc: String,
    /// The members of a `map` (fixed keys); a map without fields takes any key with text values.
    #[serde(default)]
    pub fields: IndexMap<String, Parameter>,
    /// The kind of a `list`'s members, text when absent.
    pub items: Option<Box<Parameter>>,
    /// Must be given.
    #[serde(default)]
    pub required: bool,
}

/// Whether a relation points to one service or to every member of a node group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationTarget {
    /// One service, on the same node (`php: php-fpm`) or another (`database: store.mariadb`).
    Service,
    /// The matching service on every member (`backends: backend` or `backend.nginx`); a list is allowed.
    NodeGroup,
}

/// What a relation may point to.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// One service or a group.
    pub to: RelationTarget,
    /// Software it may lead to; empty means any.
    #[serde(default)]
    pub software: Vec<String>,
    /// Must be given.
    #[serde(default)]
    pub required: bool,
    /// The other end must be on the same node (a Unix socket, a shared directory).
    #[serde(default)]
    pub same_node: bool,
    /// Meaning, for the reference.
    pub doc: String,
}

/// A directory below the instance directory.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Directory {
    /// Relative path.
    pub path: String,
    /// Octal mode, `0755` when absent.
    pub mode: Option<String>,
    /// Owned by the service's user (else by whoever runs benchtop on the machine).
    #[serde(default)]
    pub owned_by_service: bool,
}

/// What a changed file asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum OnChange {
    /// The service reloads.
    Reload,
    /// The service restarts.
    #[default]
    Restart,
    /// Nothing: it is read on every use.
    None,
}

/// A file to render.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// Template below the software folder, for example `config/nginx.conf.j2`.
    pub template: String,
    /// Path relative to the instance directory.
    pub target: String,
    /// Octal mode, `0644` when absent, `0600` when secret.
    pub mode: Option<String>,
    /// Holds a secret.
    #[serde(default)]
    pub secret: bool,
    /// What a change asks for.
    #[serde(default)]
    pub on_change: OnChange,
    /// Owned by the service's user.
    #[serde(default)]
    pub owned_by_service: bool,
}

/// A guarded command.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepSpec {
    /// POSIX shell script (template).
    pub run: String,
    /// Skip when this script (template) exits 0.
    pub unless: Option<String>,
    /// User to run as; root (or the current user) when absent.
    #[serde(rename = "as")]
    pub as_user: Option<String>,
    /// Standard input (template): the place for secrets.
    pub stdin: Option<String>,
}

/// What happens between a cell's end and the next cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Drain {
    /// Wait until it is idle.
    #[default]
    Wait,
    /// Restart it.
    Restart,
}

/// The process of a service. Every text is a template.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessSpec {
    /// Foreground command line for a POSIX shell (it is `exec`ed).
    pub command: String,
    /// Distribution user its workers run as where the lab is root; the lab's own user elsewhere.
    pub user: Option<String>,
    /// Command that reloads; without it a change restarts.
    pub reload: Option<String>,
    /// `TERM` when absent.
    pub stop_signal: Option<String>,
    /// How a cell ends.
    #[serde(default)]
    pub drain: Drain,
    /// Extra environment.
    #[serde(default)]
    pub environment: IndexMap<String, String>,
}

/// When a service may be used. Exactly one of `tcp`, `http`, `run`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Readiness {
    /// A port (template) that accepts.
    pub tcp: Option<String>,
    /// A path (template, `/…`) on the service's port that answers.
    pub http: Option<String>,
    /// Status that `http` must answer with (200 when absent).
    pub status: Option<u16>,
    /// Text the body must hold.
    pub contains: Option<String>,
    /// Script (template) on the node that must exit 0.
    pub run: Option<String>,
    /// How long to wait, in YAML as `30s`; 30 s when absent.
    #[serde(default, with = "optional_duration")]
    pub at_most: Option<Duration>,
}

/// What a capacity model needs to know.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapacitySpec {
    /// The parameter that is the number of servers.
    pub servers: Option<String>,
    /// The telemetry name that counts hits.
    pub hits: Option<String>,
    /// The telemetry name that counts misses.
    pub misses: Option<String>,
}

/// The named rule sets of `sizing`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SizingRule {
    /// Apache's multi-processing modules.
    ApacheMpm,
    /// php-fpm's pools.
    PhpFpm,
    /// MariaDB's worst case.
    Mariadb,
}

/// A refused combination: every parameter equals the given value.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conflict {
    /// Parameter → value.
    pub when: IndexMap<String, serde_yaml::Value>,
    /// Why it is refused and what to do instead.
    pub reason: String,
}

/// `30s` in a manifest.
mod optional_duration {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer};

    use crate::model::unit::parse_duration;

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| parse_duration(&text).map_err(serde::de::Error::custom)).transpose()
    }
}
