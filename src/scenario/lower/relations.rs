//! What points to what: the text of a relation becomes the services it means.

use indexmap::IndexMap;

use crate::model::software::Relation;
use crate::model::software::RelationTarget;
use crate::model::topology::Node;
use crate::model::topology::Service;
use crate::model::topology::ServiceRef;
use crate::model::topology::Topology;
use crate::scenario::lower::Context;
use crate::scenario::lower::topology::node_names;
use crate::scenario::lower::topology::service_of;
use crate::scenario::lower::topology::unknown_node;
use crate::scenario::path::Path;
use crate::scenario::problem::Complaint;
use crate::scenario::problem::one_of;

/// Every relation of every service, disabled ends included: what cycles are looked for in.
pub(in crate::scenario) type Graph = IndexMap<ServiceRef, Vec<(String, ServiceRef)>>;

/// Resolves all relations into the topology, disabled ends left out, and gives the whole graph.
pub(in crate::scenario) fn relations(context: &mut Context<'_, '_, '_>, topology: &mut Topology) -> Graph {
    let mut graph = Graph::new();
    let mut found = Vec::new();
    for (node, service) in topology.services() {
        let Some(software) = context.catalog.get(&service.software) else { continue };
        let reference = ServiceRef::new(&node.name, &service.name);
        let path = Path::of(&["nodes", &node.group, "services", &service.name]);
        let mut edges = Vec::new();
        for (name, relation) in &software.relations {
            let here = path.key(name);
            let ends = resolve(context, topology, (node, relation), &here);
            edges.extend(ends.iter().map(|end| (name.clone(), end.clone())));
            if !ends.is_empty() {
                let running: Vec<ServiceRef> =
                    ends.iter().filter(|end| runs(topology, end)).cloned().collect();
                if running.is_empty() && service.enabled {
                    context.complain(&here, nobody_runs(name, relation, &ends));
                }
                found.push((reference.clone(), name.clone(), running));
            }
        }
        graph.insert(reference, edges);
    }
    for (reference, name, ends) in found {
        let service = topology
            .nodes
            .get_mut(&reference.node)
            .and_then(|node| node.services.get_mut(&reference.service));
        if let Some(service) = service {
            service.relations.insert(name, ends);
        }
    }
    graph
}

fn runs(topology: &Topology, reference: &ServiceRef) -> bool {
    topology.service(reference).is_some_and(|service| service.enabled)
}

fn nobody_runs(name: &str, relation: &Relation, ends: &[ServiceRef]) -> Complaint {
    let names: Vec<String> = ends.iter().map(ToString::to_string).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let message = format!("`{name}` leads only to what is disabled here: {}", one_of(&names));
    let complaint = if relation.required && relation.to == RelationTarget::Service {
        Complaint::new(message)
    } else {
        Complaint::warning(message)
    };
    complaint.allowed(relation.doc.clone())
}

/// The services one relation means; problems are complained about.
fn resolve(
    context: &mut Context<'_, '_, '_>,
    topology: &Topology,
    (node, relation): (&Node, &Relation),
    path: &Path,
) -> Vec<ServiceRef> {
    let Some(tree) = context.tree.at(path) else { return Vec::new() };
    let written: Vec<(Path, String)> = match tree.list() {
        Some(list) => list
            .iter()
            .enumerate()
            .filter_map(|(position, item)| Some((path.index(position), item.text()?.to_owned())))
            .collect(),
        None => tree.text().map(|text| (path.clone(), text.to_owned())).into_iter().collect(),
    };
    if relation.to == RelationTarget::Service && tree.list().is_some() {
        let complaint =
            Complaint::new("this leads to one service, not to a list").allowed(describe(relation));
        context.complain(path, complaint);
        return Vec::new();
    }
    let mut ends: Vec<ServiceRef> = Vec::new();
    for (here, text) in written {
        match reference(context, topology, (node, relation), &text) {
            Ok(found) => found.into_iter().for_each(|end| {
                if !ends.contains(&end) {
                    ends.push(end);
                }
            }),
            Err(complaint) => context.complain(&here, complaint),
        }
    }
    ends
}

/// What a relation may lead to, in words.
fn describe(relation: &Relation) -> String {
    let software: Vec<&str> = relation.software.iter().map(String::as_str).collect();
    let what = if software.is_empty() { String::new() } else { format!(" of {}", one_of(&software)) };
    match relation.to {
        RelationTarget::Service if relation.same_node => {
            format!("a service{what} on the same node ({})", relation.doc)
        }
        RelationTarget::Service => {
            format!("a service{what}: `service` on the same node, or `node.service` ({})", relation.doc)
        }
        RelationTarget::NodeGroup => {
            format!("`node`, `node.service` or a list of them, services{what} ({})", relation.doc)
        }
    }
}

