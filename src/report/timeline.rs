//! What each node used second by second in one repetition of a variant: shares of its limits, from cumulative counters.
//! Missing telemetry is missing, never an error.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use crate::model::experiment::Variant;
use crate::model::measurement::TelemetryLine;
use crate::model::run::RunRecord;
use crate::model::topology::Node;
use crate::report::analysis::Analysis;
use crate::report::input::ReportInput;
use crate::report::usage;

/// Members of a group from which they are one line, their mean.
const GROUP_MEAN_FROM: usize = 5;

/// Seconds shown after the window's end.
const AFTER_S: f64 = 3.0;

/// Time in seconds since the window began, and a share of the limit (1 is all of it).
pub(super) type Series = Vec<(f64, f64)>;

/// One line of the charts: a node, or the mean of a group's nodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct NodeLine {
    pub(super) name: String,
    /// How many nodes it is the mean of.
    pub(super) nodes: usize,
    pub(super) cpu: Series,
    pub(super) memory: Series,
    pub(super) throttled: Series,
}

/// A variant's nodes in one repetition.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Timeline {
    pub(super) variant: String,
    pub(super) title: String,
    pub(super) level: String,
    pub(super) round: u32,
    pub(super) duration_s: f64,
    pub(super) lines: Vec<NodeLine>,
}

/// A timeline for each variant that has telemetry: its highest level that is not struck, the first repetition that counts.
pub(super) fn timelines(input: &ReportInput, analysis: &Analysis) -> Vec<Timeline> {
    input.run.experiment.variants.values().filter_map(|variant| timeline(input, analysis, variant)).collect()
}

fn timeline(input: &ReportInput, analysis: &Analysis, variant: &Variant) -> Option<Timeline> {
    let counting =
        analysis.cells.iter().filter(|cell| cell.variant == variant.name && cell.goodput.is_some());
    let cell = counting.max_by_key(|cell| cell.connections)?;
    let repetition = cell.repetitions.iter().find(|repetition| repetition.struck.is_none())?;
    let mut own: BTreeMap<&str, Vec<&TelemetryLine>> = BTreeMap::new();
    for line in input.telemetry {
        let of_it = (line.round, line.attempt) == (repetition.round, repetition.attempt)
            && line.variant == variant.name
            && line.level == cell.level
            && line.service.is_none()
            && line.at_s <= repetition.duration_s + AFTER_S;
        if of_it {
            own.entry(&line.node).or_default().push(line);
        }
    }
    let mut groups: IndexMap<&str, Vec<NodeLine>> = IndexMap::new();
    for node in variant.topology.nodes.values() {
        if let Some(lines) = own.get_mut(node.name.as_str()) {
            lines.sort_by(|left, right| left.at_s.total_cmp(&right.at_s));
            groups.entry(&node.group).or_default().push(node_line(input.run, node, lines));
        }
    }
    let lines: Vec<NodeLine> = groups
        .into_iter()
        .flat_map(
            |(group, lines)| if lines.len() >= GROUP_MEAN_FROM { vec![mean(group, &lines)] } else { lines },
        )
        .filter(|line| !line.cpu.is_empty() || !line.memory.is_empty())
        .collect();
    (!lines.is_empty()).then(|| Timeline {
        variant: variant.name.clone(),
        title: variant.title.clone(),
        level: cell.level.clone(),
        round: repetition.round,
        duration_s: repetition.duration_s,
        lines,
    })
}

/// A node without a limit is measured against the whole host.
fn node_line(run: &RunRecord, node: &Node, lines: &[&TelemetryLine]) -> NodeLine {
    let host = |amount: f64| (amount > 0.0).then_some(amount);
    let cpus = usage::cpu_limit_cores(run, node).or_else(|| host(f64::from(run.host.cpus)));
    let memory = usage::memory_limit_bytes(run, node).or_else(|| host(run.host.memory_bytes as f64));
    let over = |series: Series, limit: Option<f64>| -> Series {
        let limit = limit.filter(|limit| *limit > 0.0);
        limit.map_or_else(Vec::new, |limit| {
            series.into_iter().map(|(at, value)| (at, value / limit)).collect()
        })
    };
    let held = |line: &&&TelemetryLine| line.values.get("memory_bytes").map(|bytes| (line.at_s, *bytes));
    NodeLine {
        name: node.name.clone(),
        nodes: 1,
        cpu: over(rates(lines, "cpu_s_total"), cpus),
        memory: over(lines.iter().filter_map(|line| held(&line)).collect(), memory),
        throttled: rates(lines, "throttled_s_total"),
    }
}

/// Growth of a counter per second between neighbouring samples, in the middle between them. The time between them is the
/// node's own where its lines tell it, since lines may arrive late; a counter that was reset has no rate there.
fn rates(lines: &[&TelemetryLine], name: &str) -> Series {
    let samples: Vec<(&TelemetryLine, f64)> =
        lines.iter().filter_map(|line| Some((*line, *line.values.get(name)?))).collect();
    let clock = |line: &TelemetryLine| line.values.get("uptime_s_total").copied();
    let rate = |pair: &[(&TelemetryLine, f64)]| {
        let [(before, from), (after, to)] = pair else { return None };
        let elapsed_s = match (clock(before), clock(after)) {
            (Some(before), Some(after)) => after - before,
            _ => after.at_s - before.at_s,
        };
        (elapsed_s > 0.0 && to >= from)
            .then(|| (f64::midpoint(before.at_s, after.at_s), (to - from) / elapsed_s))
    };
    samples.windows(2).filter_map(rate).collect()
}

