//! An action of a software folder, rendered. The actions every service has are not known here.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::model::software::ActionSpec;
use crate::model::topology::ServiceRef;
use crate::plan::context::Scene;
use crate::plan::error::PlanError;
use crate::plan::planned::{PlannedAction, Surroundings};

/// The scripts of an action with its arguments filled in.
///
/// # Errors
/// When service, action or an argument is unknown, an argument is missing, or a template cannot be rendered.
pub fn action(
    surroundings: &Surroundings<'_>,
    reference: &ServiceRef,
    action: &str,
    arguments: &IndexMap<String, String>,
) -> Result<PlannedAction, PlanError> {
    let scene = Scene::new(surroundings, reference)?;
    let Some(spec) = scene.software.actions.get(action) else {
        return Err(PlanError::NoSuchAction {
            service: reference.clone(),
            action: action.to_owned(),
            known: scene.software.actions.keys().cloned().collect(),
        });
    };
    let filled = filled(spec, arguments).map_err(|problem| PlanError::Argument {
        service: reference.clone(),
        action: action.to_owned(),
        problem,
    })?;
    let members = spec.arguments.iter().filter(|(_, argument)| argument.member);
    let members = members.filter_map(|(name, _)| Some(filled.get(name)?.as_str()?.to_owned())).collect();
    let scene = scene.with_arguments(&filled);
    Ok(PlannedAction {
        run: scene.script(&format!("actions.{action}.run"), &spec.run)?,
        undo: scene.optional(&format!("actions.{action}.undo"), spec.undo.as_ref())?,
        members,
    })
}

/// Given arguments and defaults; the error is a sentence fragment.
fn filled(spec: &ActionSpec, given: &IndexMap<String, String>) -> Result<Map<String, Value>, String> {
    if let Some(unknown) = given.keys().find(|name| !spec.arguments.contains_key(*name)) {
        let known: Vec<&str> = spec.arguments.keys().map(String::as_str).collect();
        let known = if known.is_empty() {
            "it takes none".to_owned()
        } else {
            format!("it takes {}", known.join(", "))
        };
        return Err(format!("argument {unknown} is unknown: {known}"));
    }
    let mut filled = Map::new();
    for (name, argument) in &spec.arguments {
        let value = given.get(name).or(argument.default.as_ref());
        let value = value.ok_or_else(|| format!("argument {name} is missing: {}", argument.doc))?;
        filled.insert(name.clone(), Value::from(value.as_str()));
    }
    Ok(filled)
}
