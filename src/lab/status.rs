//! Looking at a lab: what is up, where, and how to get in.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use serde::Serialize;

use crate::lab::error::LabError;
use crate::lab::provision::node_specs;
use crate::lab::run::public_address;
use crate::lab::site::{LiveNode, Site};
use crate::lab::target::split_url;
use crate::lab::up::reopen;
use crate::lab::workbench::Workbench;
use crate::machine::{Command, ServiceState, quote};
use crate::model::parameter::ParameterValue;
use crate::model::secret::Secret;
use crate::model::topology::ServiceRef;

/// A node as it is.
#[derive(Debug, Clone, Serialize)]
pub struct NodeStatus {
    /// Name.
    pub name: String,
    /// Address the other nodes use, and the client where there is no public one.
    pub address: String,
    /// Address the client uses, on the public network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_address: Option<String>,
    /// `running` or `gone`.
    pub state: String,
    /// CPU limit, cores.
    pub cpus: Option<f64>,
    /// Memory limit.
    pub memory_bytes: Option<u64>,
    /// Image.
    pub image: String,
    /// Who listens where, a line each.
    pub listeners: Vec<String>,
}

/// A service as it is.
#[derive(Debug, Clone, Serialize)]
pub struct ServiceStatus {
    /// `node.service`.
    pub service: String,
    /// Software folder.
    pub software: String,
    /// `running (pid 12)`, `stopped`, `ended with status 1`, `no process`.
    pub state: String,
    /// Ports it listens on.
    pub ports: Vec<u16>,
    /// Instance directory on the node.
    pub dir: String,
    /// Unix sockets below that directory.
    pub sockets: Vec<String>,
    /// Logs on the node.
    pub logs: Vec<String>,
}

/// A login that a service asks for.
#[derive(Debug, Clone, Serialize)]
pub struct Login {
    /// `node.service`.
    pub service: String,
    /// User name.
    pub user: String,
    /// Password; masked unless revealed on purpose.
    pub password: Secret,
}

/// A lab as it is.
#[derive(Debug, Clone, Default, Serialize)]
pub struct LabStatus {
    /// Name.
    pub lab: String,
    /// Driver.
    pub driver: String,
    /// Variant in force.
    pub variant: String,
    /// Owner.
    pub owner: String,
    /// `up`, or the run it belongs to.
    pub run: String,
    /// UTC, RFC 3339.
    pub since: String,
    /// URLs to open, by address.
    pub urls: Vec<String>,
    /// Lines for a hosts file: `10.1.2.3 www.example.org`.
    pub hosts: Vec<String>,
    /// Nodes.
    pub nodes: Vec<NodeStatus>,
    /// Services.
    pub services: Vec<ServiceStatus>,
    /// Logins.
    pub logins: Vec<Login>,
}

/// Names of the labs there are.
///
/// # Errors
/// When the state directory cannot be read.
pub fn labs(bench: &Workbench) -> Result<Vec<String>, LabError> {
    Ok(bench.state.labs()?)
}

/// A lab as it is now.
///
/// # Errors
/// When there is no such lab or its machines cannot be asked.
pub async fn status(bench: &Workbench, lab: &str) -> Result<LabStatus, LabError> {
    status_of(&reopen(bench, lab).await?).await
}

/// A site as it is now.
pub(crate) async fn status_of(site: &Site<'_>) -> Result<LabStatus, LabError> {
    let states: BTreeMap<String, ServiceState> = site
        .process_states()
        .await?
        .into_iter()
        .map(|(reference, state)| (reference.to_string(), state))
        .collect();
    let mut sockets = site.sockets().await?;
    let services = site.plans.iter().map(|plan| {
        let name = plan.reference.to_string();
        let state = match (plan.process.is_some(), plan.enabled, states.get(&name)) {
            (false, ..) => "no process".to_owned(),
            (_, _, Some(ServiceState::Running { pid })) => format!("running (pid {pid})"),
            (_, _, Some(ServiceState::Exited { status, .. })) => format!("ended with status {status}"),
            (_, false, _) => "disabled".to_owned(),
            _ => "stopped".to_owned(),
        };
        ServiceStatus {
            sockets: sockets.remove(&plan.reference).unwrap_or_default(),
            logs: vec![format!("{}/run/output.log", plan.dir), format!("{}/logs", plan.dir)],
            service: name,
            software: plan.software.clone(),
            state,
            ports: plan.ports.clone(),
            dir: plan.dir.clone(),
        }
    });
    let (urls, hosts) = addresses(site);
    Ok(LabStatus {
        lab: site.identity.lab.clone(),
        driver: format!("{:?}", site.state.driver).to_lowercase(),
        variant: site.state.variant.clone(),
        owner: site.state.owner.clone(),
        run: site.state.run.clone(),
        since: site.state.created_at.clone(),
        urls,
        hosts,
        nodes: node_statuses(site).await?,
        services: services.collect(),
        logins: logins(site),
    })
}

