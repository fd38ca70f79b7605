//! Who is on which network: the clients must reach the target, and references lead over the private network only.

use crate::model::parameter::ParameterValue;
use crate::model::topology::Network;
use crate::model::topology::Node;
use crate::model::topology::Topology;
use crate::scenario::lower::Context;
use crate::scenario::path::Path;
use crate::scenario::problem::Complaint;
use crate::scenario::problem::one_of;
use crate::scenario::read;
use crate::scenario::read::Values;

/// The networks of a node, its own or the defaults', each once and `public` first.
pub(super) fn networks_of(node: &Values, defaults: &Values) -> Vec<Network> {
    let written = [node, defaults].map(|values| read::list(values, "networks"));
    let written = written.into_iter().find(|list| !list.is_empty()).unwrap_or_default();
    let mut networks: Vec<Network> = written.iter().filter_map(network).collect();
    networks.sort_unstable();
    networks.dedup();
    if networks.is_empty() { vec![Network::default()] } else { networks }
}

fn network(value: &ParameterValue) -> Option<Network> {
    let ParameterValue::Choice(word) = value else { return None };
    [Network::Public, Network::Private].into_iter().find(|network| network.name() == word)
}

/// Complains about networks named twice, a target no client reaches and references between nodes that do not meet.
pub(in crate::scenario) fn networks(context: &mut Context<'_, '_, '_>, values: &Values, topology: &Topology) {
    repetitions(context, read::map(values, "defaults"), &Path::of(&["defaults"]));
    for (name, node) in read::map(values, "nodes").into_iter().flatten() {
        let node = if let ParameterValue::Map(node) = node { Some(node) } else { None };
        repetitions(context, node, &Path::of(&["nodes", name]));
    }
    let target = read::map(values, "target").and_then(|target| read::text(target, "node"));
    if let Some(Err(complaint)) = target.map(|target| reached(topology, &target)) {
        context.complain(&Path::of(&["target", "node"]), complaint);
    }
    references(context, topology);
}

fn repetitions(context: &mut Context<'_, '_, '_>, values: Option<&Values>, path: &Path) {
    let list = values.map(|values| read::list(values, "networks")).unwrap_or_default();
    for (position, value) in list.iter().enumerate() {
        let Some(network) = network(value).filter(|_| list[..position].contains(value)) else { continue };
        let complaint = Complaint::new(format!("the network `{}` is named twice", network.name()));
        context.complain(&path.key("networks").index(position), complaint.allowed("each network once"));
    }
}

/// Whether clients reach a node, or every member of a group.
///
/// # Errors
/// Which one is not where the clients are, and the remedy.
pub(super) fn reached(topology: &Topology, name: &str) -> Result<(), Complaint> {
    let public = |node: &&Node| node.networks.contains(&Network::Public);
    let there: Vec<&str> = topology.nodes.values().filter(public).map(|node| node.group.as_str()).collect();
    let hidden = topology.members(name).find(|node| !public(node));
    let Some(hidden) = hidden.filter(|_| !there.is_empty()) else { return Ok(()) };
    let mut there = there;
    there.dedup();
    let message = format!("clients do not reach `{name}`: they are on the network `public`, and it is not");
    Err(Complaint::new(message).allowed(format!(
        "`networks: [public, private]` on node `{}`, or a node that is there: {}",
        hidden.group,
        one_of(&there)
    )))
}

/// References between nodes of which one is not on the private network.
fn references(context: &mut Context<'_, '_, '_>, topology: &Topology) {
    let private = |node: &Node| node.networks.contains(&Network::Private);
    for (node, service) in topology.services().filter(|(_, service)| service.enabled) {
        for (relation, ends) in &service.relations {
            let ends = ends.iter().filter_map(|end| topology.nodes.get(&end.node));
            for end in ends.filter(|end| end.name != node.name) {
                let mut absent: Vec<&str> = [node, end]
                    .into_iter()
                    .filter(|node| !private(node))
                    .map(|node| node.group.as_str())
                    .collect();
                absent.dedup();
                if absent.is_empty() {
                    continue;
                }
                let message = format!(
                    "node `{}` leads to node `{}` over the network `private`, which {} not on",
                    node.group,
                    end.group,
                    match absent.as_slice() {
                        [one] => format!("`{one}` is"),
                        _ => "neither is".to_owned(),
                    }
                );
                let remedy = format!("`private` among the `networks` of {}", one_of(&absent));
                let path = Path::of(&["nodes", &node.group, "services", &service.name, relation]);
                context.complain(&path, Complaint::new(message).allowed(remedy));
            }
        }
    }
}
