//! A lab for the tests of this module: a balancer in front of web nodes, built by hand.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::time::Duration;

use indexmap::IndexMap;

use crate::catalog::{Catalog, read_value};
use crate::model::experiment::{DriverKind, Experiment, Order, ReportSettings, Variant};
use crate::model::load::{Expect, Extent, Level, Load, Spread, Target};
use crate::model::parameter::ParameterValue;
use crate::model::topology::{Network, Node, Service, ServiceRef, Topology};
use crate::model::unit::ByteSize;
use crate::plan::planned::{NodeAddress, Surroundings};

/// What [`Surroundings`] borrows.
pub(super) struct Lab {
    pub(super) catalog: Catalog,
    pub(super) topology: Topology,
    pub(super) addresses: BTreeMap<String, NodeAddress>,
    pub(super) facts: BTreeMap<String, BTreeMap<String, String>>,
}

impl Lab {
    pub(super) fn new(backends: usize) -> Self {
        let catalog = Catalog::builtin().unwrap();
        let topology = topology(&catalog, backends);
        let addresses = topology.nodes.keys().zip(1..).map(|(name, last)| {
            let address = NodeAddress {
                address: Ipv4Addr::new(10, 0, 0, last).into(),
                bind_address: Ipv4Addr::UNSPECIFIED.into(),
            };
            (name.clone(), address)
        });
        let facts = topology
            .nodes
            .keys()
            .map(|name| (name.clone(), BTreeMap::from([("php_version".to_owned(), "8.2".to_owned())])));
        Self { addresses: addresses.collect(), facts: facts.collect(), catalog, topology }
    }

    pub(super) fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            lab: "course",
            root: "/srv/lab",
            topology: &self.topology,
            catalog: &self.catalog,
            addresses: &self.addresses,
            facts: &self.facts,
            unprivileged_user: None,
        }
    }

    pub(super) fn parameter(&mut self, node: &str, service: &str, name: &str, value: ParameterValue) {
        let service = self.topology.nodes.get_mut(node).unwrap().services.get_mut(service).unwrap();
        service.parameters.insert(name.to_owned(), value);
    }
}

/// A service with its manifest's defaults and what `given` adds, in YAML.
pub(super) fn service(
    catalog: &Catalog,
    name: &str,
    software: &str,
    given: &str,
    relations: &[(&str, Vec<ServiceRef>)],
) -> Service {
    let manifest = catalog.get(software).unwrap();
    let given: IndexMap<String, serde_yaml::Value> = serde_yaml::from_str(given).unwrap();
    let mut parameters = IndexMap::new();
    for (key, parameter) in &manifest.parameters {
        if let Some(value) = given.get(key).or(parameter.default.as_ref()) {
            parameters.insert(key.clone(), read_value(parameter, value).unwrap());
        }
    }
    Service {
        name: name.to_owned(),
        software: software.to_owned(),
        enabled: true,
        parameters,
        relations: relations.iter().map(|(name, ends)| ((*name).to_owned(), ends.clone())).collect(),
    }
}

pub(super) fn node(name: &str, group: &str, services: Vec<Service>) -> Node {
    Node {
        name: name.to_owned(),
        group: group.to_owned(),
        cpus: Some(0.4),
        memory: Some(ByteSize::mebibytes(1024)),
        swap: ByteSize(0),
        image: "debian:bookworm".to_owned(),
        packages: Vec::new(),
        networks: vec![Network::Private],
        budget: IndexMap::new(),
        services: services.into_iter().map(|service| (service.name.clone(), service)).collect(),
    }
}

pub(super) fn topology(catalog: &Catalog, backends: usize) -> Topology {
    let names: Vec<String> = (1..=backends).map(|number| format!("backend{number}")).collect();
    let ends = names.iter().map(|name| ServiceRef::new(name, "nginx")).collect();
    let stats = "stats: {uri: /ha_stats, user: cda, password: canary-77}";
    let haproxy = service(catalog, "haproxy", "haproxy", stats, &[("backends", ends)]);
    let mut nodes = vec![node("frontend", "frontend", vec![haproxy])];
    for name in &names {
        let here = |service: &str| vec![ServiceRef::new(name, service)];
        nodes.push(node(
            name,
            "backend",
            vec![
                service(catalog, "app", "php-app", "{cpu: 20ms}", &[("web", here("nginx"))]),
                service(catalog, "nginx", "nginx", "{}", &[("php", here("php-fpm"))]),
                service(catalog, "php-fpm", "php-fpm", "{workers: 12}", &[]),
            ],
        ));
    }
    Topology { nodes: nodes.into_iter().map(|node| (node.name.clone(), node)).collect() }
}

/// Variants with these numbers of backends, these levels, this many rounds.
pub(super) fn experiment(catalog: &Catalog, backends: &[usize], levels: &[u32], repeat: u32) -> Experiment {
    let levels: Vec<Level> = levels
        .iter()
        .map(|connections| Level {
            name: connections.to_string(),
            connections: *connections,
            extent: Extent::Duration(Duration::from_secs(20)),
        })
        .collect();
    let variant = |count: usize| Variant {
        name: format!("v{count}"),
        title: format!("{count} backends"),
        topology: topology(catalog, count),
        target: Target {
            url: "http://www.example.org/".to_owned(),
            node: "frontend".to_owned(),
            spread: Spread::RoundRobin,
            headers: IndexMap::new(),
            expect: Expect::default(),
        },
        load: Load {
            levels: levels.clone(),
            timeout: Duration::from_secs(30),
            keep_alive: true,
            warm_up: Duration::from_secs(5),
            cool_down_at_most: Duration::from_secs(120),
        },
        actions: Vec::new(),
    };
    Experiment {
        name: "course".to_owned(),
        title: "A course".to_owned(),
        driver: DriverKind::Docker,
        report: ReportSettings::default(),
        variants: backends.iter().map(|count| (format!("v{count}"), variant(*count))).collect(),
        repeat,
        order: Order::Random,
        questions: Vec::new(),
        thresholds: Vec::new(),
        evidence: Vec::new(),
        verify: Vec::new(),
        published: None,
    }
}
