//! Judges what a manifest says about the running program: readiness, actions, evidence, telemetry, members, symptoms.

use std::collections::BTreeSet;

use regex::Regex;

use crate::catalog::check::{Judge, relative};
use crate::catalog::error::CatalogError;
use crate::model::experiment::GENERIC_ACTIONS;
use crate::model::software::{CounterFormat, ParameterKind, TelemetrySource, TelemetrySpec};

pub(super) fn parts(judge: &Judge<'_>) -> Result<(), CatalogError> {
    readiness(judge)?;
    for name in judge.software.actions.keys() {
        if GENERIC_ACTIONS.contains(&name.as_str()) {
            return Err(judge.fail(&format!("actions.{name}"), format!("every service has `{name}` already")));
        }
    }
    for (index, evidence) in judge.software.evidence.iter().enumerate() {
        let path = format!("evidence.{index}");
        exactly_one(
            judge,
            &path,
            &[
                ("run", evidence.run.is_some()),
                ("get", evidence.get.is_some()),
                ("log", evidence.log.is_some()),
            ],
        )?;
        needs_port(judge, &path, evidence.get.is_some())?;
        evidence.log.as_ref().map_or(Ok(()), |log| relative(judge, &path, log))?;
    }
    for (index, telemetry) in judge.software.telemetry.iter().enumerate() {
        source(judge, &format!("telemetry.{index}"), telemetry)?;
    }
    if let Some(members) = &judge.software.members {
        exactly_one(judge, "members", &[("run", members.run.is_some()), ("http", members.http.is_some())])?;
        needs_port(judge, "members", members.http.is_some())?;
        if members.format != CounterFormat::Csv {
            return Err(judge.fail("members.format", "servers are read from `csv` only"));
        }
    }
    symptoms(judge)?;
    capacity(judge)
}

fn exactly_one(judge: &Judge<'_>, path: &str, given: &[(&str, bool)]) -> Result<(), CatalogError> {
    if given.iter().filter(|(_, given)| *given).count() == 1 {
        return Ok(());
    }
    let names: Vec<String> = given.iter().map(|(name, _)| format!("`{name}`")).collect();
    Err(judge.fail(path, format!("exactly one of {} is needed", names.join(", "))))
}

fn needs_port(judge: &Judge<'_>, path: &str, needed: bool) -> Result<(), CatalogError> {
    let mut parameters = judge.software.parameters.values();
    if needed && !parameters.any(|parameter| parameter.kind == ParameterKind::Port) {
        return Err(judge.fail(path, "this asks the service's own port, and no parameter is of kind `port`"));
    }
    Ok(())
}

fn readiness(judge: &Judge<'_>) -> Result<(), CatalogError> {
    let Some(ready) = &judge.software.ready else { return Ok(()) };
    let http = ready.http.is_some();
    exactly_one(
        judge,
        "ready",
        &[("tcp", ready.tcp.is_some()), ("http", http), ("run", ready.run.is_some())],
    )?;
    needs_port(judge, "ready", http)?;
    if !http && (ready.status.is_some() || ready.contains.is_some()) {
        return Err(judge.fail("ready", "`status` and `contains` belong to `http`"));
    }
    Ok(())
}

fn source(judge: &Judge<'_>, path: &str, spec: &TelemetrySpec) -> Result<(), CatalogError> {
    let (port, file, send, run) =
        (spec.port.is_some(), spec.path.is_some(), spec.send.is_some(), spec.run.is_some());
    let (right, words) = match spec.source {
        TelemetrySource::Http => (file && !send && !run, "`http` takes `path` and may take `port`"),
        TelemetrySource::Tcp => (send && !file && !run, "`tcp` takes `send` and may take `port`"),
        TelemetrySource::Run => (run && !file && !send && !port, "`run` takes a script and nothing else"),
        TelemetrySource::File => (file && !send && !run && !port, "`file` takes `path` and nothing else"),
    };
    if !right {
        return Err(judge.fail(path, format!("source {words}")));
    }
    let asks = matches!(spec.source, TelemetrySource::Http | TelemetrySource::Tcp);
    needs_port(judge, path, asks && !port)?;
    if spec.send.as_ref().is_some_and(|send| send.chars().any(|character| u32::from(character) > 0xff)) {
        return Err(judge.fail(&format!("{path}.send"), "each character is one byte: U+0000 to U+00FF"));
    }
    for (name, value) in &spec.values {
        let path = format!("{path}.values.{name}");
        match spec.format {
            CounterFormat::Regex => {
                let pattern = regex(judge, &path, &value.from)?;
                if pattern.captures_len() != 2 {
                    return Err(
                        judge.fail(&path, "the regular expression needs exactly one group: the number")
                    );
                }
            }
            CounterFormat::Csv if !value.from.contains(':') => {
                return Err(judge.fail(&path, "`from` is `ROWS:COLUMN` for csv"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn regex(judge: &Judge<'_>, path: &str, pattern: &str) -> Result<Regex, CatalogError> {
    Regex::new(pattern).map_err(|error| {
        let said = error.to_string();
        let cause = said.lines().last().unwrap_or_default().trim_start_matches("error: ");
        judge.fail(path, format!("`{pattern}` is no regular expression: {cause}"))
    })
}

fn symptoms(judge: &Judge<'_>) -> Result<(), CatalogError> {
    for (index, symptom) in judge.software.symptoms.iter().enumerate() {
        let path = format!("symptoms.{index}");
        regex(judge, &format!("{path}.pattern"), &symptom.pattern)?;
        if symptom.log != "-" {
            relative(judge, &format!("{path}.log"), &symptom.log)?;
        }
        if let Some(parameter) = &symptom.parameter {
            judge.parameter_exists(&format!("{path}.parameter"), parameter)?;
        }
    }
    Ok(())
}

fn capacity(judge: &Judge<'_>) -> Result<(), CatalogError> {
    let Some(capacity) = &judge.software.capacity else { return Ok(()) };
    if let Some(servers) = &capacity.servers {
        judge.parameter_exists("capacity.servers", servers)?;
    }
    let names: BTreeSet<&String> =
        judge.software.telemetry.iter().flat_map(|one| one.values.keys()).collect();
    for (key, name) in [("hits", &capacity.hits), ("misses", &capacity.misses)] {
        if let Some(name) = name.as_ref().filter(|name| !names.contains(name)) {
            return Err(judge.fail(&format!("capacity.{key}"), format!("no telemetry is called `{name}`")));
        }
    }
    Ok(())
}
