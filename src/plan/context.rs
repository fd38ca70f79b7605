//! What a service's templates may look at, once with the real values and once with every secret masked.

use std::net::{IpAddr, Ipv4Addr};

use serde_json::{Map, Value, json};

use crate::model::parameter::ParameterValue;
use crate::model::secret::MASK;
use crate::model::software::Software;
use crate::model::topology::{Node, Service, ServiceRef};
use crate::plan::error::PlanError;
use crate::plan::planned::{NodeAddress, Surroundings};
use crate::render::render;

/// Stands for a node whose address is not known yet (RFC 5737).
const DOCUMENTATION: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// A service with everything its templates need.
pub(super) struct Scene<'a> {
    pub(super) reference: ServiceRef,
    pub(super) service: &'a Service,
    pub(super) software: &'a Software,
    pub(super) dir: String,
    real: Value,
    masked: Value,
}

/// A text with its secrets, and the same text without them.
pub(super) struct Rendered {
    pub(super) real: String,
    pub(super) masked: String,
}

impl<'a> Scene<'a> {
    /// Looks the service up and builds its context.
    pub(super) fn new(surroundings: &Surroundings<'a>, reference: &ServiceRef) -> Result<Self, PlanError> {
        let missing = || PlanError::NoSuchService(reference.clone());
        let node = surroundings.topology.nodes.get(&reference.node).ok_or_else(missing)?;
        let service = node.services.get(&reference.service).ok_or_else(missing)?;
        let software = surroundings.catalog.get(&service.software).ok_or_else(|| {
            PlanError::NoSuchSoftware { service: reference.clone(), software: service.software.clone() }
        })?;
        let build = |secrets| context(surroundings, node, service, software, secrets);
        Ok(Self {
            reference: reference.clone(),
            service,
            software,
            dir: directory(surroundings.root, &service.name),
            real: build(Secrets::Revealed),
            masked: build(Secrets::Masked),
        })
    }

    /// The same scene for an action with its arguments.
    pub(super) fn with_arguments(mut self, arguments: &Map<String, Value>) -> Self {
        for context in [&mut self.real, &mut self.masked] {
            context["arguments"] = Value::Object(arguments.clone());
        }
        self
    }

    /// Renders text that may hold secrets.
    pub(super) fn render(&self, what: &str, template: &str) -> Result<Rendered, PlanError> {
        let one = |context| {
            render(what, template, context).map_err(|source| PlanError::Render {
                service: self.reference.clone(),
                what: what.to_owned(),
                source: Box::new(source),
            })
        };
        Ok(Rendered { real: one(&self.real)?, masked: one(&self.masked)? })
    }

    /// Renders text that others will see, such as a command line: a secret in it is an error.
    pub(super) fn script(&self, what: &str, template: &str) -> Result<String, PlanError> {
        let rendered = self.render(what, template)?;
        if rendered.real != rendered.masked {
            return Err(PlanError::SecretShown { service: self.reference.clone(), what: what.to_owned() });
        }
        Ok(rendered.real)
    }

    /// [`Self::script`] of a text that may be absent.
    pub(super) fn optional(
        &self,
        what: &str,
        template: Option<&String>,
    ) -> Result<Option<String>, PlanError> {
        template.map(|template| self.script(what, template)).transpose()
    }

    /// The port a template gives, or the service's own when there is no template.
    pub(super) fn port(&self, what: &str, template: Option<&String>) -> Result<u16, PlanError> {
        let Some(text) = self.optional(what, template)? else {
            return self
                .service
                .port()
                .ok_or_else(|| PlanError::NoPort { service: self.reference.clone(), what: what.to_owned() });
        };
        match text.trim().parse::<u16>() {
            Ok(port) if port > 0 => Ok(port),
            _ => Err(PlanError::NotAPort { service: self.reference.clone(), what: what.to_owned(), text }),
        }
    }

    /// An absolute path in the instance directory.
    pub(super) fn inside(&self, relative: &str) -> String {
        format!("{}/{relative}", self.dir)
    }
}

/// The instance directory of a service.
pub(super) fn directory(root: &str, service: &str) -> String {
    format!("{}/{service}", root.trim_end_matches('/'))
}

