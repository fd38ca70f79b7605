//! What the machines did: CPU, memory and workers of each node, and CPU promised against CPU there.

use crate::model::experiment::Language;
use crate::report::analysis::Analysis;
use crate::report::input::ReportInput;
use crate::report::markdown::{Align, Table, code, text};
use crate::report::number;
use crate::report::rule;
use crate::report::usage::{NodeUse, ServiceUse};
use crate::report::words;
use crate::report::words::machines;

/// The section.
pub(super) fn section(input: &ReportInput, analysis: &Analysis) -> String {
    let language = analysis.language;
    let mut section = format!(
        "## {}\n\n### {}\n\n{}### {}\n\n",
        machines::heading(language),
        machines::promised_heading(language),
        promised(language, input),
        machines::use_heading(language)
    );
    let uses = &analysis.node_use;
    let note = if uses.is_empty() { machines::no_telemetry } else { machines::use_note };
    section.push_str(&format!("{}{}\n\n", used(language, uses), note(language)));
    section
}

fn promised(language: Language, input: &ReportInput) -> String {
    let there = input.run.host.cpus;
    let none = || machines::none(language).to_owned();
    let mut table = Table::new(&[
        (words::variant(language), Align::Left),
        (machines::nodes(language), Align::Right),
        (machines::promised(language), Align::Right),
        (machines::there(language), Align::Right),
    ]);
    for variant in input.run.experiment.variants.values() {
        let unlimited = variant.topology.nodes.values().filter(|node| node.cpus.is_none()).count();
        let promised = rule::promised_cores(variant).map_or_else(none, number::plain);
        table.row(vec![
            code(&variant.name),
            variant.topology.nodes.len().to_string(),
            match unlimited {
                0 => promised,
                _ => machines::and_unlimited(language, &promised, &unlimited),
            },
            if there == 0 { number::NONE.to_owned() } else { there.to_string() },
        ]);
    }
    table.write()
}

fn used(language: Language, uses: &[NodeUse]) -> String {
    let mut table = Table::new(&[
        (words::level(language), Align::Right),
        (words::variant(language), Align::Left),
        (machines::node(language), Align::Left),
        (machines::used(language), Align::Right),
        (machines::limit(language), Align::Right),
        (machines::throttled(language), Align::Right),
        (machines::peak_memory(language), Align::Right),
        (machines::limit(language), Align::Right),
        (machines::oom_kills(language), Align::Right),
        (machines::busy_workers(language), Align::Left),
    ]);
    let none = || machines::none(language).to_owned();
    for node in uses {
        let services: Vec<String> = node.services.iter().map(|service| workers(language, service)).collect();
        table.row(vec![
            text(&node.level),
            code(&node.variant),
            code(&node.node),
            number::optional(node.cpu_cores, number::rate),
            node.cpu_limit_cores.map_or_else(none, number::plain),
            number::optional(node.throttled_share, number::percent),
            number::optional(node.memory_peak_bytes, number::mebibytes),
            node.memory_limit_bytes.map_or_else(none, number::mebibytes),
            node.oom_kills.to_string(),
            if services.is_empty() { "—".to_owned() } else { services.join(", ") },
        ]);
    }
    table.write()
}

fn workers(language: Language, service: &ServiceUse) -> String {
    let all = |workers| machines::of_workers(language, &number::plain(workers));
    let of = service.workers.map(all).unwrap_or_default();
    format!(
        "{} {} / {}{of}",
        code(&service.service),
        number::rate(service.busy_workers_mean),
        number::plain(service.busy_workers_max)
    )
}
