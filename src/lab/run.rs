//! A whole run: lab up, rounds, report, lab down. What is measured stays whatever happens, and the first error is the one told.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use crate::lab::cell::RunClock;
use crate::lab::error::{Kind, LabError};
use crate::lab::experiment::remaining;
use crate::lab::reporting::{host_facts, report};
use crate::lab::restrict::restrict;
use crate::lab::site::Site;
use crate::lab::teardown::take_down;
use crate::lab::up::new_state;
use crate::lab::workbench::{RunOptions, RunOutcome, Workbench};
use crate::machine::{Connection, LabIdentity, Preflight};
use crate::model::event::Event;
use crate::model::experiment::Experiment;
use crate::model::measurement::Repetition;
use crate::model::run::{NodeFacts, RUN_FORMAT, RunRecord, RunState, RunTimes};
use crate::plan;
use crate::scenario::{self, Checked, Problems};
use crate::store::{LabState, RunFolder};

/// What a session of a run needs to know beside the site.
struct Session<'a> {
    bench: &'a Workbench,
    clock: RunClock,
    keep: bool,
}

/// Measures a scenario.
///
/// # Errors
/// Whatever failed first; what was measured is kept and the lab is taken down unless `keep`.
pub async fn run(bench: &Workbench, checked: &Checked, options: &RunOptions) -> Result<RunOutcome, LabError> {
    let (experiment, partial) = restrict(&checked.experiment, options)?;
    let lab = options.lab.clone().unwrap_or_else(|| experiment.name.clone());
    let _lock = bench.state.lock(&lab)?;
    let run = new_run_id();
    let found = bench.state.find(&lab)?;
    let (state, created) = match found {
        Some(state) if state.run == "up" => (adopt(state, checked), false),
        Some(state) => return Err(left_over(bench, &state)),
        None => (new_state(bench, checked, &experiment, &lab, &run), true),
    };
    let seed = options.seed.unwrap_or_else(|| u64::from(rand::random::<u32>()));
    let record = RunRecord {
        format: RUN_FORMAT,
        run: run.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed,
        lab: lab.clone(),
        driver: experiment.driver,
        started_at: now(),
        ended_at: None,
        elapsed_s: 0.0,
        state: RunState::Running,
        profile: options.profile.clone(),
        partial,
        host: host_facts(),
        nodes: indexmap::IndexMap::new(),
        probes: indexmap::IndexMap::new(),
        configs: Vec::new(),
        evidence: Vec::new(),
        verified: Vec::new(),
        roles: plan::roles(&experiment, &bench.catalog),
        times: RunTimes::default(),
        document: checked.document.clone(),
        experiment: experiment.clone(),
    };
    let clock = RunClock { session_started: Instant::now(), elapsed_before_s: 0.0 };
    let identity = LabIdentity { lab, run, owner: bench.owner.clone() };
    let site = Site::new(bench, experiment, checked.locator.clone(), identity, state);
    let session = Session { bench, clock, keep: options.keep || !created };
    session.go(site, record, None).await
}

/// Goes on with a run that was interrupted: from its `run.json`, never from an edited scenario.
///
/// # Errors
/// As [`run`]; [`Kind::Scenario`] when a secret is neither in the lab's state nor in the environment.
pub async fn resume(
    bench: &Workbench,
    run_folder: &Path,
    environment: &BTreeMap<String, String>,
    keep: bool,
) -> Result<RunOutcome, LabError> {
    let folder = RunFolder::open(run_folder)?;
    let mut record = folder.record()?;
    if record.state == RunState::Complete {
        return Err(LabError::new(Kind::Scenario, "this run is complete; there is nothing to resume")
            .advise(format!("`benchtop report {}` writes its report again", run_folder.display())));
    }
    let _lock = bench.state.lock(&record.lab)?;
    let found = bench.state.find(&record.lab)?;
    if let Some(other) = found.as_ref().filter(|state| state.run != record.run) {
        return Err(left_over(bench, other));
    }
    let secrets = found.as_ref().map(LabState::revealed).unwrap_or_default();
    let checked = scenario::from_document(&record.document, &secrets, &bench.catalog, environment)
        .map_err(not_readable_again)?;
    let experiment = as_recorded(&checked.experiment, &record.experiment);
    let state = match found {
        Some(state) => state,
        None => new_state(bench, &checked, &experiment, &record.lab, &record.run),
    };
    record.state = RunState::Running;
    let elapsed_before_s = elapsed_before(&record, &folder.repetitions()?);
    let clock = RunClock { session_started: Instant::now(), elapsed_before_s };
    let identity =
        LabIdentity { lab: record.lab.clone(), run: record.run.clone(), owner: bench.owner.clone() };
    let site = Site::new(bench, experiment, checked.locator, identity, state);
    let session = Session { bench, clock, keep };
    session.go(site, record, Some(folder)).await
}

