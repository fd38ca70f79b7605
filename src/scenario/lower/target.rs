//! The target of one variant: its URL, the node it leads to, and whether anything there listens.

use indexmap::IndexMap;

use crate::model::load::Expect;
use crate::model::load::HeaderValue;
use crate::model::load::Spread;
use crate::model::load::Target;
use crate::model::parameter::ParameterValue;
use crate::model::secret::Secret;
use crate::model::topology::Topology;
use crate::scenario::conceal::is_secret_header;
use crate::scenario::lower::Context;
use crate::scenario::lower::clashes::ports_of;
use crate::scenario::lower::topology::unknown_node;
use crate::scenario::path::Path;
use crate::scenario::problem::Complaint;
use crate::scenario::read;
use crate::scenario::read::Values;

/// Lowers `target`; nothing comes back when its URL or node is no good.
pub(in crate::scenario) fn target(
    context: &mut Context<'_, '_, '_>,
    values: &Values,
    topology: &Topology,
) -> Option<Target> {
    let target = read::map(values, "target")?;
    let path = Path::of(&["target"]);
    let url = read::text(target, "url");
    let port = url.as_deref().and_then(|url| match port_of(url) {
        Ok(port) => Some(port),
        Err(complaint) => {
            context.complain(&path.key("url"), complaint);
            None
        }
    });
    let node = read::text(target, "node")?;
    if topology.members(&node).next().is_none() {
        context.complain(&path.key("node"), unknown_node(topology, &node));
        return None;
    }
    let port = port?;
    if let Some(complaint) = unserved(topology, &node, port) {
        context.complain(&path.key("url"), complaint);
    }
    let spread = match read::text(target, "spread").as_deref() {
        Some("first") => Spread::First,
        _ => Spread::RoundRobin,
    };
    Some(Target { url: url?, node, spread, headers: headers(target), expect: expect(target) })
}

/// What is doubtful about a URL whose port nobody on its node serves.
pub(super) fn unserved(topology: &Topology, node: &str, port: u16) -> Option<Complaint> {
    (!served(topology, node, port)).then(|| {
        Complaint::warning(format!("nothing that runs on node `{node}` listens on port {port}"))
            .allowed("a port of an enabled service there")
    })
}

fn served(topology: &Topology, node: &str, port: u16) -> bool {
    topology.members(node).any(|member| {
        let running = member.services.values().filter(|service| service.enabled);
        running.flat_map(|service| ports_of(service, &Path::default())).any(|(found, _)| found == port)
    })
}

fn headers(target: &Values) -> IndexMap<String, HeaderValue> {
    let given = read::map(target, "headers").into_iter().flatten();
    given
        .filter_map(|(name, value)| match value {
            ParameterValue::Text(text) if is_secret_header(name) => {
                Some((name.clone(), HeaderValue::Secret(Secret::new(text.clone()))))
            }
            ParameterValue::Text(text) => Some((name.clone(), HeaderValue::Plain(text.clone()))),
            ParameterValue::Secret(secret) => Some((name.clone(), HeaderValue::Secret(secret.clone()))),
            _ => None,
        })
        .collect()
}

fn expect(target: &Values) -> Expect {
    let empty = Values::new();
    let expect = read::map(target, "expect").unwrap_or(&empty);
    let status = read::count(expect, "status").and_then(|status| u16::try_from(status).ok()).unwrap_or(200);
    Expect { status, contains: read::text(expect, "contains"), min_bytes: read::count(expect, "min_bytes") }
}

/// The host of a URL that was found to be right.
pub(super) fn host_of(url: &str) -> Option<String> {
    let rest = url.strip_prefix("http://")?;
    Some(host_and_port(rest.split(['/', '?', '#']).next()?).0.to_owned())
}

fn host_and_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

/// The port of a URL this version can load.
///
/// # Errors
/// What is wrong with the URL.
pub(super) fn port_of(url: &str) -> Result<u16, Complaint> {
    let wrong =
        |message: &str| Complaint::new(message).allowed("`http://host/path` or `http://host:port/path`");
    if url.starts_with("https://") {
        return Err(wrong("`https://` is not supported by this version"));
    }
    let rest = url.strip_prefix("http://").ok_or_else(|| wrong("the URL does not begin with `http://`"))?;
    if url.chars().any(|character| character.is_control() || character.is_whitespace()) || !url.is_ascii() {
        return Err(wrong("the URL holds blanks or characters that must be percent-encoded"));
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(wrong("a user in the URL would be shown everywhere: use `headers: {Authorization: …}`"));
    }
    let (host, port) = host_and_port(authority);
    let bracketed = host.starts_with('[') && host.ends_with(']');
    let legal = |c: char| {
        c.is_ascii_alphanumeric() || c == '.' || c == '-' || c == '_' || (bracketed && "[]:".contains(c))
    };
    if host.is_empty() || !host.chars().all(legal) {
        return Err(wrong("the URL has no valid host"));
    }
    match port {
        None => Ok(80),
        Some(port) => {
            let number = port.parse::<u16>().ok().filter(|number| *number > 0);
            number.ok_or_else(|| wrong("the URL's port is not a number from 1 to 65535"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_http_with_a_host_can_be_loaded() {
        assert_eq!(port_of("http://www.example.org/wordpress/").unwrap(), 80);
        assert_eq!(port_of("http://[::1]:8080/").unwrap(), 8080);
        assert_eq!(port_of("http://web:81").unwrap(), 81);
        assert_eq!(host_of("http://[::1]:8080/").as_deref(), Some("[::1]"));
        assert_eq!(host_of("http://www.example.org/wordpress/").as_deref(), Some("www.example.org"));
        assert!(port_of("https://web/").unwrap_err().message.contains("not supported"));
        for url in [
            "web/",
            "http:///x",
            "http://web:0/",
            "http://web:x/",
            "http://a:b@web/",
            "http://we b/",
            "http://web:/",
        ] {
            assert!(port_of(url).is_err(), "{url}");
        }
    }
}
