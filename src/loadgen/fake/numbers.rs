//! What a worker-bound farm would have given: throughput C/latency until its capacity is reached, then latency
//! C/capacity (Little's law, closed loop without think time). All fields of a measurement agree with each other.

use std::time::Duration;

use rand::Rng as _;
use rand::SeedableRng as _;
use rand::rngs::SmallRng;

use crate::loadgen::contract::CellSpec;
use crate::loadgen::engine::encode_histogram;
use crate::loadgen::engine::new_histogram;
use crate::loadgen::fake::script::FakeLoad;
use crate::model::load::Extent;
use crate::model::measurement::GeneratorUse;
use crate::model::measurement::Histograms;
use crate::model::measurement::Measurement;
use crate::model::measurement::Outcome;
use crate::model::measurement::OutcomeCounts;
use crate::model::measurement::SecondCount;

/// Groups of equal latency a window's requests are split into.
const GROUPS: u64 = 64;
/// Head of a simulated answer.
const HEAD_BYTES: u64 = 180;
/// Body of a simulated answer.
const BODY_BYTES: u64 = 12_000;
/// Time of a simulated connect.
const CONNECT_US: u64 = 90;

/// The measurement of the `call`-th window.
pub fn measurement(load: &FakeLoad, spec: &CellSpec, call: u64) -> Measurement {
    let connections = f64::from(spec.connections);
    let throughput = throughput(load, spec, call);
    let (completed, duration) = match spec.extent {
        // A count of requests: the fraction is of no interest.
        Extent::Duration(duration) => ((throughput * duration.as_secs_f64()) as u64, duration),
        Extent::Requests(count) if throughput > 0.0 => {
            (count, Duration::from_secs_f64((count as f64 / throughput).min(1.0e9)))
        }
        Extent::Requests(_) => (0, Duration::ZERO),
    };
    let mean_us = if throughput > 0.0 { connections / throughput * 1.0e6 } else { 0.0 };
    let timeout_us = u64::try_from(spec.timeout.as_micros()).unwrap_or(u64::MAX);
    let groups = Groups::split(completed, mean_us, timeout_us, load.errors);
    let fresh = if spec.warm_up.is_zero() { u64::from(spec.connections).min(completed) } else { 0 };
    let opened = if spec.keep_alive { fresh + groups.timed_out } else { completed };
    let mut connect_us = new_histogram();
    connect_us.saturating_record_n(CONNECT_US, opened);
    let answered = completed - groups.timed_out;
    let seconds = duration.as_secs_f64();
    let in_flight = if seconds > 0.0 { groups.latency_us_sum as f64 / 1.0e6 / seconds } else { 0.0 };
    Measurement {
        warm_up_s: spec.warm_up.as_secs_f64(),
        duration_s: seconds,
        outcomes: groups.outcomes(),
        completed,
        good: groups.good,
        unfinished: u64::from(spec.connections),
        bytes: answered * (HEAD_BYTES + BODY_BYTES),
        body_bytes: answered * BODY_BYTES,
        good_body_bytes_range: (groups.good > 0).then_some((BODY_BYTES, BODY_BYTES)),
        reused: if spec.keep_alive { answered.saturating_sub(opened) } else { 0 },
        latency_us_sum: groups.latency_us_sum,
        latency_us_max: groups.latency_us_max,
        per_second: groups.per_second(seconds.ceil() as u64),
        histograms: Histograms {
            good_latency_us: encode_histogram(&groups.good_latency_us),
            completed_latency_us: encode_histogram(&groups.completed_latency_us),
            connect_us: encode_histogram(&connect_us),
        },
        generator: GeneratorUse {
            engine: "fake".to_owned(),
            threads: 1,
            cpu_s: load.cpu * seconds,
            cpu_s_busiest_thread: load.cpu * seconds,
            peak_rss_bytes: 8 << 20,
            connections_opened: opened,
            in_flight_mean: in_flight.min(connections),
        },
    }
}

fn throughput(load: &FakeLoad, spec: &CellSpec, call: u64) -> f64 {
    let mut addresses = spec.addresses.clone();
    addresses.sort_unstable();
    addresses.dedup();
    let capacity = load.capacity_at.get(&spec.connections).copied().unwrap_or(load.capacity);
    let unqueued = f64::from(spec.connections) / load.latency.as_secs_f64();
    let mut random = SmallRng::seed_from_u64(load.seed.wrapping_mul(0x9E37_79B9).wrapping_add(call));
    // Twelve uniform numbers less six are close to a normal one, and never beyond six.
    let normal: f64 = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    unqueued.min(capacity * addresses.len() as f64) * (1.0 + load.noise * normal).max(0.05)
}

struct Groups {
    good: u64,
    errors: u64,
    timed_out: u64,
    latency_us_sum: u64,
    latency_us_max: u64,
    good_latency_us: hdrhistogram::Histogram<u64>,
    completed_latency_us: hdrhistogram::Histogram<u64>,
}

impl Groups {
    /// Latencies spread evenly over ±30 % of the mean.
    fn split(completed: u64, mean_us: f64, timeout_us: u64, error_share: f64) -> Self {
        let mut groups = Self {
            good: 0,
            errors: 0,
            timed_out: 0,
            latency_us_sum: 0,
            latency_us_max: 0,
            good_latency_us: new_histogram(),
            completed_latency_us: new_histogram(),
        };
        for group in 0..GROUPS {
            let (before, after) =
                (share_of(completed, group, GROUPS), share_of(completed, group + 1, GROUPS));
            let count = after - before;
            let wished_us = (mean_us * (0.7 + 0.6 * (group as f64 + 0.5) / GROUPS as f64)) as u64;
            let latency_us = wished_us.clamp(1, timeout_us.max(1));
            let errors = (after as f64 * error_share) as u64 - (before as f64 * error_share) as u64;
            let (good, errors, timed_out) =
                if wished_us >= timeout_us { (0, 0, count) } else { (count - errors, errors, 0) };
            groups.good += good;
            groups.errors += errors;
            groups.timed_out += timed_out;
            if count > 0 {
                groups.latency_us_sum += latency_us * count;
                groups.latency_us_max = latency_us;
                groups.good_latency_us.saturating_record_n(latency_us, good);
                groups.completed_latency_us.saturating_record_n(latency_us, count);
            }
        }
        groups
    }

    fn outcomes(&self) -> OutcomeCounts {
        let all = [
            (Outcome::Success, self.good),
            (Outcome::ServerError, self.errors),
            (Outcome::TimedOut, self.timed_out),
        ];
        all.into_iter().filter(|(_, count)| *count > 0).collect()
    }

    fn per_second(&self, seconds: u64) -> Vec<SecondCount> {
        let completed = self.good + self.errors + self.timed_out;
        let part = |whole, second| share_of(whole, second + 1, seconds) - share_of(whole, second, seconds);
        (0..seconds)
            .map(|second| SecondCount {
                completed: part(completed, second),
                good: part(self.good, second),
                latency_us_sum: part(self.latency_us_sum, second),
            })
            .collect()
    }
}

/// `whole × part ÷ parts`, rounded down, so that the differences add up to the whole.
fn share_of(whole: u64, part: u64, parts: u64) -> u64 {
    let share = u128::from(whole) * u128::from(part) / u128::from(parts.max(1));
    u64::try_from(share).unwrap_or(u64::MAX)
}
