//! How it was measured, and how to make the report again.

use crate::model::experiment::{DriverKind, Language, Order};
use crate::model::load::{Extent, Load};
use crate::model::run::{RunRecord, RunTimes};
use crate::model::unit::{ByteSize, show_duration};
use crate::report::analysis::Analysis;
use crate::report::cell::CellSummary;
use crate::report::input::ReportInput;
use crate::report::markdown::{Align, Table, code, text};
use crate::report::number;
use crate::report::view::counting;
use crate::report::words::method;
use crate::stats::{CONFIDENCE, summarise};

/// The section.
pub(super) fn section(input: &ReportInput, analysis: &Analysis) -> String {
    let run = input.run;
    let language = analysis.language;
    let mut section = format!("## {}\n\n", method::heading(language));
    for line in lines(run, analysis) {
        section.push_str(&format!("- {line}\n"));
    }
    section.push('\n');
    section.push_str(&loads(run));
    section.push_str(&advice(analysis));
    section.push_str(&times(run));
    section.push_str(&nodes(run));
    section
}

fn lines(run: &RunRecord, analysis: &Analysis) -> Vec<String> {
    let experiment = &run.experiment;
    let language = analysis.language;
    let order = match experiment.order {
        Order::Random => method::random(language, &run.seed),
        Order::Sequential => method::sequential(language).to_owned(),
    };
    let restarted = |cell: &CellSummary| cell.repetitions.iter().filter(|r| r.drained_by_restart).count();
    let drained: usize = analysis.cells.iter().map(restarted).sum();
    let repetitions: usize = analysis.cells.iter().map(|cell| cell.repetitions.len()).sum();
    let again = analysis.cells.iter().flat_map(|c| &c.repetitions).filter(|r| r.attempt > 1).count();
    let driver = match run.driver {
        DriverKind::Docker => "docker",
        DriverKind::Fake => "fake",
    };
    let ended =
        run.ended_at.as_deref().map(|ended| method::ended(language, &text(ended))).unwrap_or_default();
    let mut lines = vec![
        method::rounds(language, &analysis.rounds_complete, &analysis.rounds_planned, &order),
        method::drained(language, &drained, &repetitions),
        method::started(language, &text(&run.started_at), &ended, &number::seconds(run.elapsed_s)),
        method::program(language, &text(&run.version), &driver, &text(&run.host.driver)),
        method::machine(
            language,
            &text(&run.host.os),
            &text(&run.host.kernel),
            &run.host.cpus,
            &text(&run.host.cpu_model),
            &ByteSize(run.host.memory_bytes),
        ),
    ];
    if let Some(profile) = &run.profile {
        lines.push(method::profile(language, &code(profile)));
    }
    if again > 0 {
        lines.push(method::measured_again(language, &again));
    }
    lines
}

