//! A variant's actions: node, service, action and arguments must exist.

use indexmap::IndexMap;

use crate::model::experiment::Action;
use crate::model::experiment::GENERIC_ACTIONS;
use crate::model::load::Extent;
use crate::model::load::Load;
use crate::model::parameter::ParameterValue;
use crate::model::software::ActionSpec;
use crate::model::software::Software;
use crate::model::topology::Node;
use crate::model::topology::Topology;
use crate::model::unit::show_duration;
use crate::scenario::lower::Context;
use crate::scenario::lower::topology::node_names;
use crate::scenario::lower::topology::service_of;
use crate::scenario::lower::topology::unknown_node;
use crate::scenario::path::Path;
use crate::scenario::problem::Complaint;
use crate::scenario::read;
use crate::scenario::read::Values;

/// What an action is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To do something.
    Act,
    /// To see something: only what the software folder gives no `undo` for, since it changes nothing.
    Look,
}

/// Lowers the actions of a variant. `path` is the variant's, `load` its load when it could be read.
pub(in crate::scenario) fn actions(
    context: &mut Context<'_, '_, '_>,
    (topology, load): (&Topology, Option<&Load>),
    variant: &Values,
    path: &Path,
) -> Vec<Action> {
    let mut actions = Vec::new();
    for (position, value) in read::list(variant, "actions").iter().enumerate() {
        let ParameterValue::Map(values) = value else { continue };
        let here = path.key("actions").index(position);
        if let Some(action) = one(context, topology, values, &here) {
            let at_s = moment(context, load, values, &here);
            actions.push(Action { at_s, ..action });
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
    let name = read::text(values, "node")?;
    match one_node(topology, &name, "an action is done on one node") {
        Ok(node) => find(context, topology, (node, Purpose::Act), values, path),
        Err(complaint) => {
            context.complain(&path.key("node"), complaint);
            None
        }
    }
}

/// Seconds after a window's begin, checked against the shortest window.
fn moment(
    context: &mut Context<'_, '_, '_>,
    load: Option<&Load>,
    values: &Values,
    path: &Path,
) -> Option<f64> {
    let at = read::duration(values, "at")?;
    let windows = load.into_iter().flat_map(|load| &load.levels).filter_map(|level| match level.extent {
        Extent::Duration(duration) => Some(duration),
        Extent::Requests(_) => None,
    });
    if let Some(shortest) = windows.min().filter(|shortest| at >= *shortest) {
        let shortest = show_duration(shortest);
        let message =
            format!("{} lies behind the window's end: the shortest is {shortest} long", show_duration(at));
        context.complain(&path.key("at"), Complaint::new(message).allowed(format!("less than {shortest}")));
    }
    Some(at.as_secs_f64())
}

/// The action that `do` and `with` name on a node; problems are complained about.
pub(super) fn find(
    context: &mut Context<'_, '_, '_>,
    topology: &Topology,
    (node, purpose): (&Node, Purpose),
    values: &Values,
    path: &Path,
) -> Option<Action> {
    let (name, what) = (read::text(values, "node")?, read::text(values, "do")?);
    let place = path.key("do");
    let Some((service, action)) = what.split_once('.') else {
        let services: Vec<String> = node.services.keys().map(|service| format!("{service}.{what}")).collect();
        let complaint = Complaint::new(format!("`{what}` names no service"))
            .among(&what, services.iter().map(String::as_str));
        context.complain(&place, Complaint { allowed: Some("`SERVICE.ACTION`".to_owned()), ..complaint });
        return None;
    };
    let found = match service_of(node, &name, service) {
        Ok(found) => found,
        Err(complaint) => {
            context.complain(&place, complaint);
            return None;
        }
    };
    let software = context.catalog.get(&found.software)?;
    let arguments = arguments(values);
    let known = names(software, purpose);
    if !known.contains(&action) {
        let changes = software.actions.contains_key(action) || GENERIC_ACTIONS.contains(&action);
        let message = if changes && purpose == Purpose::Look {
            format!("`{what}` changes the lab, and evidence only looks")
        } else {
            format!("`{service}` has no action `{action}`")
        };
        let complaint = Complaint::new(message).among(action, known);
        let none = || format!("an action without `undo`, and `{service}` has none");
        context
            .complain(&place, Complaint { allowed: complaint.allowed.or_else(|| Some(none())), ..complaint });
        return None;
    }
    if let Some(spec) = software.actions.get(action) {
        check_arguments(context, topology, spec, &arguments, path);
    } else if let Some(argument) = arguments.keys().next() {
        let complaint = Complaint::new(format!("`{action}` takes no arguments")).allowed("no `with:`");
        context.complain(&path.key("with").key(argument), complaint);
    }
    Some(Action {
        node: node.name.clone(),
        service: service.to_owned(),
        action: action.to_owned(),
        arguments,
        at_s: None,
    })
}

/// Names of the actions of a software that serve a purpose.
fn names(software: &Software, purpose: Purpose) -> Vec<&str> {
    let generic = GENERIC_ACTIONS.iter().copied().filter(|_| software.service.is_some());
    let own = software.actions.iter();
    match purpose {
        Purpose::Act => own.map(|(name, _)| name.as_str()).chain(generic).collect(),
        Purpose::Look => own
            .filter(|(name, spec)| spec.undo.is_none() && !GENERIC_ACTIONS.contains(&name.as_str()))
            .map(|(name, _)| name.as_str())
            .collect(),
    }
}

/// The one node a name means. `only` says in words why it can be but one.
///
/// # Errors
/// No node of that name, or several.
pub(super) fn one_node<'a>(topology: &'a Topology, name: &'a str, only: &str) -> Result<&'a Node, Complaint> {
    let members: Vec<&Node> = topology.members(name).collect();
    match members.as_slice() {
        [node] => Ok(node),
        [] => Err(unknown_node(topology, name)),
        several => {
            let names: Vec<&str> = several.iter().map(|node| node.name.as_str()).collect();
            Err(Complaint::new(format!("{only}; `{name}` is a group of {}", names.len()))
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