/// The user a service's workers run as: the manifest's where the lab is root, else the lab's own.
pub(super) fn user<'a>(surroundings: &Surroundings<'a>, software: &'a Software) -> &'a str {
    let own = software.service.as_ref().and_then(|service| service.user.as_deref());
    surroundings.unprivileged_user.or(own).unwrap_or("root")
}

#[derive(Clone, Copy)]
enum Secrets {
    Revealed,
    Masked,
}

fn context(
    surroundings: &Surroundings<'_>,
    node: &Node,
    service: &Service,
    software: &Software,
    secrets: Secrets,
) -> Value {
    let own = address(surroundings, &node.name);
    let known = surroundings.facts.get(&node.name);
    let facts: Map<String, Value> = software
        .facts
        .keys()
        .map(|name| {
            let fact = known.and_then(|facts| facts.get(name));
            (name.clone(), Value::from(fact.cloned().unwrap_or_else(|| format!("<fact {name}>"))))
        })
        .collect();
    let relations: Map<String, Value> = software
        .relations
        .keys()
        .map(|name| {
            let targets = service.relations.get(name).map(Vec::as_slice).unwrap_or_default();
            let ends = targets.iter().filter_map(|target| end(surroundings, target, secrets));
            (name.clone(), Value::Array(ends.collect()))
        })
        .collect();
    json!({
        "lab": surroundings.lab,
        "dir": directory(surroundings.root, &service.name),
        "node": {
            "name": node.name,
            "address": own.address.to_string(),
            "bind_address": own.bind_address.to_string(),
            "cpus": node.cpus,
            "memory": node.memory.map(|memory| memory.bytes()),
        },
        "service": {"name": service.name, "port": service.port(), "user": user(surroundings, software)},
        "params": parameters(service, secrets),
        "relations": relations,
        "facts": facts,
    })
}

/// The other end of a relation.
fn end(surroundings: &Surroundings<'_>, target: &ServiceRef, secrets: Secrets) -> Option<Value> {
    let service = surroundings.topology.service(target)?;
    Some(json!({
        "node": target.node,
        "service": target.service,
        "address": address(surroundings, &target.node).address.to_string(),
        "port": service.port(),
        "params": parameters(service, secrets),
        "dir": directory(surroundings.root, &target.service),
    }))
}

fn address(surroundings: &Surroundings<'_>, node: &str) -> NodeAddress {
    let unknown = NodeAddress { address: DOCUMENTATION, bind_address: DOCUMENTATION };
    surroundings.addresses.get(node).copied().unwrap_or(unknown)
}

fn parameters(service: &Service, secrets: Secrets) -> Map<String, Value> {
    service.parameters.iter().map(|(name, value)| (name.clone(), plain(value, secrets))).collect()
}

fn plain(value: &ParameterValue, secrets: Secrets) -> Value {
    match value {
        ParameterValue::Count(count) => Value::from(*count),
        ParameterValue::Number(number) => Value::from(*number),
        ParameterValue::Bytes(size) => Value::from(size.bytes()),
        ParameterValue::Duration(duration) => {
            let nanoseconds = duration.as_nanos();
            match u64::try_from(nanoseconds / 1_000_000) {
                Ok(milliseconds) if nanoseconds % 1_000_000 == 0 => Value::from(milliseconds),
                _ => Value::from(nanoseconds as f64 / 1.0e6),
            }
        }
        ParameterValue::Flag(flag) => Value::from(*flag),
        ParameterValue::Choice(text) | ParameterValue::Text(text) => Value::from(text.as_str()),
        ParameterValue::Secret(secret) => Value::from(match secrets {
            Secrets::Revealed => secret.reveal(),
            Secrets::Masked => MASK,
        }),
        ParameterValue::Port(port) => Value::from(*port),
        ParameterValue::List(members) => members.iter().map(|member| plain(member, secrets)).collect(),
        ParameterValue::Map(members) => {
            members.iter().map(|(name, member)| (name.clone(), plain(member, secrets))).collect()
        }
        ParameterValue::Workers(count) => Value::from(count.workers()),
    }
}
