//! The networks of a lab: the private one of every lab, and the public one where a node is on it. Bridges of one engine
//! do not reach each other, so a node that is only on one is out of reach for those only on the other. A network of the
//! same name that is not ours is never touched.

use std::collections::BTreeSet;
use std::net::IpAddr;

use bollard::models::ContainerInspectResponse;
use bollard::models::EndpointSettings;
use bollard::models::NetworkConnectRequest;
use bollard::models::NetworkCreateRequest;
use bollard::models::NetworkDisconnectRequest;
use bollard::query_parameters::InspectNetworkOptions;

use crate::machine::contract::LabIdentity;
use crate::machine::contract::NodeSpec;
use crate::machine::docker::engine::Engine;
use crate::machine::docker::engine::SHORT;
use crate::machine::docker::labels;
use crate::machine::docker::removal;
use crate::machine::error::MachineError;
use crate::model::topology::Network;

/// Every network that a lab can have, the one between its nodes first.
const ALL: [Network; 2] = [Network::Private, Network::Public];

/// `benchtop-LAB`, and `benchtop-LAB-public`.
#[must_use]
pub fn name_of(lab: &str, network: Network) -> String {
    match network {
        Network::Private => format!("benchtop-{lab}"),
        Network::Public => format!("benchtop-{lab}-public"),
    }
}

/// The networks a node must be on, the private one first; none said means that one.
fn wanted(node: &NodeSpec) -> Vec<Network> {
    let said: Vec<Network> = ALL.into_iter().filter(|network| node.networks.contains(network)).collect();
    if said.is_empty() { vec![Network::Private] } else { said }
}

/// The network a node's container is made on; [`join`] puts it on the others.
#[must_use]
pub fn first(node: &NodeSpec) -> Network {
    wanted(node).first().copied().unwrap_or_default()
}

/// How a node is known on a network: by its name.
#[must_use]
pub fn endpoint(node: &NodeSpec) -> EndpointSettings {
    EndpointSettings { aliases: Some(vec![node.name.clone()]), ..EndpointSettings::default() }
}

/// Makes the networks that a lab of these nodes needs, or finds them.
///
/// # Errors
/// [`MachineError::Engine`], also when a name is taken by a network that is not ours.
pub async fn ensure(engine: &Engine, lab: &LabIdentity, nodes: &[NodeSpec]) -> Result<(), MachineError> {
    ensure_one(engine, lab, Network::Private).await?;
    if nodes.iter().any(|node| node.networks.contains(&Network::Public)) {
        ensure_one(engine, lab, Network::Public).await?;
    }
    Ok(())
}

async fn ensure_one(engine: &Engine, lab: &LabIdentity, network: Network) -> Result<(), MachineError> {
    let name = name_of(&lab.lab, network);
    let look = engine.docker.inspect_network(&name, None::<InspectNetworkOptions>);
    if let Some(found) = engine.find(&format!("look for network {name}"), look).await? {
        let is_ours = labels::has(found.labels.as_ref(), labels::LAB, &lab.lab);
        return if is_ours { Ok(()) } else { Err(labels::foreign("network", &name)) };
    }
    let request = NetworkCreateRequest {
        name: name.clone(),
        driver: Some("bridge".to_owned()),
        labels: Some(labels::lab_labels(lab)),
        ..NetworkCreateRequest::default()
    };
    let doing = format!("create network {name}");
    let docker = engine.docker.clone();
    let creation = async move { docker.create_network(request).await };
    engine.make(&doing, SHORT, creation).await.map(drop)
}

