//! The Docker driver itself: checks before anything is made, the order of making and removing, and what belongs to a
//! lab by its labels.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use bollard::models::ContainerSummary;
use bollard::models::ContainerSummaryStateEnum;
use bollard::query_parameters::ListContainersOptionsBuilder;
use bollard::query_parameters::ListNetworksOptionsBuilder;
use futures_util::StreamExt;
use tokio::sync::mpsc::UnboundedSender;

use crate::machine::contract::Connection;
use crate::machine::contract::Demand;
use crate::machine::contract::Driver;
use crate::machine::contract::FoundLab;
use crate::machine::contract::FoundNode;
use crate::machine::contract::LabIdentity;
use crate::machine::contract::NodeSpec;
use crate::machine::contract::Preflight;
use crate::machine::contract::Supervisor;
use crate::machine::docker::bootstrap;
use crate::machine::docker::connection::INSTANCE_ROOT;
use crate::machine::docker::engine::Engine;
use crate::machine::docker::engine::SHORT;
use crate::machine::docker::images::ImageEntry;
use crate::machine::docker::images::Images;
use crate::machine::docker::labels;
use crate::machine::docker::labels::Labels;
use crate::machine::docker::network;
use crate::machine::docker::node;
use crate::machine::error::MachineError;
use crate::machine::supervisor::ShellSupervisor;
use crate::model::event::Event;
use crate::model::unit::ByteSize;

/// Room that making missing images takes, and what containers write with images there.
const ROOM_FOR_IMAGES: ByteSize = ByteSize::mebibytes(1536);
const ROOM_FOR_CONTAINERS: ByteSize = ByteSize::mebibytes(256);

/// How to reach the engine and make images.
#[derive(Debug, Clone, Default)]
pub struct DockerOptions {
    /// `DOCKER_HOST`; the usual socket when absent or empty.
    pub host: Option<String>,
    /// A local image to install packages on, in place of whatever the scenario names.
    pub base: Option<String>,
    /// A directory of this user's for locks.
    pub cache: PathBuf,
    /// May install missing programs on this machine.
    pub install: bool,
}

/// Containers on one Docker engine.
pub struct DockerDriver {
    engine: Engine,
    images: Images,
    options: DockerOptions,
}

impl DockerDriver {
    /// Connects to the engine.
    ///
    /// # Errors
    /// [`MachineError::NoEngine`], [`MachineError::EngineTooOld`], [`MachineError::Engine`].
    pub async fn connect(options: DockerOptions) -> Result<Self, MachineError> {
        let engine = Engine::connect(options.host.as_deref()).await?;
        Ok(Self { images: Images::new(engine.clone(), options.clone()), engine, options })
    }

    /// Every image made by benchtop.
    ///
    /// # Errors
    /// [`MachineError::Engine`].
    pub async fn images(&self) -> Result<Vec<ImageEntry>, MachineError> {
        self.images.list().await
    }

    /// Removes those of [`Self::images`] that no container uses; gives the removed ones.
    ///
    /// # Errors
    /// [`MachineError::Engine`].
    pub async fn prune_images(&self) -> Result<Vec<ImageEntry>, MachineError> {
        self.images.prune().await
    }

    async fn containers(&self, lab: Option<&str>) -> Result<Vec<ContainerSummary>, MachineError> {
        let filters = HashMap::from([("label", vec![label_filter(lab)])]);
        let options = ListContainersOptionsBuilder::new().all(true).filters(&filters).build();
        self.engine.call("list containers", SHORT, self.engine.docker.list_containers(Some(options))).await
    }

    async fn networks(&self, lab: Option<&str>) -> Result<Vec<bollard::models::Network>, MachineError> {
        let filters = HashMap::from([("label", vec![label_filter(lab)])]);
        let options = ListNetworksOptionsBuilder::new().filters(&filters).build();
        self.engine.call("list networks", SHORT, self.engine.docker.list_networks(Some(options))).await
    }

