//! Rules about what happened beside the numbers: symptoms in logs, deaths, kills for memory.

use std::collections::BTreeMap;

use crate::model::experiment::Language;
use crate::model::finding::FindingKind;
use crate::model::measurement::Gate;
use crate::report::finding::{Finding, by_variant};
use crate::report::usage::NodeUse;
use crate::report::view::CellView;
use crate::report::words;

/// Findings that a software's manifest reads in its logs, whatever their kind.
pub(in crate::report) fn symptoms(language: Language, cells: &[CellView]) -> Vec<Finding> {
    FindingKind::ALL
        .iter()
        .flat_map(|kind| by_variant(language, cells, *kind, |cell| symptom(language, cell, *kind)))
        .collect()
}

fn symptom(language: Language, cell: &CellView, wanted: FindingKind) -> Option<String> {
    let mut seen: BTreeMap<&str, (u64, &str, Option<&str>)> = BTreeMap::new();
    for gate in cell.repetitions.iter().flat_map(|r| &r.gates) {
        if let Gate::Symptom { service, finding, line, count, parameter } = gate
            && *finding == wanted
        {
            seen.entry(service).or_insert((0, line.as_str(), parameter.as_deref())).0 += count;
        }
    }
    let parts: Vec<String> = seen
        .into_iter()
        .map(|(service, (count, line, parameter))| {
            let setting = parameter.map(|p| words::evidence::setting(language, &p)).unwrap_or_default();
            words::evidence::wrote(language, &service, &setting, &count, &line.trim())
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Kills for memory in a cell: the gates' count or the kernel counter's growth, whichever saw more on a node.
pub(in crate::report) fn kills(cell: &CellView, used: &[NodeUse]) -> BTreeMap<String, u64> {
    let mut by_node: BTreeMap<String, u64> = BTreeMap::new();
    for gate in cell.repetitions.iter().flat_map(|r| &r.gates) {
        if let Gate::OomKill { node, kills } = gate {
            *by_node.entry(node.clone()).or_default() += kills;
        }
    }
    for node in used.iter().filter(|n| n.variant == cell.variant.name && n.level == cell.level.name) {
        if node.oom_kills > 0 {
            let seen = by_node.entry(node.node.clone()).or_default();
            *seen = (*seen).max(node.oom_kills);
        }
    }
    by_node
}

/// The kernel killed a process for memory inside a window.
pub(in crate::report) fn oom_kill(language: Language, cells: &[CellView], used: &[NodeUse]) -> Vec<Finding> {
    by_variant(language, cells, FindingKind::OomKill, |cell| {
        let parts: Vec<String> = kills(cell, used)
            .into_iter()
            .map(|(node, kills)| words::evidence::kills(language, &kills, &node))
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    })
}

/// A service died inside a window, or had died before one and was started again.
pub(in crate::report) fn service_died(language: Language, cells: &[CellView]) -> Vec<Finding> {
    by_variant(language, cells, FindingKind::ServiceDied, |cell| {
        let mut parts = Vec::new();
        for repetition in &cell.repetitions {
            for gate in &repetition.gates {
                match gate {
                    Gate::ServiceDied { service } => {
                        parts.push(words::evidence::died(language, service, &repetition.round));
                    }
                    Gate::ServiceRestarted { service, last_lines } => {
                        let last = last_lines.lines().rev().find(|line| !line.trim().is_empty());
                        let said = last
                            .map(|line| words::evidence::last_line(language, &line.trim()))
                            .unwrap_or_default();
                        parts.push(words::evidence::restarted(language, service, &repetition.round, &said));
                    }
                    _ => {}
                }
            }
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    })
}
