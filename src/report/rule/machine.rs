//! Rules about machines: CPU promised and throttled, workers.

use crate::model::experiment::{Experiment, Language, Variant};
use crate::model::finding::FindingKind;
use crate::model::run::RunRecord;
use crate::report::finding::{Finding, by_variant};
use crate::report::number;
use crate::report::usage::NodeUse;
use crate::report::view::CellView;
use crate::report::words;

/// Share of the CPU limit from which a node counts as full.
const CPU_FULL_FROM: f64 = 0.9;

/// Share of the window spent throttled from which the limit held a node back.
const THROTTLED_FROM: f64 = 0.1;

/// Share of the samples in which all workers are busy.
const ALL_BUSY_FROM: f64 = 0.8;

/// Fewest samples that say something about workers.
const SAMPLES_FROM: usize = 3;

/// CPU limits of a variant's nodes together, cores; none when no node has one.
pub(in crate::report) fn promised_cores(variant: &Variant) -> Option<f64> {
    variant.topology.nodes.values().filter_map(|node| node.cpus).reduce(|sum, cores| sum + cores)
}

/// The nodes of a variant are promised more CPU than the host has.
pub(in crate::report) fn cpu_overpromised(
    language: Language,
    experiment: &Experiment,
    run: &RunRecord,
) -> Vec<Finding> {
    let there = f64::from(run.host.cpus);
    let variants = experiment.variants.values().filter(|_| there > 0.0);
    variants
        .filter_map(|variant| {
            let promised = promised_cores(variant).filter(|promised| *promised > there + 1e-9)?;
            Some(Finding::of_variant(
                language,
                FindingKind::CpuOverpromised,
                &variant.name,
                Vec::new(),
                words::evidence::overpromised(
                    language,
                    &variant.name,
                    &variant.topology.nodes.len(),
                    &number::plain(promised),
                    &number::plain(there),
                ),
            ))
        })
        .collect()
}

fn of_cell<'a>(cell: &CellView, used: &'a [NodeUse]) -> Vec<&'a NodeUse> {
    used.iter().filter(|node| node.variant == cell.variant.name && node.level == cell.level.name).collect()
}

/// A node used at least 90 % of its CPU limit, or was throttled for at least a tenth of the window.
pub(in crate::report) fn cpu_throttled(
    language: Language,
    cells: &[CellView],
    used: &[NodeUse],
) -> Vec<Finding> {
    by_variant(language, cells, FindingKind::CpuThrottled, |cell| {
        let seen: Vec<String> =
            of_cell(cell, used).into_iter().filter_map(|node| throttled(language, node)).collect();
        (!seen.is_empty()).then(|| seen.join(", "))
    })
}

fn throttled(language: Language, node: &NodeUse) -> Option<String> {
    let share = node.cpu_cores.zip(node.cpu_limit_cores).filter(|(_, limit)| *limit > 0.0);
    let full = share.is_some_and(|(cores, limit)| cores >= CPU_FULL_FROM * limit);
    let held = node.throttled_share.is_some_and(|share| share >= THROTTLED_FROM);
    if !(full || held) {
        return None;
    }
    let used = share.map(|(cores, limit)| {
        words::evidence::used_cpu(language, &number::rate(cores), &number::plain(limit))
    });
    let held =
        node.throttled_share.map(|share| words::evidence::throttled(language, &number::percent(share)));
    let parts: Vec<String> = [used, held].into_iter().flatten().collect();
    Some(format!("{} {}", node.node, parts.join(words::evidence::and(language))))
}

/// All workers of a service were busy in at least 80 % of the samples.
pub(in crate::report) fn workers_all_busy(
    language: Language,
    cells: &[CellView],
    used: &[NodeUse],
) -> Vec<Finding> {
    by_variant(language, cells, FindingKind::WorkersAllBusy, |cell| {
        let mut seen = Vec::new();
        for node in of_cell(cell, used) {
            for service in node.services.iter().filter(|service| service.samples >= SAMPLES_FROM) {
                let (Some(share), Some(workers)) = (service.all_busy_share, service.workers) else {
                    continue;
                };
                if share >= ALL_BUSY_FROM {
                    seen.push(words::evidence::workers_busy(
                        language,
                        &number::plain(workers),
                        &format_args!("{}.{}", node.node, service.service),
                        &number::percent(share),
                        &service.samples,
                    ));
                }
            }
        }
        (!seen.is_empty()).then(|| seen.join(", "))
    })
}