    fn check_room(&self, images_missing: usize) -> Result<(), MachineError> {
        let Some(root) = self.engine.local_root() else { return Ok(()) };
        // A root that cannot be looked at is no reason to refuse: the engine may well have room.
        let Ok(room) = nix::sys::statvfs::statvfs(root) else { return Ok(()) };
        let there = ByteSize(room.blocks_available() * room.fragment_size());
        let needed = if images_missing > 0 { ROOM_FOR_IMAGES } else { ROOM_FOR_CONTAINERS };
        if there >= needed {
            return Ok(());
        }
        Err(too_little(&format!("disk at {}", root.display()), there, needed))
    }
}

fn label_filter(lab: Option<&str>) -> String {
    lab.map_or_else(|| labels::LAB.to_owned(), |lab| format!("{}={lab}", labels::LAB))
}

fn too_little(what: &str, there: impl ToString, needed: impl ToString) -> MachineError {
    MachineError::TooLittle { what: what.to_owned(), there: there.to_string(), needed: needed.to_string() }
}

/// Whether the nodes fit: each one's CPUs, and all memory limits together (a node of several variants counts once,
/// with its largest).
fn check_size(nodes: &[NodeSpec], cpus: u32, memory: ByteSize) -> Result<(), MachineError> {
    let mut limits: BTreeMap<&str, u64> = BTreeMap::new();
    for node in nodes {
        if node.cpus.is_some_and(|wanted| wanted > f64::from(cpus)) {
            let wanted = node.cpus.unwrap_or_default();
            return Err(too_little(&format!("CPUs for node {}", node.name), cpus, wanted));
        }
        let limit = limits.entry(&node.name).or_default();
        *limit = (*limit).max(node.memory.map_or(0, ByteSize::bytes));
    }
    let needed = ByteSize(limits.values().sum());
    if needed > memory { Err(too_little("memory of the host", memory, needed)) } else { Ok(()) }
}

fn found_lab(labels: &Labels) -> Option<FoundLab> {
    let owner = labels.get(labels::OWNER).cloned().unwrap_or_default();
    Some(FoundLab { lab: labels.get(labels::LAB)?.clone(), owner })
}

fn found_node(container: &ContainerSummary) -> Option<FoundNode> {
    let label = |name: &str| container.labels.as_ref()?.get(name).cloned();
    Some(FoundNode {
        lab: label(labels::LAB)?,
        node: label(labels::NODE)?,
        run: label(labels::RUN).unwrap_or_default(),
        owner: label(labels::OWNER).unwrap_or_default(),
        running: container.state == Some(ContainerSummaryStateEnum::RUNNING),
    })
}

#[async_trait]
impl Driver for DockerDriver {
    async fn preflight(&self, demand: &Demand) -> Result<Preflight, MachineError> {
        let (cpus, memory) = (self.engine.facts.cpus, ByteSize(self.engine.facts.memory_bytes));
        check_size(&demand.nodes, cpus, memory)?;
        let (missing, bootstrap) = self.images.missing(&demand.nodes).await?;
        self.check_room(missing)?;
        if bootstrap && !self.options.install && !bootstrap::is_installed() {
            return Err(bootstrap::missing());
        }
        Ok(Preflight { driver: self.engine.description(), cpus, memory })
    }

    async fn prepare(
        &self,
        lab: &LabIdentity,
        nodes: &[NodeSpec],
        events: &UnboundedSender<Event>,
    ) -> Result<(), MachineError> {
        self.images.ensure(nodes, events).await?;
        network::ensure(&self.engine, lab, nodes).await
    }

    async fn create(&self, lab: &LabIdentity, node: &NodeSpec) -> Result<Arc<dyn Connection>, MachineError> {
        let image = self.images.find(node).await?.ok_or_else(|| MachineError::Image {
            image: node.image.clone(),
            step: format!("it was not prepared with the packages of node {}", node.name),
            source: None,
        })?;
        Ok(Arc::new(node::ensure(&self.engine, lab, node, &image).await?))
    }

