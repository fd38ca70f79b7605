//! What `plan` says before anything is touched: nodes, packages, services in start order, worker sums, the CPU promised
//! and the expected time. It renders nothing, since addresses and facts are not known yet.

use std::time::Duration;

use crate::catalog::Catalog;
use crate::model::experiment::{Action, Experiment, Order, Variant};
use crate::model::load::Extent;
use crate::model::parameter::{ParameterValue, WorkerCount};
use crate::model::topology::{Network, Node, Service, ServiceRef, Topology};
use crate::model::unit::{ByteSize, show_duration};
use crate::plan::estimate::{ANSWERS_PER_CONNECTION, estimate};
use crate::plan::order::start_order;
use crate::plan::packages::packages;

/// The plan in words, one line each.
#[must_use]
pub fn explain(experiment: &Experiment, catalog: &Catalog) -> Vec<String> {
    let mut lines = vec![format!("{}: {}", experiment.name, experiment.title)];
    lines.extend(time(experiment));
    let mut before: Vec<&Variant> = Vec::new();
    for variant in experiment.variants.values() {
        lines.push(String::new());
        lines.push(format!("variant {}: {}", variant.name, variant.title));
        match before.iter().find(|earlier| earlier.topology == variant.topology) {
            Some(same) => lines.push(format!("  nodes and services as in {}", same.name)),
            None => topology(&mut lines, variant, &before, catalog),
        }
        lines.extend(variant.actions.iter().map(action));
        before.push(variant);
    }
    lines
}

fn action(action: &Action) -> String {
    let arguments: Vec<String> =
        action.arguments.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    let when = action.at_s.map_or("then".to_owned(), |at_s| {
        format!("{} into every window,", show_duration(Duration::from_secs_f64(at_s)))
    });
    format!("  {when} on {}: {}.{}{}", action.node, action.service, action.action, arguments.concat())
}

fn time(experiment: &Experiment) -> Vec<String> {
    let levels: usize = experiment.variants.values().map(|variant| variant.load.levels.len()).sum();
    let order = match experiment.order {
        Order::Random => "in random order",
        Order::Sequential => "in the order written, which mixes drift into the comparison",
    };
    let mut lines = vec![
        format!(
            "{} × {}, {order}: {}",
            counted(experiment.repeat as usize, "round"),
            counted(levels, "cell"),
            counted(levels * experiment.repeat as usize, "measurement"),
        ),
        format!("measuring takes about {}, making nodes not counted", show_duration(estimate(experiment))),
    ];
    let mut all = experiment.variants.values().flat_map(|variant| &variant.load.levels);
    if all.any(|level| matches!(level.extent, Extent::Requests(_))) {
        lines.push(format!(
            "(levels that count requests are taken to get {ANSWERS_PER_CONNECTION} answers a second on each connection)"
        ));
    }
    lines
}

fn topology(lines: &mut Vec<String>, variant: &Variant, before: &[&Variant], catalog: &Catalog) {
    let topology = &variant.topology;
    let order = match start_order(topology) {
        Ok(order) => order,
        Err(error) => {
            lines.push(format!("  cannot start: {error}"));
            topology.services().map(|(node, service)| ServiceRef::new(&node.name, &service.name)).collect()
        }
    };
    for node in topology.nodes.values() {
        let same = before.iter().find(|earlier| earlier.topology.nodes.get(&node.name) == Some(node));
        if let Some(same) = same {
            lines.push(format!("  node {}: as in {}", node.name, same.name));
            continue;
        }
        lines.push(format!("  node {}: {}{}", node.name, size(node), networks(node, topology)));
        lines.extend(budget(node));
        let packages = packages(node, catalog);
        if !packages.is_empty() {
            lines.push(format!("    packages {}", packages.join(" ")));
        }
        for reference in order.iter().filter(|reference| reference.node == node.name) {
            if let Some(one) = topology.service(reference) {
                service(lines, one, catalog);
            }
        }
    }
    lines.push(format!("  {}", promised(topology)));
}

fn size(node: &Node) -> String {
    let cpus = node.cpus.map_or("all CPUs of the host".to_owned(), |cpus| format!("{cpus} CPU"));
    let memory = node.memory.map_or("no memory limit".to_owned(), |memory| memory.to_string());
    let swap = if node.swap > ByteSize(0) { format!(", {} swap", node.swap) } else { String::new() };
    format!("{cpus}, {memory}{swap}, {}", node.image)
}

/// The networks of a node, where nodes differ in them.
fn networks(node: &Node, topology: &Topology) -> String {
    if topology.nodes.values().all(|other| other.networks == [Network::Private]) {
        return String::new();
    }
    let names: Vec<&str> = node.networks.iter().map(|network| network.name()).collect();
    format!(", on {}", names.join(" and "))
}

/// The division of a node's memory, and what nobody is given of it.
fn budget(node: &Node) -> Option<String> {
    let parts: Vec<String> = node.budget.iter().map(|(name, size)| format!("{name} {size}")).collect();
    let rest = node.memory.map_or_else(String::new, |memory| {
        let given: u64 = node.budget.values().map(|size| size.bytes()).sum();
        format!("; {} is left", ByteSize(memory.bytes().saturating_sub(given)))
    });
    (!parts.is_empty()).then(|| format!("    memory: {}{rest}", parts.join(", ")))
}

fn service(lines: &mut Vec<String>, service: &Service, catalog: &Catalog) {
    let mut words = Vec::new();
    if service.software != service.name {
        words.push(format!("software {}", service.software));
    }
    let ports: Vec<String> = service
        .parameters
        .values()
        .filter_map(
            |value| if let ParameterValue::Port(port) = value { Some(port.to_string()) } else { None },
        )
        .collect();
    if !ports.is_empty() {
        words.push(format!("port {}", ports.join(" and ")));
    }
    if let Some(software) = catalog.get(&service.software) {
        words.push(counted(software.files.len(), "file"));
        if !software.steps.is_empty() {
            words.push(counted(software.steps.len(), "step"));
        }
        if software.service.is_none() {
            words.push("no process".to_owned());
        }
    }
    for (name, targets) in service.relations.iter().filter(|(_, targets)| !targets.is_empty()) {
        let targets: Vec<String> = targets.iter().map(ToString::to_string).collect();
        words.push(format!("{name} → {}", targets.join(", ")));
    }
    let state = if service.enabled { "" } else { " (stopped)" };
    lines.push(format!("    {}{state}: {}", service.name, words.join("; ")));
    for (name, value) in &service.parameters {
        if let ParameterValue::Workers(WorkerCount::Budget { budget, worker, workers }) = value {
            lines.push(format!(
                "      {name}: {budget} / {worker} = {}",
                counted(*workers as usize, "worker")
            ));
        }
    }
}

/// The CPU limits added up; nodes without a limit make the sum meaningless, and that is said.
fn promised(topology: &Topology) -> String {
    let sum: f64 = topology.nodes.values().filter_map(|node| node.cpus).sum();
    let unlimited = topology.nodes.values().filter(|node| node.cpus.is_none()).count();
    let nodes = counted(topology.nodes.len(), "node");
    let sum = (sum * 100.0).round() / 100.0;
    match unlimited {
        0 => format!("CPU promised: {sum} cores to {nodes}"),
        _ => format!("CPU promised: {sum} cores, and {} of {nodes} without a limit", unlimited),
    }
}

fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