/// Puts the node's container on the lab's networks it must be on, and takes it off the others of the lab. It keeps
/// running, and networks that are not the lab's stay as they are.
///
/// # Errors
/// [`MachineError::Engine`].
pub async fn join(
    engine: &Engine,
    lab: &str,
    node: &NodeSpec,
    container: &str,
    joined: &BTreeSet<String>,
) -> Result<(), MachineError> {
    let wanted = wanted(node);
    for network in &wanted {
        let name = name_of(lab, *network);
        if !joined.contains(&name) {
            let request = NetworkConnectRequest {
                container: container.to_owned(),
                endpoint_config: Some(endpoint(node)),
            };
            let doing = format!("connect container {container} to network {name}");
            engine.call(&doing, SHORT, engine.docker.connect_network(&name, request)).await?;
        }
    }
    for network in ALL.into_iter().filter(|network| !wanted.contains(network)) {
        let name = name_of(lab, network);
        if joined.contains(&name) {
            let request = NetworkDisconnectRequest { container: container.to_owned(), force: Some(true) };
            let doing = format!("disconnect container {container} from network {name}");
            removal::gone(engine, &doing, engine.docker.disconnect_network(&name, request)).await?;
        }
    }
    Ok(())
}

/// The networks a container is on, by name.
#[must_use]
pub fn joined(container: &ContainerInspectResponse) -> BTreeSet<String> {
    let networks = container.network_settings.as_ref().and_then(|settings| settings.networks.as_ref());
    networks.map(|networks| networks.keys().cloned().collect()).unwrap_or_default()
}

/// A node's addresses: the one the other nodes use (on the private network where it has one there) and the one the
/// client uses (on the public network where it has one there).
#[must_use]
pub fn addresses(container: &ContainerInspectResponse, lab: &str) -> Option<(IpAddr, IpAddr)> {
    let on = |network| address_on(container, &name_of(lab, network));
    let (private, public) = (on(Network::Private), on(Network::Public));
    Some((private.or(public)?, public.or(private)?))
}

fn address_on(container: &ContainerInspectResponse, network: &str) -> Option<IpAddr> {
    let networks = container.network_settings.as_ref()?.networks.as_ref()?;
    networks.get(network)?.ip_address.as_ref()?.parse().ok()
}

/// Removes a network; its last container may need a moment to be off it.
///
/// # Errors
/// [`MachineError::Engine`] when something is still on it after a few seconds.
pub async fn remove(engine: &Engine, id: &str, name: &str) -> Result<(), MachineError> {
    let doing = format!("remove network {name}");
    removal::retried(20, || removal::gone(engine, &doing, engine.docker.remove_network(id))).await
}

#[cfg(test)]
mod tests {
    use bollard::models::NetworkSettings;

    use super::*;

    fn on(networks: &[(&str, &str)]) -> ContainerInspectResponse {
        let networks = networks.iter().map(|(name, address)| {
            let endpoint =
                EndpointSettings { ip_address: Some((*address).to_owned()), ..EndpointSettings::default() };
            ((*name).to_owned(), endpoint)
        });
        ContainerInspectResponse {
            network_settings: Some(NetworkSettings {
                networks: Some(networks.collect()),
                ..NetworkSettings::default()
            }),
            ..ContainerInspectResponse::default()
        }
    }

    #[test]
    fn nodes_talk_on_the_private_network_and_clients_on_the_public_one() {
        let (private, public) = (("benchtop-shop", "172.18.0.2"), ("benchtop-shop-public", "172.19.0.2"));
        let seen = |networks: &[(&str, &str)]| {
            addresses(&on(networks), "shop").map(|(own, client)| (own.to_string(), client.to_string()))
        };
        let pair = |own: &str, client: &str| Some((own.to_owned(), client.to_owned()));
        assert_eq!(seen(&[private, public]), pair(private.1, public.1));
        assert_eq!(seen(&[private]), pair(private.1, private.1));
        assert_eq!(seen(&[public]), pair(public.1, public.1));
        assert_eq!(seen(&[("bridge", "172.17.0.2")]), None, "another network is none of the lab's");
        assert_eq!(seen(&[("benchtop-shop", "")]), None, "a container that does not run has no address");
    }
}
