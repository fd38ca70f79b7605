//! What services are for, as their software folders show: one with members shares requests, one that counts hits caches,
//! one that keeps data is a database.

use indexmap::IndexMap;

use crate::catalog::Catalog;
use crate::model::experiment::Experiment;
use crate::model::run::ServiceRole;
use crate::model::software::Software;

/// The telemetry value a cache is known by.
const CACHE_HITS: &str = "cache_hits";

/// Roles by `node.service`, over all variants; services whose folder shows none are left out.
#[must_use]
pub fn roles(experiment: &Experiment, catalog: &Catalog) -> IndexMap<String, ServiceRole> {
    let mut roles = IndexMap::new();
    for (node, service) in experiment.variants.values().flat_map(|variant| variant.topology.services()) {
        if let Some(role) = catalog.get(&service.software).and_then(role) {
            roles.insert(format!("{}.{}", node.name, service.name), role);
        }
    }
    roles
}

fn role(software: &Software) -> Option<ServiceRole> {
    if software.members.is_some() {
        Some(ServiceRole::Balancer)
    } else if software.telemetry.iter().any(|source| source.values.contains_key(CACHE_HITS)) {
        Some(ServiceRole::Cache)
    } else {
        software.keeps_data.then_some(ServiceRole::Database)
    }
}
