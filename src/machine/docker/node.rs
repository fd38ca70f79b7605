//! One container as a node: made, found as wanted, changed in place, removed. A container of the same name that is not
//! ours is never touched.

use std::collections::BTreeSet;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use bollard::models::ContainerCreateBody;
use bollard::models::ContainerInspectResponse;
use bollard::models::ContainerUpdateBody;
use bollard::models::HostConfig;
use bollard::models::NetworkingConfig;
use bollard::models::RestartPolicy;
use bollard::models::RestartPolicyNameEnum;
use bollard::query_parameters::CreateContainerOptionsBuilder;
use bollard::query_parameters::InspectContainerOptions;
use bollard::query_parameters::RemoveContainerOptionsBuilder;
use bollard::query_parameters::StartContainerOptions;

use crate::machine::contract::LabIdentity;
use crate::machine::contract::NodeSpec;
use crate::machine::docker::connection::DockerConnection;
use crate::machine::docker::engine::Engine;
use crate::machine::docker::engine::SHORT;
use crate::machine::docker::image_name;
use crate::machine::docker::labels::LAB;
use crate::machine::docker::labels::Labels;
use crate::machine::docker::labels::NODE;
use crate::machine::docker::labels::foreign;
use crate::machine::docker::labels::has;
use crate::machine::docker::labels::lab_labels;
use crate::machine::docker::network;
use crate::machine::docker::removal::gone;
use crate::machine::docker::removal::retried;
use crate::machine::error::MachineError;

/// Label: hash of image and packages; another one means another container.
const SPEC: &str = "benchtop.spec";
/// Processes and threads a node may have.
const PIDS: i64 = 8192;

/// `benchtop-LAB-NODE`.
#[must_use]
pub fn container_name(lab: &str, node: &str) -> String {
    format!("benchtop-{lab}-{node}")
}

/// Makes and starts the node, or brings the existing one to what is wanted.
///
/// # Errors
/// [`MachineError::Engine`], [`MachineError::Unreachable`].
pub async fn ensure(
    engine: &Engine,
    lab: &LabIdentity,
    node: &NodeSpec,
    image: &str,
) -> Result<DockerConnection, MachineError> {
    let name = container_name(&lab.lab, &node.name);
    let found = inspect(engine, &name).await?;
    let keep = match &found {
        None => false,
        Some(container) => {
            let labels = labels_of(container);
            if !has(labels, LAB, &lab.lab) || !has(labels, NODE, &node.name) {
                return Err(foreign("container", &name));
            }
            has(labels, SPEC, &image_name::node_hash(&node.image, &node.packages))
        }
    };
    let joined = match found {
        Some(container) if keep => {
            if !limits_match(container.host_config.as_ref(), node, engine) {
                let doing = format!("change the limits of container {name}");
                let update = engine.docker.update_container(&name, update_body(node, engine));
                engine.call(&doing, SHORT, update).await?;
            }
            network::joined(&container)
        }
        other => {
            if other.is_some() {
                remove_container(engine, &name).await?;
            }
            let options = CreateContainerOptionsBuilder::new().name(&name).build();
            let body = create_body(lab, node, image);
            let docker = engine.docker.clone();
            let creation = async move { docker.create_container(Some(options), body).await };
            engine.make(&format!("create container {name}"), 3 * SHORT, creation).await?;
            BTreeSet::from([network::name_of(&lab.lab, network::first(node))])
        }
    };
    network::join(engine, &lab.lab, node, &name, &joined).await?;
    let start = engine.docker.start_container(&name, None::<StartContainerOptions>);
    engine.call(&format!("start container {name}"), 3 * SHORT, start).await?;
    connect(engine, &lab.lab, &node.name).await
}

/// Connects to the node's container, which must be running.
///
/// # Errors
/// [`MachineError::NoSuchNode`], [`MachineError::Engine`], [`MachineError::Unreachable`].
pub async fn connect(engine: &Engine, lab: &str, node: &str) -> Result<DockerConnection, MachineError> {
    let name = container_name(lab, node);
    let absent = || MachineError::NoSuchNode { lab: lab.to_owned(), node: node.to_owned() };
    let container = inspect(engine, &name).await?.ok_or_else(absent)?;
    if !has(labels_of(&container), LAB, lab) {
        return Err(absent());
    }
    let doing = || format!("connect to container {name}");
    if !container.state.as_ref().and_then(|state| state.running).unwrap_or(false) {
        return Err(MachineError::Engine { doing: doing(), source: "it is not running".into() });
    }
    let addresses = network::addresses(&container, lab).ok_or_else(|| MachineError::Engine {
        doing: doing(),
        source: "it has no address on a network of the lab".into(),
    })?;
    for address in BTreeSet::from([addresses.0, addresses.1]) {
        probe(node, address).await?;
    }
    let image = container.config.as_ref().and_then(|config| config.image.clone()).unwrap_or_default();
    let id = container.id.unwrap_or(name);
    Ok(DockerConnection::new(engine.clone(), id, node.to_owned(), addresses, image))
}

