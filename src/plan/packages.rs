//! What a node must have installed, and what must be asked of it.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use crate::catalog::Catalog;
use crate::model::software::Software;
use crate::model::topology::Node;

/// The node's own packages and those of its services, disabled ones too: sorted, each once. A disabled service may be
/// enabled by the next variant, and installing then would be measured.
#[must_use]
pub fn packages(node: &Node, catalog: &Catalog) -> Vec<String> {
    let of_services =
        software(node, catalog).filter_map(|software| software.packages.get("debian")).flatten();
    let all: BTreeSet<&String> = node.packages.iter().chain(of_services).collect();
    all.into_iter().cloned().collect()
}

/// The fact scripts of the node's services by name. Two software folders that ask for the same name are expected to
/// mean the same: the first one's script is taken.
#[must_use]
pub fn fact_scripts(node: &Node, catalog: &Catalog) -> IndexMap<String, String> {
    let mut scripts = IndexMap::new();
    for (name, script) in software(node, catalog).flat_map(|software| &software.facts) {
        scripts.entry(name.clone()).or_insert_with(|| script.clone());
    }
    scripts
}

fn software<'a>(node: &'a Node, catalog: &'a Catalog) -> impl Iterator<Item = &'a Software> {
    node.services.values().filter_map(|service| catalog.get(&service.software))
}
