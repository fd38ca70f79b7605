//! Nodes and services of one variant: groups expanded, defaults filled in, services switched on and off. Relations come after.

use indexmap::IndexMap;

use crate::model::parameter::ParameterValue;
use crate::model::topology::Node;
use crate::model::topology::Service;
use crate::model::topology::Topology;
use crate::model::unit::ByteSize;
use crate::scenario::lower::Context;
use crate::scenario::lower::budget::budget_of;
use crate::scenario::lower::networks::networks_of;
use crate::scenario::path::Path;
use crate::scenario::problem::Complaint;
use crate::scenario::read;
use crate::scenario::read::Values;

/// Most nodes of a variant.
const NODES_MAX: u64 = 200;
/// The image of a node that names none.
const IMAGE: &str = "debian:bookworm";

/// Builds the topology, relations still empty.
pub(in crate::scenario) fn topology(context: &mut Context<'_, '_, '_>, values: &Values) -> Topology {
    let empty = Values::new();
    let defaults = read::map(values, "defaults").unwrap_or(&empty);
    let mut topology = Topology::default();
    let mut total = 0;
    for (group, node) in read::map(values, "nodes").unwrap_or(&empty) {
        let ParameterValue::Map(node) = node else { continue };
        let path = Path::of(&["nodes", group]);
        let count = read::count(node, "count").or_else(|| guess(context, &path));
        total += count.unwrap_or(1);
        if total > NODES_MAX {
            context.complain(&path, Complaint::new(format!("there are more than {NODES_MAX} nodes")));
            break;
        }
        if read::map(node, "services").is_none_or(IndexMap::is_empty) {
            let message = format!("node `{group}` has no services");
            context.complain(&path, Complaint::warning(message).allowed("`services:` says what runs on it"));
        }
        let names = match count {
            Some(count) => (1..=count).map(|number| format!("{group}{number}")).collect(),
            None => vec![group.clone()],
        };
        for name in names {
            if let Some(other) = topology.nodes.get(&name) {
                let message =
                    format!("there are two nodes `{name}`: one from `{}`, one from `{group}`", other.group);
                let allowed = "names that stay different when the members of a group are numbered";
                context.complain(&path, Complaint::new(message).allowed(allowed));
                continue;
            }
            let made = build(context, (&name, group), node, defaults);
            topology.nodes.insert(name, made);
        }
    }
    topology
}

/// A count for a group whose own could not be read, so that its members are not reported missing as well.
fn guess(context: &Context<'_, '_, '_>, path: &Path) -> Option<u64> {
    let written = context.tree.at(&path.key("count"))?.text()?;
    Some(written.parse().unwrap_or(2).clamp(1, 20))
}

fn build(
    context: &Context<'_, '_, '_>,
    (name, group): (&str, &str),
    values: &Values,
    defaults: &Values,
) -> Node {
    let either = |key: &str| values.get(key).or_else(|| defaults.get(key));
    let size = |key: &str| read::bytes(values, key).or_else(|| read::bytes(defaults, key));
    let empty = Values::new();
    let enabled = read::flag(values, "enabled").unwrap_or(true);
    let services =
        read::map(values, "services").unwrap_or(&empty).iter().filter_map(|(service, value)| match value {
            ParameterValue::Map(map) => {
                Some((service.clone(), build_service(context, service, map, enabled)))
            }
            _ => None,
        });
    let services: IndexMap<String, Service> = services.collect();
    Node {
        name: name.to_owned(),
        group: group.to_owned(),
        cpus: either("cpus")
            .and_then(|value| if let ParameterValue::Number(cpus) = value { Some(*cpus) } else { None }),
        memory: size("memory"),
        swap: size("swap").unwrap_or(ByteSize(0)),
        image: read::text(values, "image")
            .or_else(|| read::text(defaults, "image"))
            .unwrap_or_else(|| IMAGE.to_owned()),
        networks: networks_of(values, defaults),
        budget: budget_of(values, defaults, &services),
        packages: read::texts(values, "packages"),
        services,
    }
}

fn build_service(context: &Context<'_, '_, '_>, name: &str, values: &Values, node_enabled: bool) -> Service {
    let software = read::text(values, "software").unwrap_or_else(|| name.to_owned());
    let parameters = context.catalog.get(&software).map_or_else(IndexMap::new, |manifest| {
        manifest
            .parameters
            .keys()
            .filter_map(|parameter| Some((parameter.clone(), values.get(parameter)?.clone())))
            .collect()
    });
    Service {
        name: name.to_owned(),
        software,
        enabled: node_enabled && read::flag(values, "enabled").unwrap_or(true),
        parameters,
        relations: IndexMap::new(),
    }
}

/// Whether a list of services is switched on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::scenario) enum Switch {
    /// `enable:`
    On,
    /// `disable:`
    Off,
}

/// Switches the services a variant's `enable` and `disable` name. `path` is the variant's.
pub(in crate::scenario) fn toggle(
    context: &mut Context<'_, '_, '_>,
    topology: &mut Topology,
    variant: &Values,
    path: &Path,
) {
    for (key, switch) in [("enable", Switch::On), ("disable", Switch::Off)] {
        for (position, name) in read::texts(variant, key).iter().enumerate() {
            if let Err(complaint) = set(topology, name, switch) {
                context.complain(&path.key(key).index(position), complaint);
            }
        }
    }
}

fn set(topology: &mut Topology, reference: &str, switch: Switch) -> Result<(), Complaint> {
    let (node, service) = match reference.split_once('.') {
        Some((node, service)) => (node, Some(service)),
        None => (reference, None),
    };
    let members: Vec<String> = topology.members(node).map(|member| member.name.clone()).collect();
    if members.is_empty() {
        return Err(unknown_node(topology, node));
    }
    for member in members {
        let Some(member) = topology.nodes.get_mut(&member) else { continue };
        let Some(service) = service else {
            member.services.values_mut().for_each(|service| service.enabled = switch == Switch::On);
            continue;
        };
        service_of(member, &member.group, service)?;
        if let Some(found) = member.services.get_mut(service) {
            found.enabled = switch == Switch::On;
        }
    }
    Ok(())
}

/// What to say about a node that is not there.
pub(super) fn unknown_node(topology: &Topology, written: &str) -> Complaint {
    Complaint::new(format!("unknown node `{written}`")).among(written, node_names(topology))
}

/// A service of a node, which was written as `named`.
///
/// # Errors
/// What to say when it is not there.
pub(super) fn service_of<'a>(node: &'a Node, named: &str, service: &str) -> Result<&'a Service, Complaint> {
    node.services.get(service).ok_or_else(|| {
        Complaint::new(format!("node `{named}` has no service `{service}`"))
            .among(service, node.services.keys().map(String::as_str))
    })
}

/// Groups first, then the members that have names of their own, each once.
pub(super) fn node_names(topology: &Topology) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let groups = topology.nodes.values().map(|node| node.group.as_str());
    for name in groups.chain(topology.nodes.keys().map(String::as_str)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
