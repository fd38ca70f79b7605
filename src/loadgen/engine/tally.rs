//! What one thread counted in the window, how threads' counts become one, and how that becomes a `Measurement`.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Serializer as _;
use hdrhistogram::serialization::V2Serializer;

use crate::loadgen::engine::verdict::Verdict;
use crate::model::measurement::GeneratorUse;
use crate::model::measurement::Histograms;
use crate::model::measurement::Measurement;
use crate::model::measurement::Outcome;
use crate::model::measurement::SecondCount;

/// All outcomes, in the order of their discriminants.
const OUTCOMES: [Outcome; 9] = [
    Outcome::Success,
    Outcome::Redirect,
    Outcome::ClientError,
    Outcome::ServerError,
    Outcome::WrongBody,
    Outcome::Refused,
    Outcome::Reset,
    Outcome::ClosedEarly,
    Outcome::TimedOut,
];

/// Longest latency a histogram of the engine holds, microseconds: the same for all, so that any two can be added.
const HISTOGRAM_US_MAX: u64 = 3_600_000_000;

/// An empty histogram: 1 µs to one hour, three significant digits.
#[must_use]
pub fn new_histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, HISTOGRAM_US_MAX, 3).expect("the bounds are constants the format allows")
}

/// V2 encoding without compression, in standard base64.
#[must_use]
pub fn encode_histogram(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    V2Serializer::new()
        .serialize(histogram, &mut bytes)
        .expect("writing to memory cannot fail, and the counts fit 63 bits");
    STANDARD.encode(bytes)
}

/// A request that ended inside the window.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// How.
    pub verdict: Verdict,
    /// When, nanoseconds since the window began.
    pub after_ns: u64,
    /// How long it took.
    pub latency_ns: u64,
    /// All its bytes.
    pub bytes: u64,
    /// Of them body.
    pub body_bytes: u64,
    /// A whole answer came on a connection that had answered before.
    pub reused: bool,
}

/// Counts of one window.
#[derive(Debug)]
pub struct Tally {
    outcomes: [u64; OUTCOMES.len()],
    good: u64,
    bytes: u64,
    body_bytes: u64,
    good_body_bytes_range: Option<(u64, u64)>,
    reused: u64,
    latency_us_sum: u64,
    latency_us_max: u64,
    good_latency_us: Histogram<u64>,
    other_latency_us: Histogram<u64>,
    connect_us: Histogram<u64>,
    per_second: Vec<SecondCount>,
    /// In flight at the end.
    pub unfinished: u64,
    /// Integral of the requests in flight over the window, in request-nanoseconds.
    pub in_flight_ns: u128,
    /// CPU seconds of the busiest thread.
    pub thread_cpu_s: f64,
    /// CPU seconds of the whole process, as this thread saw them.
    pub process_cpu_s: f64,
}

impl Tally {
    /// Nothing counted.
    #[must_use]
    pub fn new() -> Self {
        Self {
            outcomes: [0; OUTCOMES.len()],
            good: 0,
            bytes: 0,
            body_bytes: 0,
            good_body_bytes_range: None,
            reused: 0,
            latency_us_sum: 0,
            latency_us_max: 0,
            good_latency_us: new_histogram(),
            other_latency_us: new_histogram(),
            connect_us: new_histogram(),
            per_second: Vec::with_capacity(1024),
            unfinished: 0,
            in_flight_ns: 0,
            thread_cpu_s: 0.0,
            process_cpu_s: 0.0,
        }
    }

    /// Counts a request.
    pub fn record(&mut self, ended: &Ended) {
        let latency_us = microseconds(ended.latency_ns);
        let second = usize::try_from(ended.after_ns / 1_000_000_000).unwrap_or(usize::MAX - 1);
        if second >= self.per_second.len() {
            self.per_second.resize(second + 1, SecondCount::default());
        }
        let count = &mut self.per_second[second];
        count.completed += 1;
        count.latency_us_sum += latency_us;
        self.outcomes[ended.verdict.outcome as usize] += 1;
        self.bytes += ended.bytes;
        self.body_bytes += ended.body_bytes;
        self.reused += u64::from(ended.reused);
        self.latency_us_sum += latency_us;
        self.latency_us_max = self.latency_us_max.max(latency_us);
        if ended.verdict.good {
            count.good += 1;
            self.good += 1;
            self.good_latency_us.saturating_record(latency_us);
            let (least, most) = self.good_body_bytes_range.unwrap_or((u64::MAX, 0));
            self.good_body_bytes_range = Some((least.min(ended.body_bytes), most.max(ended.body_bytes)));
        } else {
            self.other_latency_us.saturating_record(latency_us);
        }
    }

    /// Counts a connection that was opened.
    pub fn record_connect(&mut self, took_ns: u64) {
        self.connect_us.saturating_record(microseconds(took_ns));
    }

