//! A manifest's words for looking at a running service: actions, evidence, telemetry, members, symptoms.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::model::finding::FindingKind;

/// Something that can be done to a running service.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionSpec {
    /// Script (template; its context has `arguments`).
    pub run: String,
    /// Argument names and what they mean.
    #[serde(default)]
    pub arguments: IndexMap<String, ArgumentSpec>,
    /// Script (template) that takes it back; without one the action is one-shot.
    pub undo: Option<String>,
    /// Meaning, for `act --help` and the reference.
    pub doc: String,
}

/// One argument of an action.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentSpec {
    /// Meaning.
    pub doc: String,
    /// Value when not given; required without one.
    pub default: Option<String>,
    /// The argument names a balancer's member, so that `members` expects it disabled while the action holds.
    #[serde(default)]
    pub member: bool,
}

/// Evidence worth keeping. Exactly one of `run`, `get`, `log`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceSpec {
    /// Heading in the report.
    pub title: String,
    /// Script (template) on the node.
    pub run: Option<String>,
    /// Path (template) fetched from the service's port.
    pub get: Option<String>,
    /// File relative to the instance directory; its last lines.
    pub log: Option<String>,
}

/// Where counters come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TelemetrySource {
    /// `path` on `port`, asked by benchtop itself.
    Http,
    /// `send` to `port`, asked by benchtop itself; the answer is read until the peer closes.
    Tcp,
    /// A script on the node.
    Run,
    /// A file on the node.
    File,
}

/// How a counter text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CounterFormat {
    /// Comma-separated with a header line; `from` is `row_selector:column`.
    Csv,
    /// `key value`, `key: value` or `key=value` lines.
    KeyValue,
    /// JSON; `from` is a dotted path or a top-level key with blanks.
    Json,
    /// Prometheus text.
    Prometheus,
    /// `from` is a regular expression with one group.
    Regex,
}

/// Whether a value is a level or only grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CounterKind {
    /// A level.
    Gauge,
    /// Only grows; the difference counts.
    Counter,
}

/// One value to take from a source.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TelemetryValue {
    /// Where in the text, see [`CounterFormat`].
    pub from: String,
    /// Level or growing.
    pub kind: CounterKind,
}

/// One source of counters.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TelemetrySpec {
    /// Where from.
    pub source: TelemetrySource,
    /// Port (template) for `http` and `tcp`; the service's own when absent.
    pub port: Option<String>,
    /// Path (template) for `http`, file for `file`.
    pub path: Option<String>,
    /// Bytes to send for `tcp`: text with YAML escapes, each character one byte (U+0000–U+00FF).
    pub send: Option<String>,
    /// Script (template) for `run`.
    pub run: Option<String>,
    /// How it is read.
    pub format: CounterFormat,
    /// Our name → where to find it. Names with a meaning: `busy_workers`, `max_workers`, `queue`, `cache_hits`,
    /// `cache_misses`, `origin_requests`, `connections`.
    pub values: IndexMap<String, TelemetryValue>,
}

/// How a balancer's servers are read.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MembersSpec {
    /// Script (template) on the node.
    pub run: Option<String>,
    /// Path (template) on the service's port.
    pub http: Option<String>,
    /// `csv` (with a header, `#` before it allowed) is what is read.
    pub format: CounterFormat,
    /// Column with the server's name.
    pub server: String,
    /// Column with its state.
    pub state: String,
    /// Only rows whose columns equal these count as servers.
    #[serde(default)]
    pub only: IndexMap<String, String>,
    /// Rows whose server name is one of these are totals, not servers.
    #[serde(default)]
    pub not_servers: Vec<String>,
    /// States (prefixes) that mean usable.
    pub up: Vec<String>,
    /// States (prefixes) that mean disabled on purpose.
    pub disabled: Vec<String>,
}

/// A log line that raises a finding.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Symptom {
    /// File relative to the instance directory, or `-` for the program's own output.
    pub log: String,
    /// Regular expression.
    pub pattern: String,
    /// The finding it raises.
    pub finding: FindingKind,
    /// The parameter to look at.
    pub parameter: Option<String>,
}
