//! From repetitions to what they say, in the order in which each step needs the one before.

use crate::model::run::{RunRecord, RunState};
use crate::report::analysis::Analysis;
use crate::report::answer;
use crate::report::comparison;
use crate::report::finding;
use crate::report::finding::Finding;
use crate::report::input::ReportInput;
use crate::report::rule;
use crate::report::threshold;
use crate::report::usage;
use crate::report::usage::NodeUse;
use crate::report::view;
use crate::report::view::CellView;
use crate::report::words;
use crate::stats::Drift;

/// Says what a run says: cells, comparisons, answers, findings, thresholds. Pure: the same input gives the same analysis.
#[must_use]
pub fn analyse(input: &ReportInput) -> Analysis {
    let run = input.run;
    let experiment = &run.experiment;
    let cells = view::cells(input);
    let node_use = usage::node_use(input, &cells);
    let drift = rule::run_drift(&cells);
    let findings = findings(run, &cells, &node_use, drift.as_ref());
    let answers = answer::answers(experiment, &cells);
    let mut comparisons: Vec<_> = answers.iter().map(|answer| answer.comparison.clone()).collect();
    let explored = comparison::exploratory(experiment, &cells, &comparisons);
    comparisons.extend(explored);
    let known = threshold::Known {
        experiment,
        cells: &cells,
        findings: &findings,
        used: &node_use,
        elapsed_s: run.elapsed_s,
    };
    let thresholds = experiment.thresholds.iter().map(|t| threshold::judge(t, &known)).collect();
    let rounds_complete = rounds_complete(&cells, experiment.repeat);
    Analysis {
        language: experiment.report.language,
        run: run.run.clone(),
        scenario: experiment.name.clone(),
        title: experiment.title.clone(),
        rounds_planned: experiment.repeat,
        rounds_complete,
        incomplete: incomplete(run, &cells, rounds_complete),
        elapsed_s: run.elapsed_s,
        answers,
        comparisons,
        thresholds,
        findings,
        drift,
        node_use,
        cells: cells.into_iter().map(|cell| cell.summary).collect(),
    }
}

fn findings(run: &RunRecord, cells: &[CellView], used: &[NodeUse], drift: Option<&Drift>) -> Vec<Finding> {
    let language = run.experiment.report.language;
    let raised = [
        rule::errors_counted_as_throughput(language, cells),
        rule::symptoms(language, cells),
        rule::oom_kill(language, cells, used),
        rule::service_died(language, cells),
        rule::redirects_measured(language, cells),
        rule::length_varies(language, cells),
        rule::keep_alive_not_obtained(language, cells),
        rule::generator_was_the_limit(language, cells),
        rule::little_does_not_hold(language, cells),
        rule::run_too_short(language, cells, run),
        rule::cold_first_repetition(language, cells),
        rule::drifts(language, drift),
        rule::too_noisy(language, cells),
        rule::order_confounded(language, &run.experiment),
        rule::cpu_overpromised(language, &run.experiment, run),
        rule::cpu_throttled(language, cells, used),
        rule::workers_all_busy(language, cells, used),
    ];
    // A symptom and a rule may raise the same kind for the same variant: that is one finding.
    let mut findings = finding::merged(raised.concat());
    let place = |finding: &Finding| {
        finding.variant.as_ref().and_then(|variant| run.experiment.variants.get_index_of(variant))
    };
    findings.sort_by_key(|finding| (finding.kind, place(finding)));
    findings
}

/// Rounds in which every cell that was measured at all has a repetition.
fn rounds_complete(cells: &[CellView], planned: u32) -> u32 {
    let measured: Vec<&CellView> = cells.iter().filter(|cell| !cell.repetitions.is_empty()).collect();
    let whole = |round: u32| measured.iter().all(|cell| cell.repetitions.iter().any(|r| r.round == round));
    if measured.is_empty() {
        return 0;
    }
    u32::try_from((1..=planned).filter(|round| whole(*round)).count()).unwrap_or(u32::MAX)
}

fn incomplete(run: &RunRecord, cells: &[CellView], rounds_complete: u32) -> Vec<String> {
    let language = run.experiment.report.language;
    let mut missing = run.partial.clone();
    match run.state {
        RunState::Complete => {}
        RunState::Running => missing.push(words::answers::not_ended(language).to_owned()),
        RunState::Interrupted => missing.push(words::answers::interrupted(language).to_owned()),
    }
    if rounds_complete < run.experiment.repeat {
        missing.push(words::answers::rounds_complete(language, &rounds_complete, &run.experiment.repeat));
    }
    let unmeasured: Vec<String> = cells
        .iter()
        .filter(|cell| cell.repetitions.is_empty())
        .map(|cell| words::answers::cell(language, &cell.variant.name, &cell.level.name))
        .collect();
    if !unmeasured.is_empty() {
        missing.push(words::answers::not_measured(language, &unmeasured.join(", ")));
    }
    missing
}
