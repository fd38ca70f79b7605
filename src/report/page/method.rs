//! How it was measured, and how to make the report again.

use crate::model::experiment::{DriverKind, Order};
use crate::model::load::{Extent, Load};
use crate::model::run::RunRecord;
use crate::model::unit::{ByteSize, show_duration};
use crate::report::analysis::Analysis;
use crate::report::cell::CellSummary;
use crate::report::input::ReportInput;
use crate::report::markdown::{Align, Table, code, text};
use crate::report::number;

/// The section.
pub(super) fn section(input: &ReportInput, analysis: &Analysis) -> String {
    let run = input.run;
    let mut section = "## How it was measured\n\n".to_owned();
    for line in lines(run, analysis) {
        section.push_str(&format!("- {line}\n"));
    }
    section.push('\n');
    section.push_str(&loads(run));
    section.push_str(&advice(analysis));
    section.push_str(&nodes(run));
    section
}

fn lines(run: &RunRecord, analysis: &Analysis) -> Vec<String> {
    let experiment = &run.experiment;
    let order = match experiment.order {
        Order::Random => format!("in an order drawn anew for each round from seed {}", run.seed),
        Order::Sequential => "in the order written (`order: sequential`)".to_owned(),
    };
    let restarted = |cell: &CellSummary| cell.repetitions.iter().filter(|r| r.drained_by_restart).count();
    let drained: usize = analysis.cells.iter().map(restarted).sum();
    let repetitions: usize = analysis.cells.iter().map(|cell| cell.repetitions.len()).sum();
    let again = analysis.cells.iter().flat_map(|c| &c.repetitions).filter(|r| r.attempt > 1).count();
    let driver = match run.driver {
        DriverKind::Docker => "docker",
        DriverKind::Fake => "fake",
    };
    let ended = run.ended_at.as_deref().map_or_else(String::new, |ended| format!(", ended {}", text(ended)));
    let mut lines = vec![
        format!(
            "{} of {} rounds; in each every cell (variant × level) once, {order}. A repetition is one cell in one round; \
             intervals and tests count repetitions, never requests.",
            analysis.rounds_complete, analysis.rounds_planned
        ),
        format!(
            "After each window the services became idle or were restarted: {drained} of {repetitions} repetitions were \
             drained by restart."
        ),
        format!("Started {}{ended}; {} s in all.", text(&run.started_at), number::seconds(run.elapsed_s)),
        format!("benchtop {}, driver {driver}: {}.", text(&run.version), text(&run.host.driver)),
        format!(
            "Load machine: {}, kernel {}, {} × {}, {}.",
            text(&run.host.os),
            text(&run.host.kernel),
            run.host.cpus,
            text(&run.host.cpu_model),
            ByteSize(run.host.memory_bytes)
        ),
    ];
    if let Some(profile) = &run.profile {
        lines.push(format!("Profile: {}.", code(profile)));
    }
    if again > 0 {
        lines.push(format!("{again} repetitions were measured again after an interruption."));
    }
    lines
}

/// The load of each variant; one row where variants agree.
fn loads(run: &RunRecord) -> String {
    let mut table = Table::new(&[
        ("Variants", Align::Left),
        ("Levels", Align::Left),
        ("Window", Align::Left),
        ("Warm-up", Align::Right),
        ("Timeout", Align::Right),
        ("Keep-alive", Align::Left),
        ("Cool-down at most", Align::Right),
    ]);
    let mut groups: Vec<(Vec<String>, &Load)> = Vec::new();
    for variant in run.experiment.variants.values() {
        match groups.iter_mut().find(|(_, load)| **load == variant.load) {
            Some((names, _)) => names.push(code(&variant.name)),
            None => groups.push((vec![code(&variant.name)], &variant.load)),
        }
    }
    for (names, load) in groups {
        let levels: Vec<String> =
            load.levels.iter().map(|level| level_text(&level.name, level.connections)).collect();
        let mut windows: Vec<String> = Vec::new();
        for level in &load.levels {
            let window = match level.extent {
                Extent::Duration(time) => show_duration(time),
                Extent::Requests(count) => format!("{count} requests"),
            };
            if !windows.contains(&window) {
                windows.push(window);
            }
        }
        table.row(vec![
            names.join(", "),
            levels.join(", "),
            windows.join(", "),
            show_duration(load.warm_up),
            show_duration(load.timeout),
            if load.keep_alive { "yes" } else { "no" }.to_owned(),
            show_duration(load.cool_down_at_most),
        ]);
    }
    table.write()
}

fn level_text(name: &str, connections: u32) -> String {
    if name == connections.to_string() {
        name.to_owned()
    } else {
        format!("{} ({connections} connections)", text(name))
    }
}

/// How long windows should be, from what was measured: 30 s, 50 response times, and ten requests beyond the p99.
fn advice(analysis: &Analysis) -> String {
    let longest = analysis
        .cells
        .iter()
        .filter_map(|cell| {
            let course = cell.course.as_ref()?;
            let response_s = course.time_per_request_ms? / 1000.0;
            let tail_s = 1000.0 / course.requests_per_s.max(f64::MIN_POSITIVE);
            Some((30.0_f64.max(50.0 * response_s).max(tail_s), cell, course.time_s))
        })
        .max_by(|left, right| left.0.total_cmp(&right.0));
    match longest {
        Some((wanted, cell, time_s)) if wanted.is_finite() => format!(
            "Length of a window: 30 s, fifty response times and a thousand requests (for the p99) would be comfortable; the \
             slowest cell here ({} at {}) would take {:.0} s and had {} s.\n\n",
            code(&cell.variant),
            text(&cell.level),
            wanted.ceil(),
            number::seconds(time_s)
        ),
        _ => String::new(),
    }
}

fn nodes(run: &RunRecord) -> String {
    let mut table =
        Table::new(&[("Node", Align::Left), ("Image", Align::Left), ("Facts and versions", Align::Left)]);
    for (name, node) in &run.nodes {
        let facts: Vec<String> =
            node.facts.iter().map(|(name, value)| format!("{} {}", text(name), text(value))).collect();
        let image = if node.image.is_empty() { "—".to_owned() } else { code(&node.image) };
        table.row(vec![code(name), image, if facts.is_empty() { "—".to_owned() } else { facts.join("; ") }]);
    }
    table.write()
}

/// The command that makes this report again.
pub(super) fn reproduce(input: &ReportInput) -> String {
    let run = input.run;
    format!(
        "## Make it again\n\nThe report, byte for byte, without the lab:\n\n```text\nbenchtop report reports/{}/{}\n```\n\n\
         The numbers are in `repetitions.jsonl`, `cells.csv` (one row a repetition) and `summary.csv` (one row a cell); the \
         scenario as it was resolved is in `run.json`, and with seed {} its cells come in the same order.\n",
        run.experiment.name.replace(|c: char| c.is_control() || c == '`', ""),
        run.run.replace(|c: char| c.is_control() || c == '`', ""),
        run.seed
    )
}
