//! Items of evidence: looked up in every variant they are shown of, taken as they are in the first.

use indexmap::IndexMap;

use crate::catalog::Catalog;
use crate::model::experiment::Variant;
use crate::model::hand_in::EvidenceItem;
use crate::model::hand_in::EvidenceSource;
use crate::model::hand_in::Login;
use crate::model::parameter::ParameterValue;
use crate::model::secret::Secret;
use crate::model::topology::Node;
use crate::model::topology::Service;
use crate::scenario::lower::Around;
use crate::scenario::lower::Context;
use crate::scenario::lower::actions::Purpose;
use crate::scenario::lower::actions::find;
use crate::scenario::lower::actions::one_node;
use crate::scenario::lower::target::host_of;
use crate::scenario::lower::target::port_of;
use crate::scenario::lower::target::unserved;
use crate::scenario::lower::topology::node_names;
use crate::scenario::lower::topology::service_of;
use crate::scenario::path::Path;
use crate::scenario::problem::Complaint;
use crate::scenario::problem::one_of;
use crate::scenario::read;
use crate::scenario::read::Values;

/// Lowers `evidence`.
pub(in crate::scenario) fn evidence(
    around: &mut Around<'_, '_, '_>,
    catalog: &Catalog,
    variants: &IndexMap<String, Variant>,
    values: &Values,
) -> Vec<EvidenceItem> {
    let mut items = Vec::new();
    for (position, value) in read::list(values, "evidence").iter().enumerate() {
        let ParameterValue::Map(item) = value else { continue };
        let path = Path::of(&["evidence"]).index(position);
        let (Some(title), Some(node)) = (read::text(item, "title"), read::text(item, "node")) else {
            continue;
        };
        let mut found: IndexMap<String, EvidenceItem> = IndexMap::new();
        for variant in shown(around, variants, (item, &node), &path) {
            around.problems.enter(Some(&variant.name));
            let mut context = Context { tree: around.tree, catalog, problems: around.problems };
            for (node, source) in sources(&mut context, variant, (item, &node), &path) {
                match found.get_mut(&node) {
                    Some(first) if first.source == source => first.variants.push(variant.name.clone()),
                    Some(first) => {
                        context.complain(&path, differs(&first.variants[0], variant));
                        first.variants.push(variant.name.clone());
                    }
                    None => {
                        let variants = vec![variant.name.clone()];
                        let title = title.clone();
                        found.insert(node.clone(), EvidenceItem { title, node, source, variants });
                    }
                }
            }
        }
        around.problems.enter(None);
        items.extend(found.into_values());
    }
    items
}

fn differs(first: &str, variant: &Variant) -> Complaint {
    let message = format!("port, login or host differ from those in variant `{first}`, which are used");
    Complaint::warning(message).allowed(format!("an item of its own with `in: [{}]`", variant.name))
}

/// The variants an item is shown of: those of `in`, else all that have its node.
fn shown<'a>(
    around: &mut Around<'_, '_, '_>,
    variants: &'a IndexMap<String, Variant>,
    (item, node): (&Values, &str),
    path: &Path,
) -> Vec<&'a Variant> {
    let have = |variant: &&Variant| variant.topology.members(node).next().is_some();
    let all: Vec<&Variant> = variants.values().filter(have).collect();
    let named = read::texts(item, "in");
    for (position, name) in named.iter().enumerate() {
        let here = path.key("in").index(position);
        if let Err(complaint) = around.variant(name) {
            around.complain(&here, complaint);
        } else if variants.contains_key(name) && !all.is_empty() && !all.iter().any(|one| one.name == *name) {
            let having: Vec<&str> = all.iter().map(|variant| variant.name.as_str()).collect();
            let complaint = Complaint::new(format!("variant `{name}` has no node `{node}`"));
            around.complain(&here, complaint.allowed(format!("variants that have it: {}", one_of(&having))));
        }
    }
    if all.is_empty() && !variants.is_empty() {
        let mut known: Vec<&str> = Vec::new();
        for name in variants.values().flat_map(|variant| node_names(&variant.topology)) {
            if !known.contains(&name) {
                known.push(name);
            }
        }
        let complaint = Complaint::new(format!("unknown node `{node}`")).among(node, known);
        around.complain(&path.key("node"), complaint);
    }
    all.into_iter().filter(|variant| named.is_empty() || named.contains(&variant.name)).collect()
}

