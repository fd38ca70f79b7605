//! Little's law as a check of the measurement itself: do rate, latency and connections fit together?

use serde::Serialize;

use crate::stats::error::StatsError;

/// Accepted ratios in a window without edges.
const RATIO_MIN: f64 = 0.98;
const RATIO_MAX: f64 = 1.02;

/// What the ratio means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LittleVerdict {
    /// They fit.
    Ok,
    /// The client spent time outside requests.
    ClientGap,
    /// Latencies are longer than the rate allows.
    LatencyOvercounted,
}

/// The check's result.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Little {
    /// Requests in flight that rate and latency imply: X·(R + Z).
    pub in_flight_estimate: f64,
    /// Estimate over connections.
    pub ratio: f64,
    /// R/T: what a window's edges alone may add or take away.
    pub edge: f64,
    /// Accepted from 0.98 − R/T to 1.02.
    pub verdict: LittleVerdict,
}

impl Little {
    /// Whether the three fit together as far as one window can tell. Requests in flight at the beginning bring the time
    /// before the window along and those at the end leave theirs out, so that the sum of latencies differs from
    /// connections × time by at most one response a connection, on either side: the published upper bound of 1.02 is
    /// widened by R/T as the lower one is.
    #[must_use]
    pub fn fits_the_window(&self) -> bool {
        match self.verdict {
            LittleVerdict::Ok => true,
            LittleVerdict::ClientGap => false,
            LittleVerdict::LatencyOvercounted => self.ratio <= RATIO_MAX + self.edge,
        }
    }
}

/// Little (1961): N = X·(R + Z). `connections` above 0; `rate` in requests per second; `response_s` the arithmetic mean
/// over *all* completed requests, errors included; `think_s` think time; `run_s` the window's length, above 0.
///
/// # Errors
/// Numbers that are negative, not finite, or zero where they must not be.
pub fn little(
    connections: f64,
    rate: f64,
    response_s: f64,
    think_s: f64,
    run_s: f64,
) -> Result<Little, StatsError> {
    for (what, value) in [("c", connections), ("run_seconds", run_s)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(StatsError::OutOfRange { what, value, range: "above 0" });
        }
    }
    for (what, value) in [("X", rate), ("R", response_s), ("Z", think_s)] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(StatsError::OutOfRange { what, value, range: "0 or more" });
        }
    }
    let in_flight_estimate = rate * (response_s + think_s);
    let ratio = in_flight_estimate / connections;
    let edge = response_s / run_s;
    let verdict = if ratio > RATIO_MAX {
        LittleVerdict::LatencyOvercounted
    } else if ratio < RATIO_MIN - edge {
        LittleVerdict::ClientGap
    } else {
        LittleVerdict::Ok
    };
    Ok(Little { in_flight_estimate, ratio, edge, verdict })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_cases_get_their_verdicts() {
        let vectors: serde_json::Value =
            serde_json::from_str(include_str!("../../tests/data/stats_vectors.json")).unwrap();
        let vector = vectors["vectors"].as_array().unwrap().iter().find(|v| v["id"] == "P09").unwrap();
        let run_s = vector["inputs"]["run_seconds"].as_f64().unwrap();
        let number = |case: &serde_json::Value, key: &str| case[key].as_f64().unwrap();
        for (index, case) in vector["inputs"]["cases"].as_array().unwrap().iter().enumerate() {
            let got =
                little(number(case, "c"), number(case, "X"), number(case, "R"), number(case, "Z"), run_s)
                    .unwrap();
            let want = vector["expected"]["ratio"][index].as_f64().unwrap();
            assert!((got.ratio - want).abs() <= 1e-6 * want, "case {index}");
            assert_eq!(serde_json::to_value(got.verdict).unwrap(), vector["expected"]["verdict"][index]);
        }
    }

    #[test]
    fn a_short_window_is_allowed_its_edge() {
        assert_eq!(little(10.0, 9.0, 0.9, 0.0, 5.0).unwrap().verdict, LittleVerdict::Ok);
        assert_eq!(little(10.0, 9.0, 0.9, 0.0, 5000.0).unwrap().verdict, LittleVerdict::ClientGap);
    }

    #[test]
    fn what_a_windows_edges_explain_is_no_double_counting() {
        // 24 connections over 4 workers of 100 ms: 600 ms a response. A window of 4 s begins just before a batch ends.
        let short = little(24.0, 42.0, 0.6, 0.0, 4.0).unwrap();
        assert!(short.ratio > 1.04 && short.fits_the_window(), "{short:?}");
        let long = little(24.0, 42.0, 0.6, 0.0, 400.0).unwrap();
        assert!(!long.fits_the_window(), "{long:?}");
        assert!(
            !little(24.0, 60.0, 0.6, 0.0, 4.0).unwrap().fits_the_window(),
            "more than the edges can explain"
        );
    }

    #[test]
    fn impossible_numbers_are_refused() {
        assert!(little(0.0, 1.0, 1.0, 0.0, 1.0).is_err());
        assert!(little(1.0, f64::NAN, 1.0, 0.0, 1.0).is_err());
        assert!(little(1.0, 1.0, -1.0, 0.0, 1.0).is_err());
        assert!(little(1.0, 1.0, 1.0, 0.0, 0.0).is_err());
    }
}