/// The load of each variant; one row where variants agree.
fn loads(run: &RunRecord) -> String {
    let language = run.experiment.report.language;
    let mut table = Table::new(&[
        (method::variants(language), Align::Left),
        (method::levels(language), Align::Left),
        (method::window(language), Align::Left),
        (method::warm_up(language), Align::Right),
        (method::timeout(language), Align::Right),
        (method::keep_alive(language), Align::Left),
        (method::cool_down(language), Align::Right),
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
            load.levels.iter().map(|level| level_text(language, &level.name, level.connections)).collect();
        let mut windows: Vec<String> = Vec::new();
        for level in &load.levels {
            let window = match level.extent {
                Extent::Duration(time) => show_duration(time),
                Extent::Requests(count) => method::requests(language, &count),
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
            if load.keep_alive { method::yes(language) } else { method::no(language) }.to_owned(),
            show_duration(load.cool_down_at_most),
        ]);
    }
    table.write()
}

fn level_text(language: Language, name: &str, connections: u32) -> String {
    if name == connections.to_string() {
        name.to_owned()
    } else {
        method::level(language, &text(name), &connections)
    }
}

/// How long windows should be, from what was measured: 30 s, 50 response times, and ten requests beyond the p99.
fn advice(analysis: &Analysis) -> String {
    let longest = analysis
        .cells
        .iter()
        .filter_map(|cell| {
            let course = cell.course.as_ref()?;
            let latencies: Vec<f64> = counting(&cell.repetitions).filter_map(|r| r.latency_mean_ms).collect();
            let response_s = summarise(&latencies, CONFIDENCE).ok()?.mean / 1000.0;
            let tail_s = 1000.0 / course.requests_per_s.max(f64::MIN_POSITIVE);
            Some((30.0_f64.max(50.0 * response_s).max(tail_s), cell, course.time_s))
        })
        .max_by(|left, right| left.0.total_cmp(&right.0));
    match longest {
        Some((wanted, cell, time_s)) if wanted.is_finite() => {
            let sentence = method::length(
                analysis.language,
                &code(&cell.variant),
                &text(&cell.level),
                &wanted.ceil(),
                &number::seconds(time_s),
            );
            format!("{sentence}\n\n")
        }
        _ => String::new(),
    }
}

fn nodes(run: &RunRecord) -> String {
    let language = run.experiment.report.language;
    let mut table = Table::new(&[
        (method::node(language), Align::Left),
        (method::image(language), Align::Left),
        (method::facts(language), Align::Left),
    ]);
    for (name, node) in &run.nodes {
        let facts: Vec<String> =
            node.facts.iter().map(|(name, value)| format!("{} {}", text(name), text(value))).collect();
        let image = if node.image.is_empty() { "—".to_owned() } else { code(&node.image) };
        table.row(vec![code(name), image, if facts.is_empty() { "—".to_owned() } else { facts.join("; ") }]);
    }
    table.write()
}

/// Where the wall time went; nothing for a run that did not note it.
fn times(run: &RunRecord) -> String {
    let times = &run.times;
    if *times == RunTimes::default() {
        return String::new();
    }
    let language = run.experiment.report.language;
    let load_s = times.warm_up_s + times.windows_s + times.cool_down_s;
    let noted_s = times.images_s + times.nodes_s + times.switching_s + times.verifying_s + load_s;
    let switching = method::switching(language, &times.switches, &number::seconds(times.switch_s_max));
    let parts = [
        (method::images(language), times.images_s),
        (method::nodes(language), times.nodes_s),
        (switching.as_str(), times.switching_s),
        (method::verifying(language), times.verifying_s),
        (method::warm_ups(language), times.warm_up_s),
        (method::windows(language), times.windows_s),
        (method::cool_downs(language), times.cool_down_s),
        (method::everything_else(language), (run.elapsed_s - noted_s).max(0.0)),
        (method::all(language), run.elapsed_s),
    ];
    let mut table = Table::new(&[
        (method::part(language), Align::Left),
        (method::seconds(language), Align::Right),
        (method::share(language), Align::Right),
    ]);
    for (name, seconds) in parts {
        let share = number::percent(seconds / run.elapsed_s);
        table.row(vec![name.to_owned(), number::seconds(seconds), share]);
    }
    // Images are built once and found from then on; everything behind them is paid for by every run.
    let own = number::percent(1.0 - load_s / (run.elapsed_s - times.images_s));
    format!(
        "### {}\n\n{}{}\n\n",
        method::times_heading(language),
        table.write(),
        method::own_share(language, &own)
    )
}

/// The command that makes this report again.
pub(super) fn reproduce(input: &ReportInput) -> String {
    let run = input.run;
    let language = run.experiment.report.language;
    format!(
        "## {}\n\n{}\n\n```text\nbenchtop report reports/{}/{}\n```\n\n{}\n",
        method::again_heading(language),
        method::again(language),
        run.experiment.name.replace(|c: char| c.is_control() || c == '`', ""),
        run.run.replace(|c: char| c.is_control() || c == '`', ""),
        method::files(language, &run.seed)
    )
}
