//! One cell of the experiment, summed up: what its repetitions gave and what they say together.

use indexmap::IndexMap;
use serde::Serialize;

use crate::model::load::Expect;
use crate::model::measurement::{Gate, Measurement, Outcome, Repetition};
use crate::report::words;
use crate::stats::{CONFIDENCE, Latencies, Percentile, Summary};
use crate::stats::{little, proportion_interval, summarise, warm_up};

/// One repetition as a report shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RepetitionSummary {
    /// Round, from 1.
    pub round: u32,
    /// Position in its round, from 1.
    pub order: u32,
    /// 1, or more when the round was measured again.
    pub attempt: u32,
    /// Why it does not count.
    pub struck: Option<String>,
    /// Good requests per second.
    pub goodput_per_s: f64,
    /// Completed requests per second.
    pub throughput_per_s: f64,
    /// Received, heads included, KiB per second.
    pub transfer_kib_per_s: f64,
    /// Window, seconds.
    pub duration_s: f64,
    /// Mean latency of completed requests, ms.
    pub latency_mean_ms: Option<f64>,
    /// Longest completed request, ms.
    pub latency_max_ms: f64,
    /// Percentiles of good requests, ms: 50, 95, 99 %; none under ten samples beyond.
    pub percentiles_ms: [Option<f64>; 3],
    /// In flight by Little's law over connections.
    pub little_ratio: Option<f64>,
    /// Little's law holds, given the window's length.
    pub little_holds: bool,
    /// CPU share of the generator's busiest thread, 0–1.
    pub generator_busiest_share: f64,
    /// Even over the window (MSER-5); none when the window has under ten seconds.
    pub steady: Option<bool>,
    /// Services were restarted because they did not become idle.
    pub drained_by_restart: bool,
}

/// Failures of a cell, all its repetitions together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Errors {
    /// Completed requests.
    pub completed: u64,
    /// Completed and not good.
    pub failed: u64,
    /// Still in flight at the end of a window; neither good nor failed.
    pub unfinished: u64,
    /// Failed by class, classes without any left out.
    pub by_class: IndexMap<Outcome, u64>,
    /// Failed over completed, 0–1; none when nothing completed.
    pub ratio: Option<f64>,
    /// Clopper–Pearson upper end of the ratio (95 %, two-sided).
    pub ratio_upper: Option<f64>,
}

/// One percentile of good requests, ms.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PercentileSummary {
    /// From the merged histogram of the repetitions that count.
    pub merged_ms: Option<f64>,
    /// Smallest and largest of the repetitions' own.
    pub range_ms: Option<[f64; 2]>,
}

/// Latency of good requests.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct LatencySummary {
    /// Requests in the merged histogram.
    pub count: u64,
    /// 50 %.
    pub p50: PercentileSummary,
    /// 95 %.
    pub p95: PercentileSummary,
    /// 99 %.
    pub p99: PercentileSummary,
    /// Histograms that could not be read.
    pub unreadable: usize,
}

/// The columns of the course's own tables: means over the repetitions that count.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CourseColumns {
    /// Length of the window, seconds.
    pub time_s: f64,
    /// Completed requests per second, errors included.
    pub requests_per_s: f64,
    /// Connections × time / completed, ms: what a client waits. None when a repetition completed nothing.
    pub time_per_request_ms: Option<f64>,
    /// Time / completed, ms: from one completion to the next, all connections together. None likewise.
    pub time_per_request_across_all_ms: Option<f64>,
    /// Received, KiB per second.
    pub transfer_kib_per_s: f64,
    /// Longest request of all repetitions, ms.
    pub longest_ms: f64,
}

/// A cell: one variant at one level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellSummary {
    /// Variant name.
    pub variant: String,
    /// Variant title.
    pub variant_title: String,
    /// Level name.
    pub level: String,
    /// Connections of the level.
    pub connections: u32,
    /// Repetitions in round order.
    pub repetitions: Vec<RepetitionSummary>,
    /// Why the whole cell is struck.
    pub struck: Option<String>,
    /// Good requests per second over the repetitions that count; none when struck or not measured.
    pub goodput: Option<Summary>,
    /// Completed requests per second, likewise.
    pub throughput: Option<Summary>,
    /// Failures.
    pub errors: Errors,
    /// Latency; empty when struck.
    pub latency: LatencySummary,
    /// Median of the repetitions' Little ratios.
    pub little_ratio: Option<f64>,
    /// Largest CPU share of a generator thread, 0–1.
    pub generator_busiest_share: Option<f64>,
    /// The course's columns; none when struck or not measured.
    pub course: Option<CourseColumns>,
}