async fn node_statuses(site: &Site<'_>) -> Result<Vec<NodeStatus>, LabError> {
    let looks = site.nodes.iter().map(|(name, node)| async {
        let listeners = site.listeners(name).await?;
        Ok(node_status(name, node, listeners))
    });
    join_all(looks).await.into_iter().collect()
}

fn node_status(name: &str, node: &LiveNode, listeners: Vec<String>) -> NodeStatus {
    NodeStatus {
        name: name.to_owned(),
        address: node.connection.address().to_string(),
        public_address: public_address(node.connection.as_ref()),
        state: "running".to_owned(),
        cpus: node.spec.cpus,
        memory_bytes: node.spec.memory.map(|memory| memory.bytes()),
        image: node.connection.image(),
        listeners,
    }
}

fn addresses(site: &Site<'_>) -> (Vec<String>, Vec<String>) {
    let Some(variant) = site.experiment.variants.get(&site.state.variant) else {
        return (Vec::new(), Vec::new());
    };
    let Some((host, port, path)) = split_url(&variant.target.url) else {
        return (Vec::new(), Vec::new());
    };
    let name = host.split(':').next().unwrap_or(&host);
    let nodes = variant.topology.members(&variant.target.node);
    let live =
        nodes.filter_map(|node| site.nodes.get(&node.name)).map(|node| node.connection.client_address());
    live.map(|address| (format!("http://{address}:{port}{path}"), format!("{address} {name}"))).unzip()
}

/// User and password where a service has parameters of those names, at the top or in a map.
fn logins(site: &Site<'_>) -> Vec<Login> {
    let Some(variant) = site.experiment.variants.get(&site.state.variant) else { return Vec::new() };
    let mut logins = Vec::new();
    for (node, service) in variant.topology.services() {
        let name = format!("{}.{}", node.name, service.name);
        let inner = service.parameters.values().filter_map(|value| match value {
            ParameterValue::Map(map) => Some(map),
            _ => None,
        });
        for map in std::iter::once(&service.parameters).chain(inner) {
            if let (Some(ParameterValue::Text(user)), Some(ParameterValue::Secret(password))) =
                (map.get("user"), map.get("password"))
            {
                logins.push(Login { service: name.clone(), user: user.clone(), password: password.clone() });
            }
        }
    }
    logins
}

impl Site<'_> {
    /// The Unix sockets there are, by service.
    async fn sockets(&self) -> Result<BTreeMap<ServiceRef, Vec<String>>, LabError> {
        let mut sockets: BTreeMap<ServiceRef, Vec<String>> = BTreeMap::new();
        for (name, node) in &self.nodes {
            let script = format!("find {} -type s", quote(&self.root));
            let output = node.connection.run(&Command::new(script)).await;
            let output = output
                .map_err(|source| LabError::machine(format!("node {name} cannot be looked at"), source))?;
            for path in output.text().lines() {
                let below = path.strip_prefix(&self.root).and_then(|rest| rest.strip_prefix('/'));
                if let Some((service, _)) = below.and_then(|rest| rest.split_once('/')) {
                    let reference = ServiceRef::new(name, service);
                    sockets.entry(reference).or_default().push(path.to_owned());
                }
            }
        }
        Ok(sockets)
    }

    /// Connects to every node the state file names, creating none.
    pub(crate) async fn connect_all(&mut self) -> Result<(), LabError> {
        let specs = node_specs(&self.experiment, &self.bench.catalog);
        for name in self.state.nodes.clone() {
            let connection = self.bench.driver.connect(&self.identity.lab, &name).await;
            let connection = connection
                .map_err(|source| LabError::machine(format!("node {name} cannot be reached"), source))?;
            let Some(spec) = specs.get(&name).cloned() else { continue };
            let supervisor = self.bench.driver.supervisor(connection.clone());
            let facts = self.facts_of(&name, connection.as_ref()).await?;
            self.nodes.insert(name, LiveNode { connection, supervisor, facts, spec });
        }
        Ok(())
    }
}
