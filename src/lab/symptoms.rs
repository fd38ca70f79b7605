//! Log lines that say what went wrong: each log is measured before a cell and read from there after it.

use std::collections::BTreeMap;
use std::time::Duration;

use regex::Regex;

use crate::lab::error::LabError;
use crate::lab::site::Site;
use crate::machine::{Command, quote};
use crate::model::experiment::Variant;
use crate::model::measurement::Gate;
use crate::model::parameter::ParameterValue;
use crate::model::software::Symptom;
use crate::model::topology::{Service, ServiceRef};

/// So much of what a log grew by is read at most.
const READ_BYTES_MAX: u64 = 4 << 20;

/// A log with the patterns to look for.
struct Watched<'s> {
    reference: ServiceRef,
    service: &'s Service,
    symptom: Symptom,
    path: String,
}

/// Sizes of the watched logs, by node and path.
pub(crate) type LogSizes = BTreeMap<(String, String), u64>;

impl Site<'_> {
    fn watched<'s>(&self, variant: &'s Variant) -> Vec<Watched<'s>> {
        let mut watched = Vec::new();
        for (node, service) in variant.topology.services().filter(|(_, service)| service.enabled) {
            let Some(software) = self.bench.catalog.get(&service.software) else { continue };
            for symptom in &software.symptoms {
                let log = if symptom.log == "-" { "run/output.log" } else { symptom.log.as_str() };
                watched.push(Watched {
                    reference: ServiceRef::new(&node.name, &service.name),
                    service,
                    symptom: symptom.clone(),
                    path: format!("{}/{}/{log}", self.root, service.name),
                });
            }
        }
        watched
    }

    /// How long the watched logs are now.
    pub(crate) async fn log_sizes(&self, variant: &Variant) -> Result<LogSizes, LabError> {
        let mut by_node: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for watched in self.watched(variant) {
            let paths = by_node.entry(watched.reference.node).or_default();
            if !paths.contains(&watched.path) {
                paths.push(watched.path);
            }
        }
        let mut sizes = LogSizes::new();
        for (node, paths) in by_node {
            let quoted: Vec<String> = paths.iter().map(|path| quote(path)).collect();
            let script =
                format!("for f in {}; do wc -c < \"$f\" 2>/dev/null || echo 0; done", quoted.join(" "));
            let output = self.node(&node)?.connection.run(&Command::new(script)).await;
            let output = output.map_err(|source| LabError::machine("logs cannot be measured", source))?;
            for (path, size) in paths.into_iter().zip(output.text().lines()) {
                sizes.insert((node.clone(), path), size.trim().parse().unwrap_or(0));
            }
        }
        Ok(sizes)
    }

    /// What the logs said since they had those sizes.
    pub(crate) async fn symptoms(&self, variant: &Variant, before: &LogSizes) -> Result<Vec<Gate>, LabError> {
        let after = self.log_sizes(variant).await?;
        let mut gates = Vec::new();
        for watched in self.watched(variant) {
            let key = (watched.reference.node.clone(), watched.path.clone());
            let (from, to) = (before.get(&key).copied().unwrap_or(0), after.get(&key).copied().unwrap_or(0));
            if to <= from {
                continue;
            }
            let script = format!(
                "tail -c +{} {} | head -c {}",
                from + 1,
                quote(&watched.path),
                READ_BYTES_MAX.min(to - from)
            );
            let command = Command::new(script).at_most(Duration::from_secs(20));
            let output = self.node(&watched.reference.node)?.connection.run(&command).await;
            let output = output.map_err(|source| LabError::machine("a log cannot be read", source))?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            gates.extend(self.gate_of(&watched, &text));
        }
        Ok(gates)
    }

    fn gate_of(&self, watched: &Watched<'_>, text: &str) -> Option<Gate> {
        // The catalogue has compiled the pattern once already.
        let pattern = Regex::new(&watched.symptom.pattern).ok()?;
        let mut matching = text.lines().filter(|line| pattern.is_match(line));
        let line = self.mask(matching.next()?.chars().take(300).collect::<String>().as_str());
        let parameter = watched.symptom.parameter.as_ref().map(|name| {
            let value = watched.service.parameters.get(name).map_or_else(String::new, shown);
            format!("{name} = {value}")
        });
        Some(Gate::Symptom {
            service: watched.reference.to_string(),
            finding: watched.symptom.finding,
            line,
            count: 1 + matching.count() as u64,
            parameter,
        })
    }
}

fn shown(value: &ParameterValue) -> String {
    match value {
        ParameterValue::Count(number) => number.to_string(),
        ParameterValue::Number(number) => number.to_string(),
        ParameterValue::Bytes(size) => size.to_string(),
        ParameterValue::Workers(count) => count.workers().to_string(),
        ParameterValue::Flag(flag) => flag.to_string(),
        ParameterValue::Choice(text) | ParameterValue::Text(text) => text.clone(),
        ParameterValue::Port(port) => port.to_string(),
        _ => "as configured".to_owned(),
    }
}
