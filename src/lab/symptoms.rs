//! What services write into their own logs during a cell: lines that say what went wrong, and how many requests came.
//! Each log is measured before a cell and again after it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::future::join_all;
use indexmap::IndexMap;
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

/// How long a log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LogSize {
    bytes: u64,
    lines: u64,
}

/// Sizes of the watched logs and access logs, by node and path; a log that is not there is left out.
pub(crate) type LogSizes = BTreeMap<(String, String), LogSize>;

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
        let mut by_node: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for watched in self.watched(variant) {
            by_node.entry(watched.reference.node).or_default().insert(watched.path);
        }
        for (reference, path) in self.access_logs(variant) {
            by_node.entry(reference.node).or_default().insert(path);
        }
        let measured = by_node.into_iter().map(|(node, paths)| self.log_sizes_of(node, paths));
        let measured = join_all(measured).await.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(measured.into_iter().flatten().collect())
    }

    async fn log_sizes_of(&self, node: String, paths: BTreeSet<String>) -> Result<LogSizes, LabError> {
        let quoted: Vec<String> = paths.iter().map(|path| quote(path)).collect();
        let script = format!("for f in {}; do wc -lc < \"$f\" 2>/dev/null || echo; done", quoted.join(" "));
        let output = self.node(&node)?.connection.run(&Command::new(script)).await;
        let output = output.map_err(|source| LabError::machine("logs cannot be measured", source))?;
        let text = output.text();
        let sizes = paths.into_iter().zip(text.lines());
        Ok(sizes.filter_map(|(path, line)| Some(((node.clone(), path), read_size(line)?))).collect())
    }

    /// The services' own logs with one line a request.
    fn access_logs(&self, variant: &Variant) -> Vec<(ServiceRef, String)> {
        let services = variant.topology.services().filter(|(_, service)| service.enabled);
        let logs = services.filter_map(|(node, service)| {
            let log = self.bench.catalog.get(&service.software)?.access_log.as_ref()?;
            let path = format!("{}/{}/{log}", self.root, service.name);
            Some((ServiceRef::new(&node.name, &service.name), path))
        });
        logs.collect()
    }

    /// How many lines the access logs grew by.
    pub(crate) fn requests_logged(
        &self,
        variant: &Variant,
        before: &LogSizes,
        after: &LogSizes,
    ) -> IndexMap<String, u64> {
        let logs = self.access_logs(variant).into_iter();
        let grown = logs.filter_map(|(reference, path)| {
            let key = (reference.node.clone(), path);
            let lines = after.get(&key)?.lines;
            let earlier = before.get(&key).copied().unwrap_or_default().lines;
            Some((reference.to_string(), lines.saturating_sub(earlier)))
        });
        grown.collect()
    }

    /// What the logs said between those two sizes.
    pub(crate) async fn symptoms(
        &self,
        variant: &Variant,
        before: &LogSizes,
        after: &LogSizes,
    ) -> Result<Vec<Gate>, LabError> {
        let mut gates = Vec::new();
        for watched in self.watched(variant) {
            let key = (watched.reference.node.clone(), watched.path.clone());
            let bytes = |sizes: &LogSizes| sizes.get(&key).copied().unwrap_or_default().bytes;
            let (from, to) = (bytes(before), bytes(after));
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

/// What `wc -lc` says: lines, then bytes.
fn read_size(line: &str) -> Option<LogSize> {
    let mut numbers = line.split_ascii_whitespace().map(str::parse);
    let (lines, bytes) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some(LogSize { bytes, lines })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_size_is_lines_and_bytes_and_a_missing_log_is_none() {
        assert_eq!(read_size("  12   3456"), Some(LogSize { bytes: 3456, lines: 12 }));
        assert_eq!(read_size("0 0"), Some(LogSize::default()));
        assert_eq!(read_size(""), None);
    }
}
