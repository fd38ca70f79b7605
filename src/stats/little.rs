//! Little's law as a check of the measurement itself: do rate, latency and connections fit together?

use serde::Serialize;

use crate::stats::error::StatsError;

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
    /// Accepted from 0.98 − R/T to 1.02 + R/T.
    pub verdict: LittleVerdict,
}

/// Little (1961): N = X·(R + Z). `connections` above 0; `rate` in requests per second; `response_s` the arithmetic mean
/// over *all* completed requests, errors included; `think_s` think time; `run_s` the window's length, above 0. A request
/// counts whole where it ends: each connection may bring up to one response time into the window, or out of it.
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
    let verdict = if ratio > 1.02 + edge {
        LittleVerdict::LatencyOvercounted
    } else if ratio < 0.98 - edge {
        LittleVerdict::ClientGap
    } else {
        LittleVerdict::Ok
    };
    Ok(Little { in_flight_estimate, ratio, verdict })
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
        assert_eq!(little(24.0, 40.0, 0.63, 0.0, 2.0).unwrap().verdict, LittleVerdict::Ok);
        assert_eq!(little(24.0, 40.0, 0.63, 0.0, 200.0).unwrap().verdict, LittleVerdict::LatencyOvercounted);
    }

    #[test]
    fn impossible_numbers_are_refused() {
        assert!(little(0.0, 1.0, 1.0, 0.0, 1.0).is_err());
        assert!(little(1.0, f64::NAN, 1.0, 0.0, 1.0).is_err());
        assert!(little(1.0, 1.0, -1.0, 0.0, 1.0).is_err());
        assert!(little(1.0, 1.0, 1.0, 0.0, 0.0).is_err());
    }
}
