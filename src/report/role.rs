//! What a node is for and how far from the client it stands, read from what leads where: no software is known by name.

use indexmap::{IndexMap, IndexSet};

use crate::model::experiment::{Language, Variant};
use crate::model::run::{RunRecord, ServiceRole};
use crate::model::topology::{Node, Service, ServiceRef, Topology};
use crate::report::words::phrase::phrases;

phrases! {
    /// The node to which clients send their requests.
    frontend() { "frontend", "frontend" }
    /// A node that spreads requests over others.
    balancer() { "balancer", "balanceador" }
    /// A node that another one leads to.
    backend() { "backend", "backend" }
    /// A node that keeps answers.
    cache() { "cache", "caché" }
    /// A node that keeps the data of others.
    database() { "database", "base de datos" }
}

/// What a node is for; several may hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Roles {
    /// Requests of clients arrive here.
    pub(super) frontend: bool,
    /// One of its services leads to several nodes.
    pub(super) balancer: bool,
    /// Another node leads here.
    pub(super) backend: bool,
    /// One of its services caches.
    pub(super) cache: bool,
    /// Another node leads to a service of it that keeps data.
    pub(super) database: bool,
}

impl Roles {
    /// `frontend, balancer`; `backend, database`; empty for a node that is none of these.
    pub(super) fn words(&self, language: Language) -> String {
        let all = [
            (self.frontend, frontend(language)),
            (self.balancer, balancer(language)),
            (self.backend, backend(language)),
            (self.cache, cache(language)),
            (self.database, database(language)),
        ];
        let held: Vec<String> = all.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect();
        held.join(", ")
    }
}

/// What leads from one node to another: nodes, port and the relation's name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Lead<'a> {
    pub(super) from: &'a str,
    pub(super) to: &'a str,
    pub(super) port: Option<u16>,
    pub(super) relation: &'a str,
}

/// Every lead between different nodes, in scenario order, each once.
pub(super) fn leads(topology: &Topology) -> IndexSet<Lead<'_>> {
    let mut found = IndexSet::new();
    for (node, service) in topology.services() {
        for (relation, targets) in &service.relations {
            for target in targets.iter().filter(|target| target.node != node.name) {
                if let Some(to) = topology.nodes.get(&target.node) {
                    let port = topology.service(target).and_then(Service::port);
                    found.insert(Lead { from: &node.name, to: &to.name, port, relation });
                }
            }
        }
    }
    found
}

/// The roles of a variant's nodes.
pub(super) fn roles<'a>(run: &RunRecord, variant: &'a Variant) -> IndexMap<&'a str, Roles> {
    let topology = &variant.topology;
    let leads = leads(topology);
    let of = |node: &'a Node| {
        let has = |role: ServiceRole| {
            let mut services = node.services.values().filter(|service| service.enabled);
            services.any(|service| role_of(run, node, service) == Some(role))
        };
        let led_to = |target: &ServiceRef| {
            let keeps_data = run.roles.get(&target.to_string()) == Some(&ServiceRole::Database);
            target.node == node.name && keeps_data
        };
        let others = topology.services().filter(|(other, _)| other.name != node.name);
        Roles {
            frontend: topology.members(&variant.target.node).any(|target| target.name == node.name),
            balancer: has(ServiceRole::Balancer)
                || node.services.values().any(|service| leads_to_several(run, node, service)),
            backend: leads.iter().any(|lead| lead.to == node.name),
            cache: has(ServiceRole::Cache),
            database: others.flat_map(|(_, service)| service.relations.values().flatten()).any(led_to),
        }
    };
    topology.nodes.values().map(|node| (node.name.as_str(), of(node))).collect()
}

/// What a service is for, as its software folder showed when the run was made.
pub(super) fn role_of(run: &RunRecord, node: &Node, service: &Service) -> Option<ServiceRole> {
    run.roles.get(&ServiceRef::new(&node.name, &service.name).to_string()).copied()
}

/// Whether the service leads to several nodes in some variant.
fn leads_to_several(run: &RunRecord, node: &Node, service: &Service) -> bool {
    run.experiment.variants.values().any(|variant| {
        let own = variant.topology.service(&ServiceRef::new(&node.name, &service.name));
        own.is_some_and(|service| {
            service.relations.values().any(|targets| {
                let nodes: IndexSet<&str> = targets.iter().map(|target| target.node.as_str()).collect();
                nodes.len() > 1
            })
        })
    })
}