/// The services a reference's text means.
///
/// # Errors
/// Unknown names, ambiguity, software the relation does not admit.
fn reference(
    context: &Context<'_, '_, '_>,
    topology: &Topology,
    (from, relation): (&Node, &Relation),
    text: &str,
) -> Result<Vec<ServiceRef>, Complaint> {
    let ends = match text.split_once('.') {
        Some((node, service)) => on_nodes(topology, node, service)?,
        None => bare(context, topology, (from, relation), text)?,
    };
    for end in &ends {
        let software = topology.service(end).map_or("", |service| service.software.as_str());
        if !admits(relation, software) {
            let message = format!("`{text}` is {software}, which this cannot lead to");
            let mut complaint = Complaint::new(message).allowed(describe(relation));
            complaint.nearest = candidates(topology, from, relation).into_iter().next();
            return Err(complaint);
        }
    }
    if relation.same_node && ends.iter().any(|end| end.node != from.name) {
        return Err(Complaint::new(format!("`{text}` is on another node")).allowed(describe(relation)));
    }
    if relation.to == RelationTarget::Service && ends.len() > 1 {
        let names: Vec<String> = ends.iter().map(ToString::to_string).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        return Err(Complaint::new(format!("`{text}` is ambiguous: it means {} services", names.len()))
            .allowed(format!("one of {}", one_of(&names))));
    }
    Ok(ends)
}

fn admits(relation: &Relation, software: &str) -> bool {
    relation.software.is_empty() || relation.software.iter().any(|admitted| admitted == software)
}

fn on_nodes(topology: &Topology, node: &str, service: &str) -> Result<Vec<ServiceRef>, Complaint> {
    let members: Vec<&Node> = topology.members(node).collect();
    if members.is_empty() {
        return Err(unknown_node(topology, node));
    }
    members
        .into_iter()
        .map(|member| {
            let found = service_of(member, node, service)?;
            Ok(ServiceRef::new(&member.name, &found.name))
        })
        .collect()
}

/// A name without a dot: a service of the same node, or a node with one service that is meant.
fn bare(
    context: &Context<'_, '_, '_>,
    topology: &Topology,
    (from, relation): (&Node, &Relation),
    text: &str,
) -> Result<Vec<ServiceRef>, Complaint> {
    let here = || from.services.get(text).map(|service| vec![ServiceRef::new(&from.name, &service.name)]);
    let members: Vec<&Node> = topology.members(text).collect();
    match relation.to {
        RelationTarget::Service => {
            if let Some(found) = here() {
                return Ok(found);
            }
        }
        RelationTarget::NodeGroup if members.is_empty() => {
            if let Some(found) = here() {
                return Ok(found);
            }
        }
        RelationTarget::NodeGroup => {}
    }
    if members.is_empty() {
        let mut known: Vec<&str> = Vec::new();
        if relation.to == RelationTarget::Service {
            known.extend(from.services.keys().map(String::as_str));
        }
        known.extend(node_names(topology));
        let complaint = Complaint::new(format!("unknown service or node `{text}`")).among(text, known);
        return Err(Complaint { allowed: Some(describe(relation)), ..complaint });
    }
    members.into_iter().map(|member| only_service(context, member, relation, text)).collect()
}

/// The one service of a node that a relation admits.
fn only_service(
    context: &Context<'_, '_, '_>,
    member: &Node,
    relation: &Relation,
    text: &str,
) -> Result<ServiceRef, Complaint> {
    let mut admitted: Vec<&Service> =
        member.services.values().filter(|service| admits(relation, &service.software)).collect();
    if admitted.len() > 1 && relation.software.is_empty() {
        admitted = in_front(context, member, admitted);
    }
    match admitted.as_slice() {
        [service] => Ok(ServiceRef::new(&member.name, &service.name)),
        [] => Err(Complaint::new(format!("node `{text}` has no service that this can lead to"))
            .allowed(describe(relation))),
        several => {
            let names: Vec<String> =
                several.iter().map(|service| format!("{text}.{}", service.name)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            Err(Complaint::new(format!(
                "`{text}` is ambiguous: {} of its services could be meant",
                names.len()
            ))
            .allowed(format!("one of {}", one_of(&names))))
        }
    }
}

/// Where any software is admitted, a node means what stands in front: what has a process and is not pointed to by another
/// service of the node that has one.
fn in_front<'a>(
    context: &Context<'_, '_, '_>,
    member: &Node,
    admitted: Vec<&'a Service>,
) -> Vec<&'a Service> {
    let has_process = |service: &Service| {
        context.catalog.get(&service.software).is_some_and(|software| software.service.is_some())
    };
    let front: Vec<&Service> = admitted
        .iter()
        .copied()
        .filter(|service| has_process(service))
        .filter(|service| {
            let mut others =
                member.services.values().filter(|other| other.name != service.name && has_process(other));
            !others.any(|other| points_to(context, member, other, &service.name))
        })
        .collect();
    if front.is_empty() { admitted } else { front }
}

/// Whether a service names another one of its node in a relation.
fn points_to(context: &Context<'_, '_, '_>, member: &Node, service: &Service, other: &str) -> bool {
    let path = Path::of(&["nodes", &member.group, "services", &service.name]);
    let relations =
        context.catalog.get(&service.software).into_iter().flat_map(|software| software.relations.keys());
    relations.filter_map(|name| context.tree.at(&path.key(name))?.text()).any(|text| {
        text == other
            || text == format!("{}.{other}", member.group)
            || text == format!("{}.{other}", member.name)
    })
}

/// Names that would be right.
fn candidates(topology: &Topology, from: &Node, relation: &Relation) -> Vec<String> {
    let same_node = relation.to == RelationTarget::Service;
    let mut names = Vec::new();
    for (node, service) in topology.services().filter(|(_, service)| admits(relation, &service.software)) {
        if node.name == from.name && same_node {
            names.insert(0, service.name.clone());
        } else if node.name != from.name && !relation.same_node {
            let node = if same_node { &node.name } else { &node.group };
            names.push(format!("{node}.{}", service.name));
        }
    }
    names
}
