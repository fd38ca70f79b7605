//! Judges a manifest that could be read: names, parameters, relations and paths. The parts with a running program
//! (readiness, telemetry, actions) are in [`super::check_parts`], the templates in [`super::check_templates`].

use std::collections::BTreeSet;

use crate::catalog::check_parts;
use crate::catalog::check_templates;
use crate::catalog::error::CatalogError;
use crate::catalog::folder::MANIFEST;
use crate::catalog::lines::Lines;
use crate::catalog::value::read_value;
use crate::model::software::{OnChange, Parameter, ParameterKind, Software};

/// Words that mean something beside a service's parameters and relations.
const RESERVED: [&str; 6] = ["software", "enabled", "config", "socket", "access_log", "managed"];

/// A manifest under judgement.
pub(super) struct Judge<'a> {
    pub(super) folder: &'a str,
    pub(super) software: &'a Software,
    pub(super) lines: &'a Lines,
}

impl Judge<'_> {
    /// An error at a path of the manifest.
    pub(super) fn fail(&self, path: &str, problem: impl Into<String>) -> CatalogError {
        CatalogError::Invalid {
            folder: self.folder.to_owned(),
            file: MANIFEST.to_owned(),
            line: self.lines.line(path),
            problem: problem.into(),
        }
    }

    /// The parameter a manifest key points to exists.
    pub(super) fn parameter_exists(&self, path: &str, name: &str) -> Result<(), CatalogError> {
        if self.software.parameters.contains_key(name) {
            return Ok(());
        }
        Err(self.fail(path, format!("there is no parameter `{name}`")))
    }
}

/// Judges everything that needs no file.
///
/// # Errors
/// The first thing that is wrong.
pub(super) fn manifest(folder: &str, software: &Software, lines: &Lines) -> Result<(), CatalogError> {
    let judge = Judge { folder, software, lines };
    if let Some((path, line)) = &lines.duplicate {
        return Err(CatalogError::Invalid {
            folder: folder.to_owned(),
            file: MANIFEST.to_owned(),
            line: *line,
            problem: format!("`{path}` is written twice"),
        });
    }
    if software.name != folder {
        return Err(judge.fail("name", format!("`name` must be the folder's name, `{folder}`")));
    }
    parameters(&judge)?;
    relations(&judge)?;
    files(&judge)?;
    for (index, conflict) in software.conflicts.iter().enumerate() {
        for name in conflict.when.keys() {
            judge.parameter_exists(&format!("conflicts.{index}"), name)?;
        }
    }
    if let Some(family) = software.packages.keys().find(|family| *family != "debian") {
        return Err(judge.fail(&format!("packages.{family}"), "`debian` is the only family of packages"));
    }
    check_parts::parts(&judge)?;
    check_templates::scripts(&judge)
}

fn parameters(judge: &Judge<'_>) -> Result<(), CatalogError> {
    for (name, one) in &judge.software.parameters {
        let path = format!("parameters.{name}");
        if RESERVED.contains(&name.as_str()) {
            return Err(judge.fail(&path, format!("`{name}` means something else in a scenario")));
        }
        parameter(judge, &path, one)?;
    }
    Ok(())
}

fn parameter(judge: &Judge<'_>, path: &str, parameter: &Parameter) -> Result<(), CatalogError> {
    if (parameter.kind == ParameterKind::Choice) == parameter.choices.is_empty() {
        return Err(judge.fail(path, "`choices` belong to kind `choice`, which needs some"));
    }
    if parameter.kind != ParameterKind::Map && !parameter.fields.is_empty() {
        return Err(judge.fail(path, "`fields` belong to kind `map`"));
    }
    if parameter.kind != ParameterKind::List && parameter.items.is_some() {
        return Err(judge.fail(path, "`items` belong to kind `list`"));
    }
    if parameter.kind == ParameterKind::Secret && parameter.default.is_some() {
        return Err(judge.fail(path, "a secret has no default: it would be the same everywhere"));
    }
    if parameter.required && parameter.default.is_some() {
        return Err(judge.fail(path, "a required parameter has no default"));
    }
    for (key, value) in [("min", &parameter.min), ("max", &parameter.max), ("default", &parameter.default)] {
        let Some(value) = value else { continue };
        read_value(parameter, value).map_err(|problem| judge.fail(&format!("{path}.{key}"), problem))?;
    }
    for (name, field) in &parameter.fields {
        self::parameter(judge, &format!("{path}.fields.{name}"), field)?;
    }
    match &parameter.items {
        Some(items) => self::parameter(judge, &format!("{path}.items"), items),
        None => Ok(()),
    }
}

fn relations(judge: &Judge<'_>) -> Result<(), CatalogError> {
    for name in judge.software.relations.keys() {
        let path = format!("relations.{name}");
        if judge.software.parameters.contains_key(name) || RESERVED.contains(&name.as_str()) {
            return Err(judge.fail(
                &path,
                format!("`{name}` is taken: a scenario writes parameters and relations side by side"),
            ));
        }
    }
    Ok(())
}

fn files(judge: &Judge<'_>) -> Result<(), CatalogError> {
    let mut targets = BTreeSet::new();
    for (index, file) in judge.software.files.iter().enumerate() {
        let path = format!("files.{index}");
        relative(judge, &format!("{path}.target"), &file.target)?;
        mode(judge, &path, file.mode.as_deref())?;
        if !targets.insert(&file.target) {
            return Err(judge.fail(&path, format!("`{}` is written by another file too", file.target)));
        }
        let reloads = judge.software.service.as_ref().is_some_and(|service| service.reload.is_some());
        if file.on_change == OnChange::Reload && !reloads {
            return Err(judge.fail(&path, "`on_change: reload` needs a `reload` command under `service`"));
        }
    }
    for (index, directory) in judge.software.directories.iter().enumerate() {
        let path = format!("directories.{index}");
        relative(judge, &path, &directory.path)?;
        mode(judge, &path, directory.mode.as_deref())?;
    }
    Ok(())
}

/// A path that stays inside the instance directory.
pub(super) fn relative(judge: &Judge<'_>, path: &str, target: &str) -> Result<(), CatalogError> {
    let leaves = target.is_empty()
        || target.starts_with('/')
        || target.split('/').any(|part| part == ".." || part == "." || part.is_empty());
    if leaves {
        return Err(judge.fail(path, format!("`{target}` is not a path inside the instance directory")));
    }
    Ok(())
}

fn mode(judge: &Judge<'_>, path: &str, mode: Option<&str>) -> Result<(), CatalogError> {
    match mode.map(|mode| u32::from_str_radix(mode, 8)) {
        Some(Err(_)) | Some(Ok(0o10000..)) => {
            Err(judge.fail(path, "`mode` is an octal number in quotes, for example \"0644\""))
        }
        _ => Ok(()),
    }
}
