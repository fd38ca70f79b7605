//! What nodes and services used inside the windows, from telemetry. Missing telemetry is missing, never an error.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::measurement::TelemetryLine;
use crate::model::parameter::ParameterValue;
use crate::model::run::RunRecord;
use crate::model::topology::{Node, Service};
use crate::report::input::ReportInput;
use crate::report::view::CellView;

/// A node in the windows of one cell, all repetitions together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeUse {
    /// Variant.
    pub variant: String,
    /// Level.
    pub level: String,
    /// Node.
    pub node: String,
    /// CPU used, cores, mean over the windows.
    pub cpu_cores: Option<f64>,
    /// CPU limit, cores.
    pub cpu_limit_cores: Option<f64>,
    /// Time throttled over time of the windows, a share that may pass 1 with several CPUs.
    pub throttled_share: Option<f64>,
    /// Highest memory, bytes.
    pub memory_peak_bytes: Option<f64>,
    /// Memory limit, bytes.
    pub memory_limit_bytes: Option<f64>,
    /// Kills for memory seen by the kernel's counter.
    pub oom_kills: u64,
    /// Services that report their workers.
    pub services: Vec<ServiceUse>,
}

/// A service's workers in the windows of one cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServiceUse {
    /// Service.
    pub service: String,
    /// Samples.
    pub samples: usize,
    /// Busy workers, mean.
    pub busy_workers_mean: f64,
    /// Busy workers, most.
    pub busy_workers_max: f64,
    /// Workers there are; none when neither telemetry nor parameters say.
    pub workers: Option<f64>,
    /// Samples in which all were busy, a share.
    pub all_busy_share: Option<f64>,
}

/// A cell's telemetry of one node or service: repetition → lines inside the window, in time order.
type Windows<'a> = BTreeMap<(u32, u32), Vec<&'a TelemetryLine>>;

/// What a telemetry line belongs to: variant, level, node, service.
type Source<'a> = (&'a str, &'a str, &'a str, Option<&'a str>);

/// The use of every node in every cell that has telemetry, in the order of cells and nodes.
pub(super) fn node_use(input: &ReportInput, cells: &[CellView]) -> Vec<NodeUse> {
    let windows = inside_windows(input, cells);
    let mut found = Vec::new();
    for cell in cells {
        for node in cell.variant.topology.nodes.values() {
            let source =
                |service| (cell.variant.name.as_str(), cell.level.name.as_str(), node.name.as_str(), service);
            let services: Vec<ServiceUse> = node
                .services
                .values()
                .filter_map(|service| {
                    service_use(service, windows.get(&source(Some(service.name.as_str())))?)
                })
                .collect();
            let own = windows.get(&source(None));
            if own.is_some() || !services.is_empty() {
                found.push(of_node(input, cell, node, own, services));
            }
        }
    }
    found
}

fn of_node(
    input: &ReportInput,
    cell: &CellView,
    node: &Node,
    windows: Option<&Windows>,
    services: Vec<ServiceUse>,
) -> NodeUse {
    NodeUse {
        variant: cell.variant.name.clone(),
        level: cell.level.name.clone(),
        node: node.name.clone(),
        cpu_cores: windows.and_then(|w| growth_per_second(w, "cpu_s_total")),
        cpu_limit_cores: cpu_limit_cores(input.run, node),
        throttled_share: windows.and_then(|w| growth_per_second(w, "throttled_s_total")),
        memory_peak_bytes: windows.and_then(|w| {
            w.values().flatten().filter_map(|line| line.values.get("memory_bytes").copied()).reduce(f64::max)
        }),
        memory_limit_bytes: memory_limit_bytes(input.run, node),
        oom_kills: windows.map_or(0, |w| {
            w.values().filter_map(|lines| growth(lines, "oom_kills_total")).sum::<f64>() as u64
        }),
        services,
    }
}

/// A node's CPU limit in cores: as meant, else as found.
pub(super) fn cpu_limit_cores(run: &RunRecord, node: &Node) -> Option<f64> {
    node.cpus.or_else(|| run.nodes.get(&node.name)?.cpus)
}

/// A node's memory limit in bytes: as meant, else as found.
pub(super) fn memory_limit_bytes(run: &RunRecord, node: &Node) -> Option<f64> {
    let meant = node.memory.map(|size| size.bytes());
    meant.or_else(|| run.nodes.get(&node.name)?.memory_bytes).map(|bytes| bytes as f64)
}

