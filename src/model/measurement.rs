//! What one cell gave: the repetition line of `repetitions.jsonl`, and telemetry lines.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the line format in `repetitions.jsonl`.
pub const REPETITION_FORMAT: u32 = 1;

/// How a request ended. `Good` is not here: it is counted apart, by `target.expect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Status 200–299, body as expected.
    #[serde(rename = "2xx")]
    Success,
    /// Status 300–399.
    #[serde(rename = "3xx")]
    Redirect,
    /// Status 400–499.
    #[serde(rename = "4xx")]
    ClientError,
    /// Status 500–599 (and anything else that is no HTTP status class).
    #[serde(rename = "5xx")]
    ServerError,
    /// Status as expected, body not (text missing or too short).
    WrongBody,
    /// Connection refused.
    Refused,
    /// Connection reset by the peer.
    Reset,
    /// Closed before a whole answer had come, or the answer was no HTTP.
    ClosedEarly,
    /// No whole answer within the timeout (network code 110).
    TimedOut,
}

/// Counts by outcome class.
pub type OutcomeCounts = IndexMap<Outcome, u64>;

/// One second of a window.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SecondCount {
    /// Requests that ended in this second.
    pub completed: u64,
    /// Of them good.
    pub good: u64,
    /// Sum of their latencies in microseconds.
    pub latency_us_sum: u64,
}

/// What the generator itself used during the window.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct GeneratorUse {
    /// Engine name: `benchtop`, `fake`.
    pub engine: String,
    /// Its threads.
    pub threads: u32,
    /// CPU seconds of the whole process, user + system.
    pub cpu_s: f64,
    /// CPU seconds of the busiest engine thread.
    pub cpu_s_busiest_thread: f64,
    /// Peak resident size of the process.
    pub peak_rss_bytes: u64,
    /// Connections opened inside the window.
    pub connections_opened: u64,
    /// Mean number of requests in flight, integrated exactly over the window.
    pub in_flight_mean: f64,
}

/// HDR histograms (V2, base64), microseconds, three significant digits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Histograms {
    /// Latency of good requests.
    pub good_latency_us: String,
    /// Latency of every completed request.
    pub completed_latency_us: String,
    /// Time to connect, of connections opened inside the window.
    pub connect_us: String,
}

/// What the load engine measured in one window.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Measurement {
    /// Warm-up that ran before, seconds.
    pub warm_up_s: f64,
    /// Length of the window, seconds.
    pub duration_s: f64,
    /// Requests by outcome; their sum is `completed`.
    pub outcomes: OutcomeCounts,
    /// Requests that ended inside the window, errors included.
    pub completed: u64,
    /// Of them accepted by `target.expect`.
    pub good: u64,
    /// In flight at the end, aborted; neither good nor failed.
    pub unfinished: u64,
    /// Bytes received, heads included.
    pub bytes: u64,
    /// Body bytes received.
    pub body_bytes: u64,
    /// Smallest and largest body of a good answer, when there was one.
    pub good_body_bytes_range: Option<(u64, u64)>,
    /// Requests answered on a connection that had answered before.
    pub reused: u64,
    /// Sum of the latencies of all completed requests, microseconds.
    pub latency_us_sum: u64,
    /// Longest latency of a completed request, microseconds.
    pub latency_us_max: u64,
    /// Histograms.
    pub histograms: Histograms,
    /// One entry a second, the last one may be partial.
    pub per_second: Vec<SecondCount>,
    /// The generator's own use.
    pub generator: GeneratorUse,
}

impl Measurement {
    /// Completed requests per second, errors included.
    #[must_use]
    pub fn throughput(&self) -> f64 {
        if self.duration_s > 0.0 { self.completed as f64 / self.duration_s } else { 0.0 }
    }

    /// Good requests per second.
    #[must_use]
    pub fn goodput(&self) -> f64 {
        if self.duration_s > 0.0 { self.good as f64 / self.duration_s } else { 0.0 }
    }

