//! A variant's actions: node, service, action and arguments must exist.

use indexmap::IndexMap;

use crate::model::experiment::Action;
use crate::model::parameter::ParameterValue;
use crate::model::software::ActionSpec;
use crate::model::topology::Node;
use crate::model::topology::Topology;
use crate::scenario::language::GENERIC_ACTIONS;
use crate::scenario::lower::Context;
use crate::scenario::lower::topology::node_names;
use crate::scenario::lower::topology::unknown_node;
use crate::scenario::lower::topology::unknown_service;
use crate::scenario::path::Path;
use crate::scenario::problem::Complaint;
use crate::scenario::read;
use crate::scenario::read::Values;

/// Lowers the actions of a variant. `path` is the variant's.
pub(in crate::scenario) fn actions(
    context: &mut Context<'_, '_, '_>,
    topology: &Topology,
    variant: &Values,
    path: &Path,
) -> Vec<Action> {
    let mut actions = Vec::new();
    for (position, value) in read::list(variant, "actions").iter().enumerate() {
        let ParameterValue::Map(values) = value else { continue };
        let here = path.key("actions").index(position);
        if let Some(action) = one(context, topology, values, &here) {
            actions.push(action);
        }
    }
    actions
}

fn one(
    context: &mut Context<'_, '_, '_>,
    topology: &Topology,
    values: &Values,
    path: &Path,
) -> Option<Action> {
    let (name, what) = (read::text(values, "node")?, read::text(values, "do")?);
    let node = match node(topology, &name) {
        Ok(node) => node,
        Err(complaint) => {
            context.complain(&path.key("node"), complaint);
            return None;
        }
    };
    let place = path.key("do");
    let Some((service, action)) = what.split_once('.') else {
        let services: Vec<String> = node.services.keys().map(|service| format!("{service}.{what}")).collect();
        let complaint = Complaint::new(format!("`{what}` names no service"))
            .among(&what, services.iter().map(String::as_str));
        context.complain(&place, Complaint { allowed: Some("`SERVICE.ACTION`".to_owned()), ..complaint });
        return None;
    };
    let known: Vec<String> = node.services.keys().cloned().collect();
    let Some(found) = node.services.get(service) else {
        context.complain(&place, unknown_service(&name, service, &known));
        return None;
    };
    let software = context.catalog.get(&found.software)?;
    let arguments = arguments(values);
    if let Some(spec) = software.actions.get(action) {
        check_arguments(context, topology, spec, &arguments, path);
    } else {
        let generic = GENERIC_ACTIONS.iter().copied().filter(|_| software.service.is_some());
        let names: Vec<&str> = software.actions.keys().map(String::as_str).chain(generic).collect();
        if !names.contains(&action) {
            context.complain(
                &place,
                Complaint::new(format!("`{service}` has no action `{action}`")).among(action, names),
            );
            return None;
        }
        if let Some(argument) = arguments.keys().next() {
            let complaint = Complaint::new(format!("`{action}` takes no arguments")).allowed("no `with:`");
            context.complain(&path.key("with").key(argument), complaint);
        }
    }
    Some(Action {
        node: node.name.clone(),
        service: service.to_owned(),
        action: action.to_owned(),
        arguments,
        at_s: None,
    })
}

/// The one node a name means.
fn node<'a>(topology: &'a Topology, name: &'a str) -> Result<&'a Node, Complaint> {
    let members: Vec<&Node> = topology.members(name).collect();
    match members.as_slice() {
        [node] => Ok(node),
        [] => Err(unknown_node(topology, name)),
        several => {
            let names: Vec<&str> = several.iter().map(|node| node.name.as_str()).collect();
            Err(Complaint::new(format!(
                "an action is done on one node; `{name}` is a group of {}",
                names.len()
            ))
            .allowed(format!("one of {}", crate::scenario::problem::one_of(&names))))
        }
    }
}

fn arguments(values: &Values) -> IndexMap<String, String> {
    let with = read::map(values, "with");
    with.into_iter()
        .flatten()
        .filter_map(|(name, _)| Some((name.clone(), read::text(with?, name)?)))
        .collect()
}

fn check_arguments(
    context: &mut Context<'_, '_, '_>,
    topology: &Topology,
    spec: &ActionSpec,
    arguments: &IndexMap<String, String>,
    path: &Path,
) {
    for (name, value) in arguments {
        let here = path.key("with").key(name);
        let Some(argument) = spec.arguments.get(name) else {
            let known = spec.arguments.keys().map(String::as_str);
            let complaint = Complaint::new(format!("unknown argument `{name}`")).among(name, known);
            context.problems.add(&context.tree.locate_key(&here), &here, complaint);
            continue;
        };
        let names = node_names(topology);
        let node = value.split('.').next().unwrap_or(value);
        if argument.member && !names.contains(&node) {
            let complaint =
                Complaint::warning(format!("`{value}` is no node of this variant")).among(value, names);
            context.complain(&here, complaint);
        }
    }
    let missing = spec
        .arguments
        .iter()
        .filter(|(name, argument)| argument.default.is_none() && !arguments.contains_key(name.as_str()));
    for (name, argument) in missing {
        let complaint =
            Complaint::new(format!("the argument `{name}` is missing")).allowed(argument.doc.clone());
        context.complain(&path.key("with"), complaint);
    }
}