/// The mean of several nodes in each second.
fn mean(group: &str, lines: &[NodeLine]) -> NodeLine {
    let of = |pick: fn(&NodeLine) -> &Series| -> Series {
        let mut seconds: BTreeMap<i64, (f64, f64, f64)> = BTreeMap::new();
        for (at_s, share) in lines.iter().flat_map(pick) {
            let sums = seconds.entry(at_s.floor() as i64).or_default();
            *sums = (sums.0 + at_s, sums.1 + share, sums.2 + 1.0);
        }
        seconds.into_values().map(|(at_s, share, count)| (at_s / count, share / count)).collect()
    };
    NodeLine {
        name: group.to_owned(),
        nodes: lines.len(),
        cpu: of(|line| &line.cpu),
        memory: of(|line| &line.memory),
        throttled: of(|line| &line.throttled),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{Lab, fail_mostly};

    fn of(lab: &Lab) -> Vec<Timeline> {
        timelines(&lab.input(), &lab.analysis())
    }

    #[test]
    fn shares_come_from_the_growth_of_counters_over_the_limit() {
        let mut lab = Lab::measured(&["one"], &[4, 16], 2);
        // 0.4 CPUs: 0.3 s a second are three quarters. The nodes have 256 MiB.
        lab.observe("backend1", None, |at_s| {
            let used = 7.0 + 0.3 * at_s;
            vec![
                ("cpu_s_total", used),
                ("throttled_s_total", 0.1 * at_s),
                ("memory_bytes", 128.0 * 1_048_576.0),
            ]
        });
        let found = of(&lab);
        assert_eq!((found.len(), found[0].level.as_str(), found[0].round), (1, "16", 1));
        let line = &found[0].lines[0];
        assert!(line.cpu.len() > 20 && line.cpu.iter().all(|(_, share)| (share - 0.75).abs() < 1e-9));
        assert!(line.memory.iter().all(|(_, share)| (share - 0.5).abs() < 1e-9));
        assert!(line.throttled.iter().all(|(_, share)| (share - 0.1).abs() < 1e-9));
        assert!(line.cpu[0].0 < 0.0, "the warm-up is shown too");
        let last = line.cpu.last().unwrap().0;
        assert!(last > found[0].duration_s - 1.0 && last < found[0].duration_s + AFTER_S);
    }

    #[test]
    fn late_lines_are_timed_by_the_nodes_own_clock_and_a_reset_has_no_rate() {
        let line = |at_s: f64, uptime: f64, used: f64| TelemetryLine {
            round: 1,
            attempt: 1,
            variant: "one".to_owned(),
            level: "4".to_owned(),
            at_s,
            node: "backend1".to_owned(),
            service: None,
            values: [("uptime_s_total", uptime), ("cpu_s_total", used)]
                .map(|(name, value)| (name.to_owned(), value))
                .into_iter()
                .collect(),
        };
        // The second line came a second late; then the counter starts again.
        let lines = [line(0.0, 50.0, 1.0), line(2.0, 51.0, 1.5), line(2.1, 52.0, 2.0), line(3.0, 53.0, 0.1)];
        let found = rates(&lines.iter().collect::<Vec<_>>(), "cpu_s_total");
        assert_eq!(found.iter().map(|(_, rate)| *rate).collect::<Vec<f64>>(), [0.5, 0.5]);
    }

    #[test]
    fn a_struck_level_and_a_struck_repetition_are_not_shown() {
        let mut lab = Lab::measured(&["one"], &[4, 16], 3);
        lab.cell("one", 16).for_each(fail_mostly);
        lab.cell("one", 4).take(1).for_each(fail_mostly);
        assert_eq!(of(&lab), []);
        lab.observe("frontend", None, |at_s| vec![("cpu_s_total", at_s + 3.0)]);
        let found = of(&lab);
        assert_eq!((found[0].level.as_str(), found[0].round), ("4", 2));
    }

    #[test]
    fn many_members_are_one_line_of_their_mean() {
        let mut lab = Lab::two_networks(6);
        for place in 1..=6 {
            let name = format!("backend{place}");
            lab.observe(&name, None, move |at_s| {
                vec![("cpu_s_total", 1.0 + 0.04 * f64::from(place) * (at_s + 3.0))]
            });
        }
        let found = of(&lab);
        let [line] = found[0].lines.as_slice() else { unreachable!("one line: {found:?}") };
        assert_eq!((line.name.as_str(), line.nodes), ("backend", 6));
        // The nodes use 0.1 … 0.6 of their 0.4 CPUs.
        assert!(line.cpu.iter().all(|(_, share)| (share - 0.35).abs() < 1e-9), "{:?}", line.cpu);
    }
}
