//! From a target's URL to addresses, host and path.

use std::net::SocketAddr;

use crate::lab::error::{Kind, LabError};
use crate::lab::site::Site;
use crate::loadgen::{CellSpec, FetchRequest};
use crate::model::experiment::Variant;
use crate::model::load::{Level, Spread, Target};
use crate::model::secret::Secret;

/// A target with its parts apart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResolvedTarget {
    pub addresses: Vec<SocketAddr>,
    pub host: String,
    pub path: String,
    pub headers: Vec<(String, Secret)>,
}

/// Splits `http://host:port/path` into host header, port and path.
pub(crate) fn split_url(url: &str) -> Option<(String, u16, String)> {
    let rest = url.strip_prefix("http://")?;
    let (authority, path) = match rest.find(['/', '?']) {
        Some(at) if rest[at..].starts_with('?') => (&rest[..at], format!("/{}", &rest[at..])),
        Some(at) => (&rest[..at], rest[at..].to_owned()),
        None => (rest, "/".to_owned()),
    };
    let path = path.split('#').next().unwrap_or("/").to_owned();
    let port = match authority.rsplit_once(':') {
        Some((_, port)) => port.parse().ok()?,
        None => 80,
    };
    if authority.is_empty() || authority.contains('@') {
        return None;
    }
    Some((authority.to_owned(), port, path))
}

/// Resolves a variant's target on the nodes of a site.
pub(crate) fn resolve(site: &Site<'_>, variant: &Variant) -> Result<ResolvedTarget, LabError> {
    let target: &Target = &variant.target;
    let (host, port, path) = split_url(&target.url).ok_or_else(|| {
        LabError::new(Kind::Scenario, format!("`{}` is no URL this version can ask", target.url))
    })?;
    let mut addresses = Vec::new();
    for node in variant.topology.members(&target.node) {
        addresses.push(SocketAddr::new(site.node(&node.name)?.connection.client_address(), port));
    }
    if target.spread == Spread::First {
        addresses.truncate(1);
    }
    if addresses.is_empty() {
        return Err(LabError::new(
            Kind::Scenario,
            format!("the target's node `{}` has no members", target.node),
        ));
    }
    let headers =
        target.headers.iter().map(|(name, value)| (name.clone(), Secret::new(value.reveal()))).collect();
    Ok(ResolvedTarget { addresses, host, path, headers })
}

impl ResolvedTarget {
    /// The load of one cell.
    pub(crate) fn cell(&self, variant: &Variant, level: &Level) -> CellSpec {
        CellSpec {
            addresses: self.addresses.clone(),
            host: self.host.clone(),
            path: self.path.clone(),
            headers: self.headers.clone(),
            connections: level.connections,
            keep_alive: variant.load.keep_alive,
            warm_up: variant.load.warm_up,
            extent: level.extent,
            timeout: variant.load.timeout,
            expect: variant.target.expect.clone(),
        }
    }

    /// One request to the first address.
    pub(crate) fn fetch(&self, variant: &Variant) -> FetchRequest {
        FetchRequest {
            address: self.addresses[0],
            host: self.host.clone(),
            path: self.path.clone(),
            headers: self.headers.clone(),
            at_most: variant.load.timeout,
            body_bytes_max: 64 << 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_split_into_host_port_and_path() {
        let parts = |url| split_url(url).map(|(host, port, path)| format!("{host} {port} {path}"));
        assert_eq!(parts("http://www.example.org/wordpress/").unwrap(), "www.example.org 80 /wordpress/");
        assert_eq!(parts("http://a:8080").unwrap(), "a:8080 8080 /");
        assert_eq!(parts("http://a?x=1#y").unwrap(), "a 80 /?x=1");
        for url in ["https://a/", "a/", "http:///x", "http://u:p@a/", "http://a:99999/"] {
            assert_eq!(parts(url), None, "{url}");
        }
    }
}
