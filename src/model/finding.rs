//! What a report must say about a run besides its numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of finding, by name. `report` decides when one is raised and writes its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Errors would have counted as throughput.
    ErrorsCountedAsThroughput,
    /// The length of answers varies, nothing failed.
    LengthVaries,
    /// Keep-alive was asked for and not obtained.
    KeepAliveNotObtained,
    /// The first repetition was cold.
    ColdFirstRepetition,
    /// Results drift with time.
    Drift,
    /// Too noisy for small differences.
    TooNoisy,
    /// The window is too short for the response time (C/X > T/5).
    RunTooShort,
    /// More CPU is promised to nodes than the host has.
    CpuOverpromised,
    /// A web server ran out of connections.
    WebServerOutOfConnections,
    /// A node's CPU limit held it back.
    CpuThrottled,
    /// The kernel killed a process for memory.
    OomKill,
    /// Every worker was busy.
    WorkersAllBusy,
    /// The load generator was the limit.
    GeneratorWasTheLimit,
    /// Little's law does not hold between rate, latency and connections.
    LittleDoesNotHold,
    /// Redirects were measured instead of the page.
    RedirectsMeasured,
    /// The order of cells was not random.
    OrderConfounded,
    /// A service died while it was measured.
    ServiceDied,
}

impl FindingKind {
    /// Every kind, for the reference and for checking names.
    pub const ALL: [Self; 17] = [
        Self::ErrorsCountedAsThroughput,
        Self::LengthVaries,
        Self::KeepAliveNotObtained,
        Self::ColdFirstRepetition,
        Self::Drift,
        Self::TooNoisy,
        Self::RunTooShort,
        Self::CpuOverpromised,
        Self::WebServerOutOfConnections,
        Self::CpuThrottled,
        Self::OomKill,
        Self::WorkersAllBusy,
        Self::GeneratorWasTheLimit,
        Self::LittleDoesNotHold,
        Self::RedirectsMeasured,
        Self::OrderConfounded,
        Self::ServiceDied,
    ];

    /// Its snake_case name, as thresholds and manifests write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ErrorsCountedAsThroughput => "errors_counted_as_throughput",
            Self::LengthVaries => "length_varies",
            Self::KeepAliveNotObtained => "keep_alive_not_obtained",
            Self::ColdFirstRepetition => "cold_first_repetition",
            Self::Drift => "drift",
            Self::TooNoisy => "too_noisy",
            Self::RunTooShort => "run_too_short",
            Self::CpuOverpromised => "cpu_overpromised",
            Self::WebServerOutOfConnections => "web_server_out_of_connections",
            Self::CpuThrottled => "cpu_throttled",
            Self::OomKill => "oom_kill",
            Self::WorkersAllBusy => "workers_all_busy",
            Self::GeneratorWasTheLimit => "generator_was_the_limit",
            Self::LittleDoesNotHold => "little_does_not_hold",
            Self::RedirectsMeasured => "redirects_measured",
            Self::OrderConfounded => "order_confounded",
            Self::ServiceDied => "service_died",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_serde_names() {
        for kind in FindingKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
    }
}
