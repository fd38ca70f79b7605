//! One container as a node: made, found as wanted, changed in place, removed; and the lab's network. A container or
//! network of the same name that is not ours is never touched.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use bollard::models::ContainerCreateBody;
use bollard::models::ContainerInspectResponse;
use bollard::models::ContainerUpdateBody;
use bollard::models::EndpointSettings;
use bollard::models::HostConfig;
use bollard::models::NetworkCreateRequest;
use bollard::models::NetworkingConfig;
use bollard::models::RestartPolicy;
use bollard::models::RestartPolicyNameEnum;
use bollard::query_parameters::CreateContainerOptionsBuilder;
use bollard::query_parameters::InspectContainerOptions;
use bollard::query_parameters::InspectNetworkOptions;
use bollard::query_parameters::RemoveContainerOptionsBuilder;
use bollard::query_parameters::StartContainerOptions;

use crate::machine::contract::LabIdentity;
use crate::machine::contract::NodeSpec;
use crate::machine::docker::connection::DockerConnection;
use crate::machine::docker::engine::Engine;
use crate::machine::docker::engine::SHORT;
use crate::machine::docker::engine::status_of;
use crate::machine::docker::image_name;
use crate::machine::error::MachineError;

/// Label: lab name.
pub const LAB: &str = "benchtop.lab";
/// Label: run id.
pub const RUN: &str = "benchtop.run";
/// Label: owner.
pub const OWNER: &str = "benchtop.owner";
/// Label: node name.
pub const NODE: &str = "benchtop.node";
/// Label: hash of image and packages; another one means another container.
const SPEC: &str = "benchtop.spec";
/// Processes and threads a node may have.
const PIDS: i64 = 8192;
/// Removing takes long when much was written or the engine is busy.
const REMOVAL: Duration = Duration::from_secs(60);

type Labels = HashMap<String, String>;

/// `benchtop-LAB`.
#[must_use]
pub fn network_name(lab: &str) -> String {
    format!("benchtop-{lab}")
}

/// `benchtop-LAB-NODE`.
#[must_use]
pub fn container_name(lab: &str, node: &str) -> String {
    format!("benchtop-{lab}-{node}")
}

fn lab_labels(lab: &LabIdentity) -> Labels {
    [(LAB, &lab.lab), (RUN, &lab.run), (OWNER, &lab.owner)]
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .into()
}

fn has(labels: Option<&Labels>, name: &str, value: &str) -> bool {
    labels.and_then(|labels| labels.get(name)).is_some_and(|found| found == value)
}

fn foreign(what: &str, name: &str) -> MachineError {
    MachineError::Engine {
        doing: format!("create {what} {name}"),
        source: format!("a {what} of that name exists that this lab did not make; it is left alone").into(),
    }
}

/// Makes the lab's network, or finds it.
///
/// # Errors
/// [`MachineError::Engine`], also when the name is taken by a network that is not ours.
pub async fn ensure_network(engine: &Engine, lab: &LabIdentity) -> Result<(), MachineError> {
    let name = network_name(&lab.lab);
    let look = engine.docker.inspect_network(&name, None::<InspectNetworkOptions>);
    if let Some(found) = engine.find(&format!("look for network {name}"), look).await? {
        let is_ours = has(found.labels.as_ref(), LAB, &lab.lab);
        return if is_ours { Ok(()) } else { Err(foreign("network", &name)) };
    }
    let request = NetworkCreateRequest {
        name: name.clone(),
        driver: Some("bridge".to_owned()),
        labels: Some(lab_labels(lab)),
        ..NetworkCreateRequest::default()
    };
    let doing = format!("create network {name}");
    let docker = engine.docker.clone();
    let creation = async move { docker.create_network(request).await };
    engine.make(&doing, SHORT, creation).await.map(drop)
}

/// Removes a network; its last container may need a moment to be off it.
///
/// # Errors
/// [`MachineError::Engine`] when something is still on it after a few seconds.
pub async fn remove_network(engine: &Engine, id: &str, name: &str) -> Result<(), MachineError> {
    let doing = format!("remove network {name}");
    retried(20, || gone(engine, &doing, engine.docker.remove_network(id))).await
}

async fn retried<F: Future<Output = Result<(), MachineError>>>(
    times: u32,
    act: impl Fn() -> F,
) -> Result<(), MachineError> {
    let mut last = act().await;
    for _ in 1..times {
        if last.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
        last = act().await;
    }
    last
}

/// What is not there any more is as good as removed.
async fn gone(
    engine: &Engine,
    doing: &str,
    removal: impl Future<Output = Result<(), bollard::errors::Error>>,
) -> Result<(), MachineError> {
    let softened = async {
        match removal.await {
            Err(error) if status_of(&error) == Some(404) => Ok(()),
            other => other,
        }
    };
    engine.call(doing, REMOVAL, softened).await
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
    match found {
        Some(container) if keep => {
            if !limits_match(container.host_config.as_ref(), node, engine) {
                let doing = format!("change the limits of container {name}");
                let update = engine.docker.update_container(&name, update_body(node, engine));
                engine.call(&doing, SHORT, update).await?;
            }
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
        }
    }
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
    let address = address_of(&container, &network_name(lab)).ok_or_else(|| MachineError::Engine {
        doing: doing(),
        source: "it has no address on the lab's network".into(),
    })?;
    probe(node, address).await?;
    let image = container.config.as_ref().and_then(|config| config.image.clone()).unwrap_or_default();
    let id = container.id.unwrap_or(name);
    Ok(DockerConnection::new(engine.clone(), id, node.to_owned(), address, image))
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

fn address_of(container: &ContainerInspectResponse, network: &str) -> Option<IpAddr> {
    let networks = container.network_settings.as_ref()?.networks.as_ref()?;
    networks.get(network)?.ip_address.as_ref()?.parse().ok()
}

fn create_body(lab: &LabIdentity, node: &NodeSpec, image: &str) -> ContainerCreateBody {
    let network = network_name(&lab.lab);
    let mut labels = lab_labels(lab);
    labels.insert(NODE.to_owned(), node.name.clone());
    labels.insert(SPEC.to_owned(), image_name::node_hash(&node.image, &node.packages));
    let endpoint = EndpointSettings { aliases: Some(vec![node.name.clone()]), ..EndpointSettings::default() };
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
        networking_config: Some(NetworkingConfig { endpoints_config: Some([(network, endpoint)].into()) }),
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