    /// Mean latency of all completed requests, seconds; none when nothing completed.
    #[must_use]
    pub fn latency_s_mean(&self) -> Option<f64> {
        (self.completed > 0).then(|| self.latency_us_sum as f64 / self.completed as f64 / 1.0e6)
    }
}

/// Something that happened to a cell besides its numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "gate", rename_all = "snake_case")]
pub enum Gate {
    /// Services were still busy after `cool_down.at_most` and were restarted.
    DrainedByRestart {
        /// Node.
        node: String,
        /// How long was waited, seconds.
        waited_s: f64,
    },
    /// A service had died and was started again before this cell.
    ServiceRestarted {
        /// `node.service`.
        service: String,
        /// Its last lines.
        last_lines: String,
    },
    /// A service died inside the window.
    ServiceDied {
        /// `node.service`.
        service: String,
    },
    /// Benchtop itself stood still inside the window, and the load with it.
    GeneratorStalled {
        /// The longest time, seconds.
        stalled_s: f64,
    },
    /// An action of the variant was done inside the window, and taken back after it.
    ActionDone {
        /// `node.service`.
        service: String,
        /// Action.
        action: String,
        /// Seconds after the window's begin, as it happened.
        at_s: f64,
    },
    /// The kernel killed a process of the node for memory inside the window.
    OomKill {
        /// Node.
        node: String,
        /// How many.
        kills: u64,
    },
    /// The manifest's symptom pattern was found in a log written during the cell.
    Symptom {
        /// `node.service`.
        service: String,
        /// Finding name.
        finding: crate::model::finding::FindingKind,
        /// The line that matched (first one).
        line: String,
        /// How many lines matched.
        count: u64,
        /// Parameter to look at and its value, `worker_connections = 768`.
        parameter: Option<String>,
    },
}

/// One line of `repetitions.jsonl`: one cell in one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repetition {
    /// [`REPETITION_FORMAT`].
    pub format: u32,
    /// Run id.
    pub run: String,
    /// Round, from 1.
    pub round: u32,
    /// Position of the cell in its round, from 1.
    pub order: u32,
    /// Variant name.
    pub variant: String,
    /// Level name.
    pub level: String,
    /// 1, or more when the round was measured again.
    pub attempt: u32,
    /// The round was interrupted and measured anew: skip this line.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub superseded: bool,
    /// UTC, RFC 3339.
    pub started_at: String,
    /// Seconds from the start of the run to the start of the window.
    pub started_after_s: f64,
    /// How long the drain after the window took, seconds.
    pub drain_s: f64,
    /// The numbers.
    #[serde(flatten)]
    pub measurement: Measurement,
    /// What else happened.
    pub gates: Vec<Gate>,
    /// Requests the services wrote into their own access logs during this cell, warm-up and drain included, by
    /// `node.service`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub requests_logged: IndexMap<String, u64>,
}

/// One line of `telemetry.jsonl`: one node (or service) in one second of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TelemetryLine {
    /// Round, from 1.
    pub round: u32,
    /// Attempt, as in [`Repetition`].
    pub attempt: u32,
    /// Variant name.
    pub variant: String,
    /// Level name.
    pub level: String,
    /// Seconds since the window began; negative during warm-up, past the window's length while draining.
    pub at_s: f64,
    /// Node.
    pub node: String,
    /// Service, for a service's own counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Values. Of a node: `cpu_s_total` (cumulative CPU seconds of its cgroup), `throttled_s_total`,
    /// `throttled_periods_total`, `memory_bytes`, `memory_cache_bytes`, `oom_kills_total`, `sampler_cpu_s_total`,
    /// `cpu_user_s_total`, `cpu_system_s_total`, `uptime_s_total`, `services_exited`.
    /// Of a service: the manifest's names; names ending in `_total` only grow.
    pub values: IndexMap<String, f64>,
}
