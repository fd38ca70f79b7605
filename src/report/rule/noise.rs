//! Rules about scatter and order: cold starts, drift, noise, confounding.

use crate::model::experiment::{Experiment, Language, Order};
use crate::model::finding::FindingKind;
use crate::report::finding::{Finding, by_variant};
use crate::report::number;
use crate::report::view::{CellView, counting};
use crate::report::words;
use crate::stats::{CONFIDENCE, Drift, Observation, PowerDesign};
use crate::stats::{detectable_sd, drift, prediction_interval, summarise};

/// How much lower a cold first repetition is, at least.
const COLD_BELOW: f64 = 0.9;

/// CV from which a cell is noisy.
const NOISY_FROM: f64 = 0.05;

/// p below which a drift is noted, and the change over the run below which it does not matter.
const DRIFT_P: f64 = 0.05;
const DRIFT_CHANGE: f64 = 0.01;

/// The first repetition is over 10 % lower than the mean of the others and outside what they predict (95 %).
pub(in crate::report) fn cold_first_repetition(language: Language, cells: &[CellView]) -> Vec<Finding> {
    by_variant(language, cells, FindingKind::ColdFirstRepetition, |cell| {
        let values: Vec<f64> = cell.goodput_by_round().into_values().collect();
        let (first, others) =
            values.split_first().filter(|_| cell.summary.repetitions[0].struck.is_none())?;
        let expected = prediction_interval(others, CONFIDENCE).ok()?;
        let mean = summarise(others, CONFIDENCE).ok()?.mean;
        (*first < expected[0] && *first < COLD_BELOW * mean).then(|| {
            words::evidence::cold(
                language,
                &number::rate(*first),
                &number::rate(mean),
                &number::percent(1.0 - first / mean),
            )
        })
    })
}

/// The drift over the run, in run order, of all repetitions that count.
pub(in crate::report) fn run_drift(cells: &[CellView]) -> Option<Drift> {
    let mut places: Vec<(u32, u32, usize, f64)> = Vec::new();
    for (index, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.counts()) {
        places
            .extend(counting(&cell.summary.repetitions).map(|r| (r.round, r.order, index, r.goodput_per_s)));
    }
    places.sort_by_key(|(round, order, cell, _)| (*round, *order, *cell));
    let observations: Vec<Observation> = places
        .into_iter()
        .enumerate()
        .map(|(index, (_, _, cell, value))| Observation { cell, index: index as f64, value })
        .collect();
    drift(&observations)
}

/// The drift is significant (p < 0.05) and at least 1 % over the run.
pub(in crate::report) fn drifts(language: Language, drift: Option<&Drift>) -> Vec<Finding> {
    let found = drift.filter(|drift| drift.p < DRIFT_P && drift.change.abs() >= DRIFT_CHANGE);
    found
        .map(|drift| {
            let direction = if drift.change < 0.0 { words::evidence::fell } else { words::evidence::rose };
            let evidence = words::evidence::drift(
                language,
                &direction(language),
                &number::percent(drift.change.abs()),
                &number::probability(drift.p),
                &drift.n,
            );
            Finding::of_run(language, FindingKind::Drift, evidence)
        })
        .into_iter()
        .collect()
}

/// The CV of a cell is above 5 %.
pub(in crate::report) fn too_noisy(language: Language, cells: &[CellView]) -> Vec<Finding> {
    by_variant(language, cells, FindingKind::TooNoisy, |cell| {
        let goodput = cell.summary.goodput.as_ref()?;
        let cv = goodput.cv.filter(|cv| *cv > NOISY_FROM)?;
        let design = PowerDesign::TwoSample;
        let detectable = detectable_sd(design, goodput.n as u64, 1.0 - CONFIDENCE, 0.8).ok()?;
        Some(words::evidence::noisy(
            language,
            &number::percent(cv),
            &goodput.n,
            &number::percent((detectable * cv).exp_m1()),
        ))
    })
}

/// The cells were measured in the order written.
pub(in crate::report) fn order_confounded(language: Language, experiment: &Experiment) -> Vec<Finding> {
    let several = experiment.variants.len() > 1;
    (experiment.order == Order::Sequential && several)
        .then(|| {
            let evidence = words::evidence::order(language, &experiment.variants.len(), &experiment.repeat);
            Finding::of_run(language, FindingKind::OrderConfounded, evidence)
        })
        .into_iter()
        .collect()
}