impl Session<'_> {
    /// Measures, writes the report of whatever is there, takes the lab down, and tells the first error.
    async fn go(
        &self,
        mut site: Site<'_>,
        mut record: RunRecord,
        mut folder: Option<RunFolder>,
    ) -> Result<RunOutcome, LabError> {
        site.times = record.times.clone();
        let result = self.measure(&mut site, &mut record, &mut folder).await;
        record.times = site.times.clone();
        record.elapsed_s = self.clock.elapsed_s(Instant::now());
        record.ended_at = Some(now());
        record.state = if result.is_ok() { RunState::Complete } else { RunState::Interrupted };
        let reported = match &folder {
            Some(folder) => {
                let written = folder.write_record(&record).map_err(LabError::from);
                written.and_then(|()| report(folder.path()).map(Some))
            }
            None => Ok(None),
        };
        let lab = site.identity.lab.clone();
        drop(site);
        let teardown = if self.keep {
            self.bench.tell(Event::Note(format!("lab {lab} stays up; `benchtop down --lab {lab}` ends it")));
            None
        } else {
            take_down(self.bench, &lab).await.err()
        };
        if let Err(error) = result {
            return Err(self.with_what_was_kept(error, &lab, folder.as_ref(), teardown));
        }
        let folder = folder.ok_or_else(|| LabError::new(Kind::Internal, "the run has no folder"))?;
        let (analysis, _) =
            reported?.ok_or_else(|| LabError::new(Kind::Internal, "the run has no report"))?;
        Ok(RunOutcome { folder: folder.path().to_owned(), analysis, teardown })
    }

    async fn measure(
        &self,
        site: &mut Site<'_>,
        record: &mut RunRecord,
        folder: &mut Option<RunFolder>,
    ) -> Result<(), LabError> {
        let preflight = site.provision().await?;
        note_machines(site, record, &preflight);
        let open = match folder.take() {
            Some(open) => open,
            None => RunFolder::create(&self.bench.reports, &site.experiment.name, &record.run)?,
        };
        let open = folder.insert(open).clone();
        open.write_record(record)?;
        let planned = plan::cells(&site.experiment, record.seed);
        let measured = open.repetitions()?;
        let supersede = |round| Ok(open.supersede_round(round)?);
        let remaining = remaining(planned, &measured, supersede)?;
        site.measure_all(&open, record, remaining, self.clock).await
    }

    fn with_what_was_kept(
        &self,
        error: LabError,
        lab: &str,
        folder: Option<&RunFolder>,
        teardown: Option<LabError>,
    ) -> LabError {
        let mut error = error;
        if let Some(folder) = folder {
            let measured = folder.repetitions().map(|lines| lines.len()).unwrap_or(0);
            let path = folder.path().display();
            error = error
                .detail(
                    "kept",
                    &format!("{measured} measured cell{} in {path}", if measured == 1 { "" } else { "s" }),
                )
                .detail("next", &format!("benchtop run --resume {path}"));
        }
        if let Some(teardown) = teardown {
            let text = crate::lab::ready::in_full(&teardown);
            error = error
                .detail("teardown failed too", &text)
                .detail("then", &format!("benchtop down --lab {lab}"));
        }
        error
    }
}