/// One repetition's summary. `struck` is decided beforehand.
pub(super) fn repetition(
    repetition: &Repetition,
    connections: u32,
    latencies: &Latencies,
    struck: Option<String>,
) -> RepetitionSummary {
    let measurement = &repetition.measurement;
    let duration_s = measurement.duration_s;
    let per_second = |amount: f64| if duration_s > 0.0 { amount / duration_s } else { 0.0 };
    let fit = measurement.latency_s_mean().and_then(|response_s| {
        little(f64::from(connections), measurement.throughput(), response_s, 0.0, duration_s).ok()
    });
    RepetitionSummary {
        round: repetition.round,
        order: repetition.order,
        attempt: repetition.attempt,
        struck,
        goodput_per_s: measurement.goodput(),
        throughput_per_s: measurement.throughput(),
        transfer_kib_per_s: per_second(measurement.bytes as f64 / 1024.0),
        duration_s,
        latency_mean_ms: measurement.latency_s_mean().map(|seconds| seconds * 1000.0),
        latency_max_ms: measurement.latency_us_max as f64 / 1000.0,
        percentiles_ms: [Percentile::P50, Percentile::P95, Percentile::P99]
            .map(|p| latencies.percentile_ms(p)),
        little_ratio: fit.map(|fit| fit.ratio),
        little_holds: fit.is_none_or(|fit| fit.fits_the_window()),
        generator_busiest_share: per_second(measurement.generator.cpu_s_busiest_thread),
        steady: steady(measurement),
        drained_by_restart: repetition.gates.iter().any(|gate| matches!(gate, Gate::DrainedByRestart { .. })),
    }
}

/// MSER-5 over the whole seconds of the window; the last entry may be a part of a second.
fn steady(measurement: &Measurement) -> Option<bool> {
    let whole = (measurement.duration_s.max(0.0) as usize).min(measurement.per_second.len());
    let series: Vec<f64> = measurement.per_second[..whole].iter().map(|second| second.good as f64).collect();
    warm_up(&series).ok().map(|found| found.steady)
}

/// Failures over all repetitions of a cell.
pub(super) fn errors(repetitions: &[&Repetition], expect: &Expect) -> Errors {
    let sum =
        |pick: fn(&Measurement) -> u64| -> u64 { repetitions.iter().map(|r| pick(&r.measurement)).sum() };
    let (completed, good) = (sum(|m| m.completed), sum(|m| m.good));
    let failed = completed.saturating_sub(good);
    let mut by_class = IndexMap::new();
    for outcome in words::OUTCOMES {
        let seen: u64 =
            repetitions.iter().map(|r| r.measurement.outcomes.get(&outcome).copied().unwrap_or(0)).sum();
        let of_them_good = if outcome == expected_class(expect.status) { good } else { 0 };
        if seen > of_them_good {
            by_class.insert(outcome, seen - of_them_good);
        }
    }
    Errors {
        completed,
        failed,
        unfinished: sum(|m| m.unfinished),
        by_class,
        ratio: (completed > 0).then(|| failed as f64 / completed as f64),
        ratio_upper: proportion_interval(failed, completed, CONFIDENCE).ok().map(|ci| ci[1]),
    }
}

const fn expected_class(status: u16) -> Outcome {
    match status {
        200..=299 => Outcome::Success,
        300..=399 => Outcome::Redirect,
        400..=499 => Outcome::ClientError,
        _ => Outcome::ServerError,
    }
}

/// Merged percentiles with the range of the repetitions' own.
pub(super) fn latency(counting: &[(&RepetitionSummary, &Latencies)], unreadable: usize) -> LatencySummary {
    let mut merged = Latencies::default();
    let mut lost = unreadable;
    for (_, latencies) in counting {
        lost += usize::from(merged.merge(latencies).is_err());
    }
    let summary = |place: usize, percentile: Percentile| PercentileSummary {
        merged_ms: merged.percentile_ms(percentile),
        // A range of some repetitions need not hold the merged value: it would only puzzle.
        range_ms: counting
            .iter()
            .map(|(repetition, _)| repetition.percentiles_ms[place])
            .collect::<Option<Vec<f64>>>()
            .and_then(|values| range(values.into_iter())),
    };
    LatencySummary {
        count: merged.count(),
        p50: summary(0, Percentile::P50),
        p95: summary(1, Percentile::P95),
        p99: summary(2, Percentile::P99),
        unreadable: lost,
    }
}

fn range(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.fold(None, |ends, value| match ends {
        None => Some([value, value]),
        Some([low, high]) => Some([low.min(value), high.max(value)]),
    })
}

/// The course's columns over the repetitions that count; none without any.
pub(super) fn course(counting: &[&RepetitionSummary], connections: u32) -> Option<CourseColumns> {
    let mean = |values: &[f64]| summarise(values, CONFIDENCE).ok().map(|s| s.mean);
    let average =
        |pick: fn(&RepetitionSummary) -> f64| mean(&counting.iter().map(|r| pick(r)).collect::<Vec<f64>>());
    // As the course means the values its tool prints for each run, not one value of all runs together.
    let across_all: Option<Vec<f64>> =
        counting.iter().map(|r| (r.throughput_per_s > 0.0).then(|| 1000.0 / r.throughput_per_s)).collect();
    let time_per_request_across_all_ms = across_all.and_then(|values| mean(&values));
    Some(CourseColumns {
        time_s: average(|r| r.duration_s)?,
        requests_per_s: average(|r| r.throughput_per_s)?,
        time_per_request_ms: time_per_request_across_all_ms.map(|across| across * f64::from(connections)),
        time_per_request_across_all_ms,
        transfer_kib_per_s: average(|r| r.transfer_kib_per_s)?,
        longest_ms: counting.iter().map(|r| r.latency_max_ms).fold(0.0, f64::max),
    })
}
