//! Judges a folder's templates, those in files and those inside the manifest: they exist, parse, and look up only what
//! their context will hold. A misspelt parameter is found here and not on a machine.

use std::collections::BTreeMap;

use crate::catalog::check::Judge;
use crate::catalog::error::CatalogError;
use crate::catalog::lines::Lines;
use crate::catalog::template::variables;
use crate::model::software::{ActionSpec, Parameter, ParameterKind, Software};

/// What the fixed parts of the context hold.
const NODE: [&str; 5] = ["name", "address", "bind_address", "cpus", "memory"];
const SERVICE: [&str; 3] = ["name", "port", "user"];
/// Functions of the template language that count as variables.
const FUNCTIONS: [&str; 3] = ["range", "dict", "namespace"];

/// Judges the scripts and texts inside the manifest.
pub(super) fn scripts(judge: &Judge<'_>) -> Result<(), CatalogError> {
    for (path, text, action) in inside(judge.software) {
        let used = variables(text)
            .map_err(|fault| judge.fail(&path, format!("not a template: {}", fault.problem)))?;
        for variable in used {
            known(judge.software, &variable, action).map_err(|problem| judge.fail(&path, problem))?;
            if secret(judge.software, &variable) && !path.ends_with(".stdin") {
                let problem = format!(
                    "`{variable}` is a secret: it travels in `stdin` or in a file, never in a script"
                );
                return Err(judge.fail(&path, problem));
            }
        }
    }
    Ok(())
}

/// Judges the template files.
pub(super) fn files(
    folder: &str,
    software: &Software,
    lines: &Lines,
    files: &BTreeMap<String, String>,
) -> Result<(), CatalogError> {
    let judge = Judge { folder, software, lines };
    for (index, file) in software.files.iter().enumerate() {
        let path = format!("files.{index}");
        let Some(text) = files.get(&file.template) else {
            return Err(judge.fail(&path, format!("there is no file {folder}/{}", file.template)));
        };
        let wrong = |line, problem| CatalogError::Invalid {
            folder: folder.to_owned(),
            file: file.template.clone(),
            line,
            problem,
        };
        let used = variables(text)
            .map_err(|fault| wrong(fault.line, format!("not a template: {}", fault.problem)))?;
        for variable in used {
            let line = text.lines().position(|line| line.contains(&variable)).map_or(1, |line| line + 1);
            known(software, &variable, None).map_err(|problem| wrong(line, problem))?;
            if secret(software, &variable) && !file.secret {
                return Err(
                    judge.fail(&path, format!("`{variable}` is a secret: the file needs `secret: true`"))
                );
            }
        }
    }
    Ok(())
}

/// Every text of a manifest that is a template: its path, the text, and the action whose arguments it sees.
fn inside(software: &Software) -> Vec<(String, &str, Option<&ActionSpec>)> {
    let mut found: Vec<(String, Option<&String>, Option<&ActionSpec>)> = Vec::new();
    found.push(("check".to_owned(), software.check.as_ref(), None));
    for (index, step) in software.steps.iter().enumerate() {
        let keys = [
            ("run", Some(&step.run)),
            ("unless", step.unless.as_ref()),
            ("as", step.as_user.as_ref()),
            ("stdin", step.stdin.as_ref()),
        ];
        found.extend(keys.map(|(key, text)| (format!("steps.{index}.{key}"), text, None)));
    }
    if let Some(service) = &software.service {
        found.push(("service.command".to_owned(), Some(&service.command), None));
        found.push(("service.reload".to_owned(), service.reload.as_ref(), None));
        found.extend(
            service
                .environment
                .iter()
                .map(|(name, text)| (format!("service.environment.{name}"), Some(text), None)),
        );
    }
    if let Some(ready) = &software.ready {
        let keys =
            [("tcp", &ready.tcp), ("http", &ready.http), ("contains", &ready.contains), ("run", &ready.run)];
        found.extend(keys.map(|(key, text)| (format!("ready.{key}"), text.as_ref(), None)));
    }
    for (name, action) in &software.actions {
        found.push((format!("actions.{name}.run"), Some(&action.run), Some(action)));
        found.push((format!("actions.{name}.undo"), action.undo.as_ref(), Some(action)));
    }
    for (index, evidence) in software.evidence.iter().enumerate() {
        found.push((format!("evidence.{index}.run"), evidence.run.as_ref(), None));
        found.push((format!("evidence.{index}.get"), evidence.get.as_ref(), None));
    }
    for (index, telemetry) in software.telemetry.iter().enumerate() {
        let keys = [("port", &telemetry.port), ("path", &telemetry.path), ("run", &telemetry.run)];
        found.extend(keys.map(|(key, text)| (format!("telemetry.{index}.{key}"), text.as_ref(), None)));
    }
    if let Some(members) = &software.members {
        found.push(("members.run".to_owned(), members.run.as_ref(), None));
        found.push(("members.http".to_owned(), members.http.as_ref(), None));
    }
    found.into_iter().filter_map(|(path, text, action)| Some((path, text?.as_str(), action))).collect()
}

/// The context will hold the variable.
fn known(software: &Software, variable: &str, action: Option<&ActionSpec>) -> Result<(), String> {
    let mut parts = variable.split('.');
    let root = parts.next().unwrap_or_default();
    let Some(name) = parts.next() else {
        let fixed = ["dir", "lab", "node", "service", "params", "relations", "facts"].contains(&root);
        if fixed || FUNCTIONS.contains(&root) || (root == "arguments" && action.is_some()) {
            return Ok(());
        }
        let meant = if software.parameters.contains_key(root) {
            format!("; the parameter is `params.{root}`")
        } else {
            String::new()
        };
        return Err(format!(
            "a template sees dir, lab, node, service, params, relations and facts, not `{variable}`{meant}"
        ));
    };
    let there = match root {
        "node" => NODE.contains(&name),
        "service" => SERVICE.contains(&name),
        "params" => software.parameters.contains_key(name),
        "relations" => software.relations.contains_key(name),
        "facts" => software.facts.contains_key(name),
        "arguments" => action.is_some_and(|action| action.arguments.contains_key(name)),
        _ => false,
    };
    if there { Ok(()) } else { Err(format!("nothing is called `{root}.{name}`")) }
}

/// The variable is a secret parameter, or a whole map that holds one.
fn secret(software: &Software, variable: &str) -> bool {
    let mut parts = variable.split('.');
    if parts.next() != Some("params") {
        return false;
    }
    let Some(parameter) = parts.next().and_then(|name| software.parameters.get(name)) else { return false };
    match parts.next() {
        Some(field) => parameter.fields.get(field).is_some_and(holds_secret),
        // Asking whether a map is there is no reading of the secret in it.
        None => parameter.kind == ParameterKind::Secret,
    }
}

fn holds_secret(parameter: &Parameter) -> bool {
    parameter.kind == ParameterKind::Secret || parameter.fields.values().any(holds_secret)
}