/// What machines turned out to be.
fn note_machines(site: &Site<'_>, record: &mut RunRecord, preflight: &Preflight) {
    record.host.driver.clone_from(&preflight.driver);
    record.host.cpus = preflight.cpus;
    record.host.memory_bytes = preflight.memory.bytes();
    for (name, node) in &site.nodes {
        record.nodes.insert(
            name.clone(),
            NodeFacts {
                address: node.connection.address().to_string(),
                public_address: public_address(node.connection.as_ref()),
                image: node.connection.image(),
                facts: node.facts.iter().map(|(fact, value)| (fact.clone(), value.clone())).collect(),
                cpus: node.spec.cpus,
                memory_bytes: node.spec.memory.map(|memory| memory.bytes()),
            },
        );
    }
}

/// The client's address of a node, where it is another one than the other nodes use.
pub(crate) fn public_address(connection: &dyn Connection) -> Option<String> {
    let address = connection.client_address();
    (address != connection.address()).then(|| address.to_string())
}

/// The scenario lowered again, with the variants, levels and rounds the record says.
fn as_recorded(whole: &Experiment, recorded: &Experiment) -> Experiment {
    let mut experiment = whole.clone();
    experiment.driver = recorded.driver;
    experiment.repeat = recorded.repeat;
    experiment.variants.retain(|name, _| recorded.variants.contains_key(name));
    for (name, variant) in &mut experiment.variants {
        if let Some(known) = recorded.variants.get(name) {
            let kept = |level: &str| known.load.levels.iter().any(|other| other.name == level);
            variant.load.levels.retain(|level| kept(&level.name));
        }
    }
    experiment
}

/// Every problem, since the first is seldom the only secret that is missing.
fn not_readable_again(problems: Problems) -> LabError {
    let all: Vec<&str> = problems.0.iter().map(|problem| problem.message.as_str()).collect();
    LabError::new(Kind::Scenario, "the run cannot be resumed")
        .detail("problems", &all.join("\n"))
        .advise(
            "set the environment variables that are named; a secret written out in the scenario is kept only \
             while the lab stands, so measure anew with `${NAME}` in its place",
        )
        .caused_by(problems)
}

/// Seconds of a run so far. A run that was killed could not write them down; its last cell tells.
fn elapsed_before(record: &RunRecord, measured: &[Repetition]) -> f64 {
    let ends = measured.iter().map(|line| line.started_after_s + line.measurement.duration_s + line.drain_s);
    ends.fold(record.elapsed_s, f64::max)
}

/// A lab of `up`, with this scenario's document and secrets.
fn adopt(mut state: LabState, checked: &Checked) -> LabState {
    state.document.clone_from(&checked.document);
    state.secrets =
        checked.secrets.iter().map(|(path, secret)| (path.clone(), secret.reveal().to_owned())).collect();
    state
}

/// A run that was killed before it had a folder cannot be gone on with, so only what works is advised.
fn left_over(bench: &Workbench, state: &LabState) -> LabError {
    let down = format!("`benchtop down --lab {}` removes it", state.lab);
    let scenario = state.document.get("name").and_then(serde_json::Value::as_str).unwrap_or(&state.lab);
    let folder = bench.reports.join(scenario).join(&state.run);
    let unfinished = RunFolder::open(&folder).and_then(|folder| folder.record());
    let resumable = unfinished.is_ok_and(|record| record.state != RunState::Complete);
    let advice = if resumable {
        format!("`benchtop run --resume {}` goes on with it, {down}", folder.display())
    } else {
        down
    };
    let what = format!("lab {} is still there from run {}, which did not end", state.lab, state.run);
    LabError::new(Kind::Provisioning, what).advise(advice)
}

/// Sortable and unlikely to meet another one.
fn new_run_id() -> String {
    let time = jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
    format!("{time}-{:04x}", rand::random::<u16>())
}

/// UTC, RFC 3339, whole seconds.
pub(crate) fn now() -> String {
    format!("{:.0}", jiff::Timestamp::now())
}
