//! Topologies for tests: a balancer on two networks, any number of web nodes behind it, a database of its own.

use indexmap::IndexMap;

use crate::model::parameter::{ParameterValue, WorkerCount};
use crate::model::run::{NodeFacts, ServiceRole};
use crate::model::topology::{Network, Node, Service, ServiceRef, Topology};
use crate::model::unit::ByteSize;
use crate::report::testing::Lab;

impl Lab {
    /// One variant `base`: `frontend` (public and private), `backend1` … `backendN`, and `store` with the database.
    pub(super) fn two_networks(backends: usize) -> Self {
        let mut lab = Self::measured(&["base"], &[4, 16], 2);
        let variant = &mut lab.run.experiment.variants["base"];
        variant.topology = topology(backends);
        lab.run.nodes = variant
            .topology
            .nodes
            .keys()
            .enumerate()
            .map(|(place, name)| {
                let public = (name == "frontend").then(|| "192.168.121.17".to_owned());
                let address = format!("10.10.10.{}", place + 2);
                (name.clone(), NodeFacts { address, public_address: public, ..NodeFacts::default() })
            })
            .collect();
        lab.run.roles.insert("store.mariadb".to_owned(), ServiceRole::Database);
        lab
    }
}

fn topology(backends: usize) -> Topology {
    let names: Vec<String> = (1..=backends).map(|place| format!("backend{place}")).collect();
    let to_web = names.iter().map(|name| ServiceRef::new(name, "nginx")).collect();
    let balancer = service("haproxy", ("bind", ParameterValue::Port(80)), &[("backends", to_web)]);
    let mut nodes = vec![node("frontend", "frontend", vec![balancer])];
    nodes[0].networks = vec![Network::Public, Network::Private];
    for name in &names {
        let workers = ParameterValue::Workers(WorkerCount::Fixed { workers: 12 });
        let own = |service: &str| vec![ServiceRef::new(name, service)];
        let mut web = node(
            name,
            "backend",
            vec![
                service("php-fpm", ("workers", workers), &[]),
                service("nginx", ("listen", ParameterValue::Port(80)), &[("php", own("php-fpm"))]),
                service(
                    "wordpress",
                    ("posts", ParameterValue::Count(20)),
                    &[("database", vec![ServiceRef::new("store", "mariadb")]), ("web", own("nginx"))],
                ),
            ],
        );
        web.budget = [("system", 300), ("php-fpm", 400)]
            .map(|(name, size)| (name.to_owned(), ByteSize::mebibytes(size)))
            .into_iter()
            .collect();
        nodes.push(web);
    }
    nodes.push(node("store", "store", vec![service("mariadb", ("port", ParameterValue::Port(3306)), &[])]));
    Topology { nodes: nodes.into_iter().map(|node| (node.name.clone(), node)).collect() }
}

fn node(name: &str, group: &str, services: Vec<Service>) -> Node {
    Node {
        name: name.to_owned(),
        group: group.to_owned(),
        cpus: Some(0.4),
        memory: Some(ByteSize::mebibytes(1024)),
        swap: ByteSize(0),
        image: "debian:bookworm".to_owned(),
        networks: vec![Network::Private],
        budget: IndexMap::new(),
        packages: Vec::new(),
        services: services.into_iter().map(|service| (service.name.clone(), service)).collect(),
    }
}

fn service(
    name: &str,
    (parameter, value): (&str, ParameterValue),
    relations: &[(&str, Vec<ServiceRef>)],
) -> Service {
    Service {
        name: name.to_owned(),
        software: name.to_owned(),
        enabled: true,
        parameters: IndexMap::from([(parameter.to_owned(), value)]),
        relations: relations.iter().map(|(name, targets)| ((*name).to_owned(), targets.clone())).collect(),
    }
}