/// Removes the node's container with its volumes, if it is there and ours.
///
/// # Errors
/// [`MachineError::Engine`].
pub async fn destroy(engine: &Engine, lab: &str, node: &str) -> Result<(), MachineError> {
    let name = container_name(lab, node);
    match inspect(engine, &name).await? {
        Some(container) if has(labels_of(&container), LAB, lab) => remove_container(engine, &name).await,
        _ => Ok(()),
    }
}

/// Removes a container by name or id, with its anonymous volumes.
///
/// # Errors
/// [`MachineError::Engine`].
pub async fn remove_container(engine: &Engine, name: &str) -> Result<(), MachineError> {
    let doing = format!("remove container {name}");
    let options = || RemoveContainerOptionsBuilder::new().force(true).v(true).build();
    // "Removal is already in progress" is a conflict that passes.
    retried(4, || gone(engine, &doing, engine.docker.remove_container(name, Some(options())))).await
}

async fn inspect(engine: &Engine, name: &str) -> Result<Option<ContainerInspectResponse>, MachineError> {
    let look = engine.docker.inspect_container(name, None::<InspectContainerOptions>);
    engine.find(&format!("look for container {name}"), look).await
}

fn labels_of(container: &ContainerInspectResponse) -> Option<&Labels> {
    container.config.as_ref()?.labels.as_ref()
}

fn create_body(lab: &LabIdentity, node: &NodeSpec, image: &str) -> ContainerCreateBody {
    // Engines before 25 make a container on one network only.
    let network = network::name_of(&lab.lab, network::first(node));
    let mut labels = lab_labels(lab);
    labels.insert(NODE.to_owned(), node.name.clone());
    labels.insert(SPEC.to_owned(), image_name::node_hash(&node.image, &node.packages));
    let never = RestartPolicy { name: Some(RestartPolicyNameEnum::NO), maximum_retry_count: None };
    ContainerCreateBody {
        hostname: Some(node.name.clone()),
        image: Some(image.to_owned()),
        entrypoint: Some(Vec::new()),
        cmd: Some(vec!["sleep".to_owned(), "infinity".to_owned()]),
        user: Some("0".to_owned()),
        working_dir: Some("/".to_owned()),
        labels: Some(labels),
        host_config: Some(HostConfig {
            init: Some(true),
            nano_cpus: node.cpus.map(nano_cpus),
            memory: node.memory.map(|memory| signed(memory.bytes())),
            memory_swap: node.memory.map(|memory| signed(memory.bytes() + node.swap.bytes())),
            pids_limit: Some(PIDS),
            network_mode: Some(network.clone()),
            restart_policy: Some(never),
            ..HostConfig::default()
        }),
        networking_config: Some(NetworkingConfig {
            endpoints_config: Some([(network, network::endpoint(node))].into()),
        }),
        ..ContainerCreateBody::default()
    }
}

/// The engine cannot lift a limit of a running container, so "none" becomes all there is.
fn update_body(node: &NodeSpec, engine: &Engine) -> ContainerUpdateBody {
    let (memory, swap) = match node.memory {
        Some(memory) => (signed(memory.bytes()), signed(memory.bytes() + node.swap.bytes())),
        None => (signed(engine.facts.memory_bytes), signed(2 * engine.facts.memory_bytes)),
    };
    ContainerUpdateBody {
        nano_cpus: Some(node.cpus.map_or_else(|| all_cpus(engine), nano_cpus)),
        memory: Some(memory),
        memory_swap: Some(swap),
        ..ContainerUpdateBody::default()
    }
}

fn limits_match(there: Option<&HostConfig>, node: &NodeSpec, engine: &Engine) -> bool {
    let there = there.cloned().unwrap_or_default();
    let (cpus, memory, swap) =
        (there.nano_cpus.unwrap_or(0), there.memory.unwrap_or(0), there.memory_swap.unwrap_or(0));
    let cpus_match = match node.cpus {
        Some(wanted) => cpus == nano_cpus(wanted),
        None => cpus == 0 || cpus >= all_cpus(engine),
    };
    let memory_matches = match node.memory {
        // A kernel without accounting of swap forgets that limit: only one that is there can differ.
        Some(wanted) => {
            memory == signed(wanted.bytes())
                && (swap <= 0 || swap == signed(wanted.bytes() + node.swap.bytes()))
        }
        None => memory == 0 || memory >= signed(engine.facts.memory_bytes),
    };
    cpus_match && memory_matches
}

fn nano_cpus(cpus: f64) -> i64 {
    (cpus * 1.0e9).round() as i64
}

fn all_cpus(engine: &Engine) -> i64 {
    i64::from(engine.facts.cpus) * 1_000_000_000
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// A refused connection is an answer too: the way there works.
async fn probe(node: &str, address: IpAddr) -> Result<(), MachineError> {
    for _ in 0..3 {
        let attempt = tokio::net::TcpStream::connect((address, 9));
        match tokio::time::timeout(Duration::from_secs(2), attempt).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => return Ok(()),
            Ok(Err(_)) => tokio::time::sleep(Duration::from_millis(300)).await,
            Err(_) => {}
        }
    }
    Err(MachineError::Unreachable { node: node.to_owned(), address: address.to_string() })
}
