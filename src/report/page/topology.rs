//! The topology: each node with its address and size, its services and what they lead to.

use indexmap::IndexMap;

use crate::model::run::RunRecord;
use crate::model::topology::{Node, Service};
use crate::report::markdown::{Align, Table, code, text};
use crate::report::number;

/// A table of the nodes of all variants; where variants differ, each way is a row of its own.
pub(super) fn section(run: &RunRecord) -> String {
    let variants = &run.experiment.variants;
    let mut rows: IndexMap<Vec<String>, Vec<&str>> = IndexMap::new();
    for variant in variants.values() {
        for node in variant.topology.nodes.values() {
            rows.entry(describe(run, node)).or_default().push(&variant.name);
        }
    }
    let mut table = Table::new(&[
        ("Node", Align::Left),
        ("Address", Align::Left),
        ("CPUs", Align::Right),
        ("Memory", Align::Right),
        ("Services", Align::Left),
        ("In variants", Align::Left),
    ]);
    // The rows of one node stand together, in the order in which nodes first appear.
    let mut nodes: Vec<String> = rows.keys().map(|cells| cells[0].clone()).collect();
    let mut seen: Vec<String> = Vec::new();
    nodes.retain(|node| {
        let new = !seen.contains(node);
        seen.push(node.clone());
        new
    });
    for node in nodes {
        for (cells, names) in rows.iter().filter(|(cells, _)| cells[0] == node) {
            let whose = if names.len() == variants.len() {
                "all".to_owned()
            } else {
                names.iter().map(|name| code(name)).collect::<Vec<String>>().join(", ")
            };
            table.row(cells.iter().cloned().chain([whose]).collect());
        }
    }
    let mut section = format!("### Topology\n\n{}", table.write());
    for variant in variants.values() {
        let target = &variant.target;
        let line = format!("Requests go to {} through {}", code(&target.url), code(&target.node));
        if !section.contains(&line) {
            section.push_str(&format!("{line}.\n\n"));
        }
    }
    section
}

fn describe(run: &RunRecord, node: &Node) -> Vec<String> {
    let address = run.nodes.get(&node.name).map(|facts| facts.address.as_str()).unwrap_or_default();
    let services: Vec<String> = node.services.values().map(service).collect();
    vec![
        code(&node.name),
        if address.is_empty() { "—".to_owned() } else { code(address) },
        node.cpus.map_or_else(|| "no limit".to_owned(), number::plain),
        node.memory.map_or_else(|| "no limit".to_owned(), |size| size.to_string()),
        services.join(", "),
    ]
}

/// `` `nginx`:80 → `backend1.php-fpm` ``.
fn service(service: &Service) -> String {
    let port = service.port().map(|port| format!(":{port}")).unwrap_or_default();
    let targets: Vec<String> = service.relations.values().flatten().map(|to| code(&to.to_string())).collect();
    let arrow = if targets.is_empty() { String::new() } else { format!(" → {}", targets.join(" ")) };
    let stopped = if service.enabled { "" } else { " (stopped)" };
    let software = if service.software == service.name {
        String::new()
    } else {
        format!(" ({})", text(&service.software))
    };
    format!("{}{software}{port}{arrow}{stopped}", code(&service.name))
}
