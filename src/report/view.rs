//! A cell with everything behind it: what the rules and comparisons look at.

use std::collections::BTreeMap;

use crate::model::experiment::{Experiment, Language, Variant};
use crate::model::load::Level;
use crate::model::measurement::Repetition;
use crate::report::cell;
use crate::report::cell::{CellSummary, RepetitionSummary};
use crate::report::input::ReportInput;
use crate::report::strike;
use crate::stats::{CONFIDENCE, Latencies, Summary, summarise};

/// One cell: planned, measured and summed up.
#[derive(Debug)]
pub(super) struct CellView<'a> {
    /// Its variant.
    pub(super) variant: &'a Variant,
    /// Its level.
    pub(super) level: &'a Level,
    /// Its repetitions in round order.
    pub(super) repetitions: Vec<&'a Repetition>,
    /// Summed up.
    pub(super) summary: CellSummary,
}

impl CellView<'_> {
    /// Whether the cell was measured and is not struck.
    pub(super) fn counts(&self) -> bool {
        self.summary.struck.is_none() && self.summary.goodput.is_some()
    }

    /// Round → good requests per second, of the repetitions that count; empty for a struck cell.
    pub(super) fn goodput_by_round(&self) -> BTreeMap<u32, f64> {
        if !self.counts() {
            return BTreeMap::new();
        }
        counting(&self.summary.repetitions).map(|r| (r.round, r.goodput_per_s)).collect()
    }
}

/// The repetitions that are not struck.
pub(super) fn counting(repetitions: &[RepetitionSummary]) -> impl Iterator<Item = &RepetitionSummary> {
    repetitions.iter().filter(|repetition| repetition.struck.is_none())
}

/// Level names in the order in which variants first use them.
pub(super) fn level_names(experiment: &Experiment) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for level in experiment.variants.values().flat_map(|variant| &variant.load.levels) {
        if !names.contains(&level.name.as_str()) {
            names.push(&level.name);
        }
    }
    names
}

/// Every planned cell, level by level, variants in the scenario's order inside a level.
pub(super) fn cells<'a>(input: &ReportInput<'a>) -> Vec<CellView<'a>> {
    let mut measured: BTreeMap<(&str, &str), Vec<&'a Repetition>> = BTreeMap::new();
    for repetition in input.repetitions.iter().filter(|repetition| !repetition.superseded) {
        measured.entry((&repetition.variant, &repetition.level)).or_default().push(repetition);
    }
    let experiment = &input.run.experiment;
    let mut views = Vec::new();
    for name in level_names(experiment) {
        for variant in experiment.variants.values() {
            let Some(level) = variant.load.levels.iter().find(|level| level.name == name) else { continue };
            let mut repetitions = measured.remove(&(variant.name.as_str(), name)).unwrap_or_default();
            repetitions.sort_by_key(|repetition| (repetition.round, repetition.attempt, repetition.order));
            let summary = summary(experiment.report.language, variant, level, &repetitions);
            views.push(CellView { variant, level, repetitions, summary });
        }
    }
    views
}

fn summary(language: Language, variant: &Variant, level: &Level, repetitions: &[&Repetition]) -> CellSummary {
    let reasons: Vec<Option<String>> = repetitions.iter().map(|r| strike::repetition(language, r)).collect();
    let struck = strike::cell(language, repetitions, &reasons);
    let decoded: Vec<Option<Latencies>> = repetitions
        .iter()
        .map(|r| Latencies::decode(&r.measurement.histograms.good_latency_us).ok())
        .collect();
    let unreadable = decoded.iter().filter(|latencies| latencies.is_none()).count();
    let latencies: Vec<Latencies> = decoded.into_iter().map(Option::unwrap_or_default).collect();
    let summaries: Vec<RepetitionSummary> = repetitions
        .iter()
        .zip(&latencies)
        .zip(reasons)
        .map(|((repetition, latencies), reason)| {
            cell::repetition(repetition, level.connections, latencies, reason)
        })
        .collect();
    let pairs: Vec<(&RepetitionSummary, &Latencies)> = summaries
        .iter()
        .zip(&latencies)
        .filter(|(repetition, _)| struck.is_none() && repetition.struck.is_none())
        .collect();
    let kept: Vec<&RepetitionSummary> = pairs.iter().map(|(repetition, _)| *repetition).collect();
    let over = |pick: fn(&RepetitionSummary) -> f64| -> Option<Summary> {
        summarise(&kept.iter().map(|r| pick(r)).collect::<Vec<f64>>(), CONFIDENCE).ok()
    };
    let ratios: Vec<f64> = summaries.iter().filter_map(|r| r.little_ratio).collect();
    CellSummary {
        variant: variant.name.clone(),
        variant_title: variant.title.clone(),
        level: level.name.clone(),
        connections: level.connections,
        goodput: over(|r| r.goodput_per_s),
        throughput: over(|r| r.throughput_per_s),
        errors: cell::errors(repetitions, &variant.target.expect),
        latency: cell::latency(&pairs, unreadable),
        little_ratio: summarise(&ratios, CONFIDENCE).ok().map(|s| s.median),
        generator_busiest_share: summaries.iter().map(|r| r.generator_busiest_share).reduce(f64::max),
        course: cell::course(&kept, level.connections),
        struck,
        repetitions: summaries,
    }
}
