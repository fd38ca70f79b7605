//! What the machines did: CPU, memory and workers of each node, and CPU promised against CPU there.

use crate::report::analysis::Analysis;
use crate::report::input::ReportInput;
use crate::report::markdown::{Align, Table, code, text};
use crate::report::number;
use crate::report::rule;
use crate::report::usage::{NodeUse, ServiceUse};

/// The section.
pub(super) fn section(input: &ReportInput, analysis: &Analysis) -> String {
    let mut section = "## Machines\n\n### CPU promised and CPU there\n\n".to_owned();
    section.push_str(&promised(input));
    section.push_str("### Use inside the windows\n\n");
    if analysis.node_use.is_empty() {
        section.push_str("No telemetry was recorded.\n\n");
    } else {
        section.push_str(&used(&analysis.node_use));
        section.push_str(
            "All repetitions together. *Throttled* is the time the CPU limit held the node's processes back, over the time of \
             the windows. *Busy workers*: mean and most of the samples, of how many there are.\n\n",
        );
    }
    section
}

fn promised(input: &ReportInput) -> String {
    let there = input.run.host.cpus;
    let mut table = Table::new(&[
        ("Variant", Align::Left),
        ("Nodes", Align::Right),
        ("CPUs promised", Align::Right),
        ("CPUs of the host", Align::Right),
    ]);
    for variant in input.run.experiment.variants.values() {
        let unlimited = variant.topology.nodes.values().filter(|node| node.cpus.is_none()).count();
        let promised = rule::promised_cores(variant).map_or_else(|| "none".to_owned(), number::plain);
        table.row(vec![
            code(&variant.name),
            variant.topology.nodes.len().to_string(),
            if unlimited == 0 { promised } else { format!("{promised}, and {unlimited} without a limit") },
            if there == 0 { number::NONE.to_owned() } else { there.to_string() },
        ]);
    }
    table.write()
}

fn used(uses: &[NodeUse]) -> String {
    let mut table = Table::new(&[
        ("Level", Align::Right),
        ("Variant", Align::Left),
        ("Node", Align::Left),
        ("CPUs used", Align::Right),
        ("Limit", Align::Right),
        ("Throttled", Align::Right),
        ("Peak memory", Align::Right),
        ("Limit", Align::Right),
        ("OOM kills", Align::Right),
        ("Busy workers", Align::Left),
    ]);
    for node in uses {
        let services: Vec<String> = node.services.iter().map(workers).collect();
        table.row(vec![
            text(&node.level),
            code(&node.variant),
            code(&node.node),
            number::optional(node.cpu_cores, number::rate),
            node.cpu_limit_cores.map_or_else(|| "none".to_owned(), number::plain),
            number::optional(node.throttled_share, number::percent),
            number::optional(node.memory_peak_bytes, number::mebibytes),
            node.memory_limit_bytes.map_or_else(|| "none".to_owned(), number::mebibytes),
            node.oom_kills.to_string(),
            if services.is_empty() { "—".to_owned() } else { services.join(", ") },
        ]);
    }
    table.write()
}

fn workers(service: &ServiceUse) -> String {
    let of = service.workers.map(|workers| format!(" of {}", number::plain(workers))).unwrap_or_default();
    format!(
        "{} {} / {}{of}",
        code(&service.service),
        number::rate(service.busy_workers_mean),
        number::plain(service.busy_workers_max)
    )
}
