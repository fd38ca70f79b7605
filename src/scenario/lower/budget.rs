//! How a node's memory is meant to be divided: every name must be a service of it, and the sum must fit.

use indexmap::IndexMap;

use crate::model::parameter::ParameterValue;
use crate::model::topology::Node;
use crate::model::topology::Service;
use crate::model::topology::Topology;
use crate::model::unit::ByteSize;
use crate::scenario::lower::Context;
use crate::scenario::path::Path;
use crate::scenario::problem::Complaint;
use crate::scenario::read;
use crate::scenario::read::Values;

/// The name of what is left to everything that is no service of ours.
const SYSTEM: &str = "system";

/// The budget of a node: its own, else what the defaults say about services that it has.
pub(super) fn budget_of(
    node: &Values,
    defaults: &Values,
    services: &IndexMap<String, Service>,
) -> IndexMap<String, ByteSize> {
    let own = read::map(node, "budget");
    let written = own.or_else(|| read::map(defaults, "budget")).into_iter().flatten();
    written
        .filter(|(name, _)| own.is_some() || known(services, name))
        .filter_map(|(name, size)| match size {
            ParameterValue::Bytes(size) => Some((name.clone(), *size)),
            _ => None,
        })
        .collect()
}

fn known(services: &IndexMap<String, Service>, name: &str) -> bool {
    name == SYSTEM || services.contains_key(name)
}

/// Complains about names that are no services and budgets that are larger than the memory.
pub(in crate::scenario) fn budgets(context: &mut Context<'_, '_, '_>, values: &Values, topology: &Topology) {
    let nodes = read::map(values, "nodes");
    let defaults = Path::of(&["defaults", "budget"]);
    let mut groups: IndexMap<&str, &Node> = IndexMap::new();
    for node in topology.nodes.values() {
        groups.entry(&node.group).or_insert(node);
    }
    for (group, node) in &groups {
        let own = nodes.and_then(|nodes| read::map(nodes, group)).and_then(|node| read::map(node, "budget"));
        let path = Path::of(&["nodes", group, "budget"]);
        if let Some(own) = own {
            names(context, own, &[*node], &path);
        }
        sum(context, node, if own.is_some() { &path } else { &defaults });
    }
    if let Some(budget) = read::map(values, "defaults").and_then(|values| read::map(values, "budget")) {
        let all: Vec<&Node> = groups.into_values().collect();
        names(context, budget, &all, &defaults);
    }
}

/// Names of a budget that no node it is for has.
fn names(context: &mut Context<'_, '_, '_>, budget: &Values, nodes: &[&Node], path: &Path) {
    for name in budget.keys().filter(|name| !nodes.iter().any(|node| known(&node.services, name))) {
        let here = path.key(name);
        let whose = match nodes {
            [node] => format!("node `{}` has no service `{name}`", node.group),
            _ => format!("no node has a service `{name}`"),
        };
        let mut services = vec![SYSTEM];
        for service in nodes.iter().flat_map(|node| node.services.keys()) {
            if !services.contains(&service.as_str()) {
                services.push(service);
            }
        }
        let complaint = Complaint::new(format!("a budget for nobody: {whose}")).among(name, services);
        context.problems.add(&context.tree.locate_key(&here), &here, complaint);
    }
}

fn sum(context: &mut Context<'_, '_, '_>, node: &Node, path: &Path) {
    let sum = node.budget.values().fold(0_u64, |sum, size| sum.saturating_add(size.bytes()));
    let Some(memory) = node.memory.filter(|memory| sum > memory.bytes()) else { return };
    let message = format!("the budget of node `{}` is {} of a memory of {memory}", node.group, ByteSize(sum));
    context.complain(path, Complaint::new(message).allowed(format!("together no more than {memory}")));
}
