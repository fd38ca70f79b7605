//! What only the whole topology shows: ports taken twice on a node, circles of references, refused combinations.

use std::collections::BTreeMap;

use crate::model::parameter::ParameterValue;
use crate::model::software::Conflict;
use crate::model::software::Software;
use crate::model::topology::Node;
use crate::model::topology::Service;
use crate::model::topology::ServiceRef;
use crate::model::topology::Topology;
use crate::scenario::lower::Context;
use crate::scenario::lower::relations::Graph;
use crate::scenario::path::Path;
use crate::scenario::problem::Complaint;
use crate::scenario::scalar;
use crate::scenario::software::shape;
use crate::scenario::tree::Tree;
use crate::scenario::tree::Value;

/// Complains about all of them.
pub(in crate::scenario) fn clashes(context: &mut Context<'_, '_, '_>, topology: &Topology, graph: Graph) {
    for node in topology.nodes.values() {
        ports(context, node);
        for service in node.services.values() {
            conflicts(context, node, service);
        }
    }
    cycles(context, topology, graph);
}

/// Every port in a service's parameters with the path to it.
pub(super) fn ports_of(service: &Service, path: &Path) -> Vec<(u16, Path)> {
    let mut found = Vec::new();
    for (name, value) in &service.parameters {
        collect(value, &path.key(name), &mut found);
    }
    found
}

fn collect(value: &ParameterValue, path: &Path, found: &mut Vec<(u16, Path)>) {
    match value {
        ParameterValue::Port(port) => found.push((*port, path.clone())),
        ParameterValue::List(list) => {
            list.iter().enumerate().for_each(|(position, item)| collect(item, &path.index(position), found));
        }
        ParameterValue::Map(map) => map.iter().for_each(|(key, item)| collect(item, &path.key(key), found)),
        _ => {}
    }
}

fn ports(context: &mut Context<'_, '_, '_>, node: &Node) {
    let mut taken: BTreeMap<u16, String> = BTreeMap::new();
    for service in node.services.values().filter(|service| service.enabled) {
        let path = Path::of(&["nodes", &node.group, "services", &service.name]);
        for (port, here) in ports_of(service, &path) {
            let inside = Path(here.0[path.0.len()..].to_vec());
            let name = format!("`{}` ({inside})", service.name);
            match taken.get(&port) {
                Some(first) => {
                    let message = format!(
                        "port {port} on node `{}` is taken twice: by {first} and by {name}",
                        node.group
                    );
                    context.complain(&here, Complaint::new(message).allowed("each port once a node"));
                }
                None => {
                    taken.insert(port, name);
                }
            }
        }
    }
}

fn conflicts(context: &mut Context<'_, '_, '_>, node: &Node, service: &Service) {
    let Some(software) = context.catalog.get(&service.software) else { return };
    for conflict in software.conflicts.iter().filter(|conflict| holds(conflict, software, service)) {
        let path = Path::of(&["nodes", &node.group, "services", &service.name]);
        let parameters: Vec<String> = conflict.when.keys().map(|name| format!("`{name}`")).collect();
        let given = conflict.when.keys().rev().find(|name| context.tree.at(&path.key(name)).is_some());
        let here = given.map_or(path.clone(), |name| path.key(name));
        let message =
            format!("{} cannot stand together like this in `{}`", parameters.join(" and "), service.name);
        context.complain(&here, Complaint::new(message).allowed(conflict.reason.clone()));
    }
}

/// Whether every parameter of a conflict has the value it names.
fn holds(conflict: &Conflict, software: &Software, service: &Service) -> bool {
    conflict.when.iter().all(|(name, value)| {
        let wanted = Tree::from_yaml(value);
        let given = service.parameters.get(name);
        match (&wanted.value, software.parameters.get(name)) {
            (_, Some(_)) if wanted.is_null() => given.is_none(),
            (Value::Scalar(wanted), Some(parameter)) => {
                scalar::read(wanted, &shape(name, parameter)).is_ok_and(|wanted| given == Some(&wanted))
            }
            _ => false,
        }
    })
}

/// Finds each circle of references: what is left after everything that leads nowhere was taken away, again and again.
fn cycles(context: &mut Context<'_, '_, '_>, topology: &Topology, mut graph: Graph) {
    loop {
        prune(&mut graph);
        let Some(start) = graph.keys().next().cloned() else { return };
        let mut walk: Vec<(ServiceRef, String)> = Vec::new();
        let mut at = start;
        let circle = loop {
            if let Some(position) = walk.iter().position(|(seen, _)| *seen == at) {
                break walk.split_off(position);
            }
            let Some((relation, next)) = graph.get(&at).and_then(|edges| edges.first()).cloned() else {
                return;
            };
            walk.push((at, relation));
            at = next;
        };
        complain_circle(context, topology, &circle);
        for (reference, _) in &circle {
            graph.shift_remove(reference);
        }
    }
}

/// Takes away services that point to nothing any more, until none is left.
fn prune(graph: &mut Graph) {
    loop {
        let known: std::collections::BTreeSet<ServiceRef> = graph.keys().cloned().collect();
        for edges in graph.values_mut() {
            edges.retain(|(_, end)| known.contains(end));
        }
        let before = graph.len();
        graph.retain(|_, edges| !edges.is_empty());
        if graph.len() == before {
            return;
        }
    }
}

fn complain_circle(context: &mut Context<'_, '_, '_>, topology: &Topology, circle: &[(ServiceRef, String)]) {
    let name = |reference: &ServiceRef| {
        let group = topology.nodes.get(&reference.node).map_or(reference.node.as_str(), |node| &node.group);
        (group.to_owned(), format!("{group}.{}", reference.service))
    };
    let Some(least) = (0..circle.len()).min_by_key(|position| name(&circle[*position].0).1) else { return };
    let ordered: Vec<&(ServiceRef, String)> = circle[least..].iter().chain(&circle[..least]).collect();
    let mut names: Vec<String> = ordered.iter().map(|(reference, _)| name(reference).1).collect();
    names.push(names[0].clone());
    let (reference, relation) = ordered[0];
    let path = Path::of(&["nodes", &name(reference).0, "services", &reference.service, relation]);
    let message = format!("these references go in a circle: {}", names.join(" → "));
    context.complain(
        &path,
        Complaint::new(message).allowed("references that end somewhere: what is pointed to starts first"),
    );
}