    /// Adds another thread's counts.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.outcomes.iter_mut().zip(other.outcomes) {
            *mine += theirs;
        }
        self.good += other.good;
        self.bytes += other.bytes;
        self.body_bytes += other.body_bytes;
        if let Some((least, most)) = other.good_body_bytes_range {
            let (my_least, my_most) = self.good_body_bytes_range.unwrap_or((least, most));
            self.good_body_bytes_range = Some((my_least.min(least), my_most.max(most)));
        }
        self.reused += other.reused;
        self.latency_us_sum += other.latency_us_sum;
        self.latency_us_max = self.latency_us_max.max(other.latency_us_max);
        let pairs = [
            (&mut self.good_latency_us, &other.good_latency_us),
            (&mut self.other_latency_us, &other.other_latency_us),
            (&mut self.connect_us, &other.connect_us),
        ];
        for (mine, theirs) in pairs {
            mine.add(theirs).expect("all histograms of the engine have the same bounds");
        }
        let seconds = self.per_second.len().max(other.per_second.len());
        self.per_second.resize(seconds, SecondCount::default());
        for (mine, theirs) in self.per_second.iter_mut().zip(&other.per_second) {
            mine.completed += theirs.completed;
            mine.good += theirs.good;
            mine.latency_us_sum += theirs.latency_us_sum;
        }
        self.unfinished += other.unfinished;
        self.in_flight_ns += other.in_flight_ns;
        self.thread_cpu_s = self.thread_cpu_s.max(other.thread_cpu_s);
        self.process_cpu_s = self.process_cpu_s.max(other.process_cpu_s);
    }

    /// The measurement of a window of `length` after `warm_up`, by `threads` threads with `connections` connections.
    #[must_use]
    pub fn into_measurement(
        self,
        warm_up: Duration,
        length: Duration,
        threads: u32,
        connections: u32,
        peak_rss_bytes: u64,
    ) -> Measurement {
        let mut completed_latency_us = self.other_latency_us;
        completed_latency_us
            .add(&self.good_latency_us)
            .expect("all histograms of the engine have the same bounds");
        let mut per_second = self.per_second;
        let seconds = usize::try_from(length.as_nanos().div_ceil(1_000_000_000)).unwrap_or(0);
        per_second.resize(seconds.max(per_second.len()), SecondCount::default());
        let outcomes = OUTCOMES.iter().copied().zip(self.outcomes).filter(|(_, count)| *count > 0).collect();
        let in_flight = self.in_flight_ns as f64 / length.as_nanos().max(1) as f64;
        Measurement {
            warm_up_s: warm_up.as_secs_f64(),
            duration_s: length.as_secs_f64(),
            outcomes,
            completed: self.outcomes.iter().sum(),
            good: self.good,
            unfinished: self.unfinished,
            bytes: self.bytes,
            body_bytes: self.body_bytes,
            good_body_bytes_range: self.good_body_bytes_range,
            reused: self.reused,
            latency_us_sum: self.latency_us_sum,
            latency_us_max: self.latency_us_max,
            histograms: Histograms {
                good_latency_us: encode_histogram(&self.good_latency_us),
                completed_latency_us: encode_histogram(&completed_latency_us),
                connect_us: encode_histogram(&self.connect_us),
            },
            per_second,
            generator: GeneratorUse {
                engine: "benchtop".to_owned(),
                threads,
                cpu_s: self.process_cpu_s,
                cpu_s_busiest_thread: self.thread_cpu_s,
                peak_rss_bytes,
                connections_opened: self.connect_us.len(),
                in_flight_mean: in_flight.min(f64::from(connections)),
            },
        }
    }
}

/// Whole microseconds, at least the one that a histogram begins with.
fn microseconds(nanoseconds: u64) -> u64 {
    (nanoseconds / 1000).max(1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::Deserializer;

    use super::Ended;
    use super::OUTCOMES;
    use super::Tally;
    use crate::loadgen::engine::verdict::Verdict;
    use crate::model::measurement::Outcome;

    fn ended(outcome: Outcome, good: bool, after_s: u64, latency_us: u64) -> Ended {
        Ended {
            verdict: Verdict { outcome, good },
            after_ns: after_s * 1_000_000_000,
            latency_ns: latency_us * 1000,
            bytes: 10,
            body_bytes: latency_us,
            reused: good,
        }
    }

    #[test]
    fn outcomes_are_listed_at_their_discriminants() {
        for (place, outcome) in OUTCOMES.iter().enumerate() {
            assert_eq!(*outcome as usize, place);
        }
    }

    #[test]
    fn two_threads_add_up() {
        let mut one = Tally::new();
        one.record(&ended(Outcome::Success, true, 0, 5));
        one.record(&ended(Outcome::TimedOut, false, 2, 900));
        let mut two = Tally::new();
        two.record(&ended(Outcome::Success, true, 1, 7));
        two.record_connect(3000);
        two.in_flight_ns = 1_000_000_000;
        one.add(&two);
        let seen = one.into_measurement(Duration::ZERO, Duration::from_secs(4), 2, 2, 0);
        assert_eq!((seen.completed, seen.good, seen.reused), (3, 2, 2));
        assert_eq!(seen.outcomes.values().sum::<u64>(), 3);
        assert_eq!(seen.good_body_bytes_range, Some((5, 7)));
        assert_eq!((seen.latency_us_sum, seen.latency_us_max), (912, 900));
        let per_second: Vec<u64> = seen.per_second.iter().map(|second| second.completed).collect();
        assert_eq!(per_second, [1, 1, 1, 0]);
        assert_eq!(seen.generator.connections_opened, 1);
        assert!((seen.generator.in_flight_mean - 0.25).abs() < 1e-9);
    }

    #[test]
    fn a_histogram_survives_its_encoding() {
        let mut tally = Tally::new();
        for latency in [1, 1000, 123_456, 59_000_000] {
            tally.record(&ended(Outcome::Success, true, 0, latency));
        }
        let seen = tally.into_measurement(Duration::ZERO, Duration::from_secs(1), 1, 1, 0);
        let bytes = STANDARD.decode(&seen.histograms.completed_latency_us).unwrap();
        let back: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        assert_eq!((back.len(), back.sigfig(), back.min()), (4, 3, 1));
        assert_eq!(back.value_at_quantile(0.75), back.highest_equivalent(123_456));
    }
}
