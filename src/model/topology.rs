//! Nodes, the services on them and what points to what, after a variant is applied and groups are expanded.

use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::parameter::ParameterValue;
use crate::model::unit::ByteSize;

/// All nodes of one variant, members of groups expanded (`backend1`, `backend2`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Topology {
    /// By name, in the order of the scenario.
    pub nodes: IndexMap<String, Node>,
}

/// A network of the lab.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// Where the clients are.
    Public,
    /// Between the nodes.
    #[default]
    Private,
}

impl Network {
    /// As scenarios write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
        }
    }
}

/// One machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    /// Its own name.
    pub name: String,
    /// The name under `nodes:` it came from (`backend` for `backend1`; its own name without `count`).
    pub group: String,
    /// CPU limit in cores; none means the whole host.
    pub cpus: Option<f64>,
    /// Memory limit.
    pub memory: Option<ByteSize>,
    /// Swap on top of memory, normally 0.
    pub swap: ByteSize,
    /// Distribution image, `debian:bookworm`.
    pub image: String,
    /// Networks it is on; in a lab without `public` everything, the client too, is on the private one.
    #[serde(default = "private_only")]
    pub networks: Vec<Network>,
    /// How the memory is meant to be divided, by service name or `system`; empty when the scenario does not say.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub budget: IndexMap<String, ByteSize>,
    /// Extra packages.
    pub packages: Vec<String>,
    /// Services by name, in the order of the scenario.
    pub services: IndexMap<String, Service>,
}

fn private_only() -> Vec<Network> {
    vec![Network::Private]
}

/// A software on a node, with every parameter filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Service {
    /// The service's name on its node.
    pub name: String,
    /// The software folder.
    pub software: String,
    /// Runs in this variant; a disabled one is defined and stopped.
    pub enabled: bool,
    /// Parameters, the manifest's defaults filled in.
    pub parameters: IndexMap<String, ParameterValue>,
    /// Relations, resolved to services.
    pub relations: IndexMap<String, Vec<ServiceRef>>,
}

impl Service {
    /// The port it serves on: its first parameter of kind `port`.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        self.parameters.values().find_map(|value| match value {
            ParameterValue::Port(port) => Some(*port),
            _ => None,
        })
    }
}

/// One service on one node; shown as `node.service`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ServiceRef {
    /// Node name.
    pub node: String,
    /// Service name.
    pub service: String,
}

impl ServiceRef {
    /// Names one service.
    pub fn new(node: impl Into<String>, service: impl Into<String>) -> Self {
        Self { node: node.into(), service: service.into() }
    }
}

impl fmt::Display for ServiceRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.node, self.service)
    }
}

impl Topology {
    /// The service, when node and service exist.
    #[must_use]
    pub fn service(&self, reference: &ServiceRef) -> Option<&Service> {
        self.nodes.get(&reference.node)?.services.get(&reference.service)
    }

    /// Every service with its node, in scenario order.
    pub fn services(&self) -> impl Iterator<Item = (&Node, &Service)> {
        self.nodes.values().flat_map(|node| node.services.values().map(move |service| (node, service)))
    }

    /// The nodes of a group, or the one node of that name.
    pub fn members<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Node> {
        self.nodes.values().filter(move |node| node.group == name || node.name == name)
    }
}
