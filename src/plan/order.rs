//! In which order services start: what is pointed to first, else as the scenario has them.

use std::collections::BTreeSet;

use crate::model::topology::{ServiceRef, Topology};
use crate::plan::error::PlanError;

/// All services so that every one comes after those it points to; the scenario's order breaks ties.
///
/// # Errors
/// [`PlanError::Ring`] names the services that point to each other.
pub(super) fn start_order(topology: &Topology) -> Result<Vec<ServiceRef>, PlanError> {
    let mut waiting: Vec<ServiceRef> =
        topology.services().map(|(node, service)| ServiceRef::new(&node.name, &service.name)).collect();
    let mut placed: BTreeSet<ServiceRef> = BTreeSet::new();
    let mut order = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let free = |one: &ServiceRef| needs(topology, one).all(|needed| placed.contains(needed));
        let Some(next) = waiting.iter().position(free) else {
            return Err(PlanError::Ring { ring: ring(topology, &waiting) });
        };
        let next = waiting.remove(next);
        placed.insert(next.clone());
        order.push(next);
    }
    Ok(order)
}

/// The services it points to, those that exist. A service that points to itself waits for nobody.
fn needs<'a>(topology: &'a Topology, reference: &ServiceRef) -> impl Iterator<Item = &'a ServiceRef> {
    let relations = topology.service(reference).map(|service| &service.relations);
    let itself = reference.clone();
    relations
        .into_iter()
        .flat_map(|relations| relations.values().flatten())
        .filter(move |target| **target != itself && topology.service(target).is_some())
}

/// Follows relations among services none of which can start until one comes up again.
fn ring(topology: &Topology, waiting: &[ServiceRef]) -> Vec<String> {
    let mut path: Vec<ServiceRef> = waiting.first().into_iter().cloned().collect();
    while let Some(last) = path.last() {
        let Some(next) = needs(topology, last).find(|needed| waiting.contains(needed)) else { break };
        let seen = path.iter().position(|one| one == next);
        path.push(next.clone());
        if let Some(start) = seen {
            path.drain(..start);
            break;
        }
    }
    path.iter().map(ToString::to_string).collect()
}