/// The telemetry lines whose time lies inside the window of a repetition that is reported.
fn inside_windows<'a>(input: &ReportInput<'a>, cells: &[CellView]) -> BTreeMap<Source<'a>, Windows<'a>> {
    let mut lengths: BTreeMap<(&str, &str, u32, u32), f64> = BTreeMap::new();
    for repetition in cells.iter().flat_map(|cell| &cell.repetitions) {
        let key =
            (repetition.variant.as_str(), repetition.level.as_str(), repetition.round, repetition.attempt);
        lengths.insert(key, repetition.measurement.duration_s);
    }
    let mut found: BTreeMap<Source<'a>, Windows<'a>> = BTreeMap::new();
    for line in input.telemetry {
        let key = (line.variant.as_str(), line.level.as_str(), line.round, line.attempt);
        if lengths.get(&key).is_some_and(|length| (0.0..=*length).contains(&line.at_s)) {
            let source =
                (line.variant.as_str(), line.level.as_str(), line.node.as_str(), line.service.as_deref());
            found.entry(source).or_default().entry((line.round, line.attempt)).or_default().push(line);
        }
    }
    for lines in found.values_mut().flat_map(BTreeMap::values_mut) {
        lines.sort_by(|left, right| left.at_s.total_cmp(&right.at_s));
    }
    found
}

/// First and last sample of a counter, by the node's own clock where its lines tell it: lines that arrive late arrive
/// in bursts. None when the counter is missing or was reset in between.
fn ends(lines: &[&TelemetryLine], name: &str) -> Option<[(f64, f64); 2]> {
    let clock = |line: &TelemetryLine| line.values.get("uptime_s_total").copied();
    let own_clock = lines.iter().all(|line| clock(line).is_some());
    let mut samples = lines.iter().filter_map(|line| {
        let time = if own_clock { clock(line)? } else { line.at_s };
        Some((time, *line.values.get(name)?))
    });
    let first = samples.next()?;
    let last = samples.next_back()?;
    (last.1 >= first.1 && last.0 > first.0).then_some([first, last])
}

fn growth(lines: &[&TelemetryLine], name: &str) -> Option<f64> {
    ends(lines, name).map(|[first, last]| last.1 - first.1)
}

/// Growth of a counter over the time between its samples, all windows together.
fn growth_per_second(windows: &Windows, name: &str) -> Option<f64> {
    let (amount, time) = windows
        .values()
        .filter_map(|lines| ends(lines, name))
        .fold((0.0, 0.0), |(amount, time), [first, last]| {
            (amount + last.1 - first.1, time + last.0 - first.0)
        });
    (time > 0.0).then(|| amount / time)
}

fn service_use(service: &Service, windows: &Windows) -> Option<ServiceUse> {
    let busy: Vec<(f64, Option<f64>)> = windows
        .values()
        .flatten()
        .filter_map(|line| Some((*line.values.get("busy_workers")?, line.values.get("max_workers").copied())))
        .collect();
    let samples = busy.len();
    let busy_workers_max = busy.iter().map(|(count, _)| *count).reduce(f64::max)?;
    let parameter = workers_parameter(service);
    let limits: Vec<f64> = busy.iter().filter_map(|(_, most)| most.or(parameter)).collect();
    let all_busy =
        busy.iter().filter(|(count, most)| most.or(parameter).is_some_and(|most| *count >= most)).count();
    Some(ServiceUse {
        service: service.name.clone(),
        samples,
        busy_workers_mean: busy.iter().map(|(count, _)| count).sum::<f64>() / samples as f64,
        busy_workers_max,
        workers: limits.iter().copied().reduce(f64::max),
        all_busy_share: (!limits.is_empty()).then(|| all_busy as f64 / samples as f64),
    })
}

/// The number of workers a service was given: its parameter of that kind, or a count named `workers`.
pub(super) fn workers_parameter(service: &Service) -> Option<f64> {
    service
        .parameters
        .values()
        .find_map(|value| match value {
            ParameterValue::Workers(count) => Some(count.workers() as f64),
            _ => None,
        })
        .or_else(|| match service.parameters.get("workers") {
            Some(ParameterValue::Count(count)) => Some(*count as f64),
            _ => None,
        })
}