/// How many relations a node stands behind the client's: the longest way, a way back not counted.
pub(super) fn depths(topology: &Topology) -> IndexMap<&str, usize> {
    let mut ahead: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for lead in leads(topology) {
        ahead.entry(lead.from).or_default().push(lead.to);
    }
    let mut forward: Vec<(&str, &str)> = Vec::new();
    let mut done: IndexSet<&str> = IndexSet::new();
    for node in topology.nodes.values() {
        walk(&node.name, &ahead, &mut Vec::new(), &mut done, &mut forward);
    }
    let mut depths: IndexMap<&str, usize> =
        topology.nodes.values().map(|node| (node.name.as_str(), 0)).collect();
    for _ in 0..topology.nodes.len() {
        for (from, to) in &forward {
            let behind = depths[from] + 1;
            depths[to] = depths[to].max(behind);
        }
    }
    depths
}

/// Collects the leads that do not close a circle.
fn walk<'a>(
    node: &'a str,
    ahead: &IndexMap<&'a str, Vec<&'a str>>,
    path: &mut Vec<&'a str>,
    done: &mut IndexSet<&'a str>,
    forward: &mut Vec<(&'a str, &'a str)>,
) {
    if !done.insert(node) {
        return;
    }
    path.push(node);
    for to in ahead.get(node).into_iter().flatten() {
        if !path.contains(to) {
            forward.push((node, to));
            walk(to, ahead, path, done, forward);
        }
    }
    path.pop();
}

/// The variant with the most nodes; the last of several, which is mostly the one with everything in it.
pub(super) fn largest(run: &RunRecord) -> Option<&Variant> {
    run.experiment.variants.values().max_by_key(|variant| variant.topology.nodes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::Lab;

    #[test]
    fn roles_follow_from_what_leads_where() {
        let lab = Lab::two_networks(3);
        let variant = largest(&lab.run).unwrap();
        let roles = roles(&lab.run, variant);
        assert_eq!(roles["frontend"].words(Language::En), "frontend, balancer");
        assert_eq!(roles["frontend"].words(Language::Es), "frontend, balanceador");
        assert_eq!(roles["backend2"].words(Language::En), "backend");
        assert_eq!(roles["store"].words(Language::En), "backend, database");
        assert_eq!(roles["store"].words(Language::Es), "backend, base de datos");
        assert_eq!(
            depths(&variant.topology).into_iter().collect::<Vec<_>>(),
            [("frontend", 0), ("backend1", 1), ("backend2", 1), ("backend3", 1), ("store", 2)]
        );
    }

    #[test]
    fn a_balancer_of_one_is_one_where_another_variant_or_its_folder_says_so() {
        let mut lab = Lab::two_networks(1);
        let balancer = |lab: &Lab| roles(&lab.run, largest(&lab.run).unwrap())["frontend"].balancer;
        assert!(!balancer(&lab));
        lab.run.roles.insert("frontend.haproxy".to_owned(), ServiceRole::Balancer);
        assert!(balancer(&lab));
        lab.run.roles.clear();
        let larger = Lab::two_networks(2).run.experiment.variants["base"].clone();
        lab.run.experiment.variants.insert("larger".to_owned(), larger);
        assert!(roles(&lab.run, &lab.run.experiment.variants["base"])["frontend"].balancer);
    }

    #[test]
    fn a_database_that_only_its_own_node_uses_makes_no_database_node_and_a_cache_makes_a_cache() {
        let mut lab = Lab::two_networks(2);
        let variant = largest(&lab.run).unwrap().clone();
        let own = variant.topology.nodes["backend1"].services.keys().next().unwrap();
        lab.run.roles.insert(format!("backend1.{own}"), ServiceRole::Cache);
        assert_eq!(roles(&lab.run, &variant)["backend1"].words(Language::En), "backend, cache");
        lab.run.roles.insert("frontend.haproxy".to_owned(), ServiceRole::Database);
        assert_eq!(roles(&lab.run, &variant)["frontend"].words(Language::En), "frontend, balancer");
    }

    #[test]
    fn a_circle_of_relations_still_has_depths() {
        let mut lab = Lab::two_networks(1);
        let variant = &mut lab.run.experiment.variants["base"];
        let back = crate::model::topology::ServiceRef::new("frontend", "haproxy");
        variant.topology.nodes["store"].services["mariadb"].relations.insert("back".to_owned(), vec![back]);
        let depths = depths(&variant.topology);
        assert_eq!((depths["frontend"], depths["backend1"], depths["store"]), (0, 1, 2));
    }
}