/// What an item shows in one variant, by node.
fn sources(
    context: &mut Context<'_, '_, '_>,
    variant: &Variant,
    (item, name): (&Values, &str),
    path: &Path,
) -> Vec<(String, EvidenceSource)> {
    let topology = &variant.topology;
    if item.contains_key("get") {
        return match one_node(topology, name, "a path is asked of one node") {
            Ok(node) => get(context, variant, (item, node), path)
                .map(|source| (node.name.clone(), source))
                .into_iter()
                .collect(),
            Err(complaint) => {
                context.complain(&path.key("node"), complaint);
                Vec::new()
            }
        };
    }
    let mut found = Vec::new();
    for node in topology.members(name) {
        let source = if item.contains_key("do") {
            find(context, topology, (node, Purpose::Look), item, path).map(|action| EvidenceSource::Action {
                service: action.service,
                action: action.action,
                arguments: action.arguments,
            })
        } else {
            config(context, (item, node), path)
        };
        found.extend(source.map(|source| (node.name.clone(), source)));
    }
    found
}

fn config(
    context: &mut Context<'_, '_, '_>,
    (item, node): (&Values, &Node),
    path: &Path,
) -> Option<EvidenceSource> {
    let service = read::text(item, "config")?;
    let found = service_of(node, &node.group, &service);
    let software = found.as_ref().ok().and_then(|service| context.catalog.get(&service.software));
    let complaint = match &found {
        Err(complaint) => complaint.clone(),
        Ok(_) if software.is_some_and(|software| software.files.is_empty()) => {
            Complaint::new(format!("`{service}` has no configuration file")).allowed("a service that has one")
        }
        Ok(_) => return Some(EvidenceSource::Config { service }),
    };
    context.complain(&path.key("config"), complaint);
    None
}

fn get(
    context: &mut Context<'_, '_, '_>,
    variant: &Variant,
    (item, node): (&Values, &Node),
    path: &Path,
) -> Option<EvidenceSource> {
    let asked = read::text(item, "get")?;
    let auth = read::text(item, "auth");
    let login = match auth.as_ref().map(|auth| login(node, auth)).transpose() {
        Ok(login) => login,
        Err(complaint) => {
            context.complain(&path.key("auth"), complaint);
            return None;
        }
    };
    let target = variant.topology.members(&variant.target.node).any(|member| member.name == node.name);
    let url = Some(&variant.target.url).filter(|_| target);
    let given = match item.get("port") {
        Some(ParameterValue::Port(port)) => Some(*port),
        _ => None,
    };
    let of_login = login.as_ref().map(|(service, _)| service.port());
    let of_url = url.map(|url| port_of(url).ok());
    let of_node = || node.services.values().filter(|service| service.enabled).find_map(Service::port);
    let Some(port) = given.or_else(|| of_login.or(of_url).unwrap_or_else(of_node)) else {
        let complaint = Complaint::new(format!("nothing says which port of node `{}` is asked", node.group));
        context.complain(path, complaint.allowed("`port:`"));
        return None;
    };
    if let Some(complaint) = unserved(&variant.topology, &node.name, port) {
        context.complain(&path.key(if given.is_some() { "port" } else { "get" }), complaint);
    }
    let status = read::count(item, "status").and_then(|status| u16::try_from(status).ok());
    let (host, login) = (url.and_then(|url| host_of(url)), login.map(|(_, login)| login));
    Some(EvidenceSource::Get { port, path: asked, host, login, status })
}

/// The login a parameter of a node's service holds.
fn login<'a>(node: &'a Node, auth: &str) -> Result<(&'a Service, Login), Complaint> {
    let (service, parameter) = auth.split_once('.').unwrap_or((auth, ""));
    let service = service_of(node, &node.group, service)?;
    if let Some(login) = service.parameters.get(parameter).and_then(held) {
        return Ok((service, login));
    }
    let logins: Vec<String> = node
        .services
        .values()
        .flat_map(|service| service.parameters.iter().map(move |parameter| (service, parameter)))
        .filter(|(_, (_, value))| held(value).is_some())
        .map(|(service, (name, _))| format!("{}.{name}", service.name))
        .collect();
    let complaint = Complaint::new(format!("`{auth}` holds no `user` and `password`"));
    Err(if logins.is_empty() {
        complaint.allowed("`SERVICE.PARAMETER`, both given in that parameter")
    } else {
        complaint.among(auth, logins.iter().map(String::as_str))
    })
}

fn held(value: &ParameterValue) -> Option<Login> {
    let ParameterValue::Map(map) = value else { return None };
    let (user, password) = read::text(map, "user").zip(read::text(map, "password"))?;
    Some(Login { user, password: Secret::new(password) })
}