    async fn connect(&self, lab: &str, node: &str) -> Result<Arc<dyn Connection>, MachineError> {
        Ok(Arc::new(node::connect(&self.engine, lab, node).await?))
    }

    async fn list(&self, lab: Option<&str>) -> Result<Vec<FoundNode>, MachineError> {
        let mut nodes: Vec<FoundNode> = self.containers(lab).await?.iter().filter_map(found_node).collect();
        nodes.sort_by(|left, right| (&left.lab, &left.node).cmp(&(&right.lab, &right.node)));
        Ok(nodes)
    }

    async fn labs(&self) -> Result<Vec<FoundLab>, MachineError> {
        let containers = self.containers(None).await?.into_iter().filter_map(|container| container.labels);
        let networks = self.networks(None).await?.into_iter().filter_map(|network| network.labels);
        let labs: BTreeSet<FoundLab> =
            containers.chain(networks).filter_map(|labels| found_lab(&labels)).collect();
        Ok(labs.into_iter().collect())
    }

    async fn destroy(&self, lab: &str, node: &str) -> Result<(), MachineError> {
        node::destroy(&self.engine, lab, node).await
    }

    async fn destroy_lab(&self, lab: &str) -> Result<(), MachineError> {
        self.engine.settled().await;
        let containers: Vec<String> =
            self.containers(Some(lab)).await?.into_iter().filter_map(|container| container.id).collect();
        let engine = &self.engine;
        let removals =
            containers.into_iter().map(|id| async move { node::remove_container(engine, &id).await });
        let mut results: Vec<Result<(), MachineError>> =
            futures_util::stream::iter(removals).buffer_unordered(8).collect().await;
        match self.networks(Some(lab)).await {
            Ok(networks) => {
                for found in networks {
                    let (id, name) = (found.id.unwrap_or_default(), found.name.unwrap_or_default());
                    results.push(network::remove(engine, &id, &name).await);
                }
            }
            Err(error) => results.push(Err(error)),
        }
        results.into_iter().collect()
    }

    fn instance_root(&self, lab: &str) -> String {
        format!("{INSTANCE_ROOT}/{lab}")
    }

    fn supervisor(&self, connection: Arc<dyn Connection>) -> Box<dyn Supervisor> {
        Box::new(ShellSupervisor::new(connection))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, cpus: f64, mebibytes: u64) -> NodeSpec {
        NodeSpec {
            name: name.to_owned(),
            cpus: Some(cpus),
            memory: Some(ByteSize::mebibytes(mebibytes)),
            swap: ByteSize(0),
            image: "debian:bookworm".to_owned(),
            packages: Vec::new(),
            networks: Vec::new(),
        }
    }

    #[test]
    fn nodes_must_fit_the_host_and_each_counts_once() {
        let host = ByteSize::mebibytes(1000);
        assert!(
            check_size(&[node("a", 2.0, 600), node("a", 0.5, 700), node("b", 1.0, 300)], 2, host).is_ok()
        );
        let error = check_size(&[node("a", 1.0, 600), node("b", 1.0, 600)], 2, host).unwrap_err();
        assert_eq!(error.to_string(), "memory of the host: 1000 MiB there, 1200 MiB needed");
        let error = check_size(&[node("a", 2.5, 1)], 2, host).unwrap_err();
        assert_eq!(error.to_string(), "CPUs for node a: 2 there, 2.5 needed");
    }

    #[test]
    fn a_container_without_our_labels_is_no_node() {
        let mut container = ContainerSummary { labels: Some(HashMap::new()), ..ContainerSummary::default() };
        assert_eq!(found_node(&container), None);
        let labels =
            [(labels::LAB, "lab"), (labels::NODE, "web"), (labels::RUN, "up"), (labels::OWNER, "me")];
        container.labels = Some(labels.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
        container.state = Some(ContainerSummaryStateEnum::RUNNING);
        let found = found_node(&container).unwrap();
        assert_eq!((found.lab.as_str(), found.node.as_str(), found.running), ("lab", "web", true));
    }
}
