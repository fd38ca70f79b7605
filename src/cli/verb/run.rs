//! `run`: build, measure, report, take down; or go on with an interrupted run.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::cli::arguments::{Format, FormatOption, SourceOptions, lab_name};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::inputs;
use crate::cli::output;
use crate::cli::session::{HostPrograms, Session, Setup, Voice};
use crate::cli::verb::report::find_run;
use crate::lab::{self, RunOptions, RunOutcome};
use crate::model::run::RunRecord;
use crate::report::{self, Analysis, Verdict};

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  benchtop run scenarios/quickstart.yaml
  benchtop run scenarios/quickstart.yaml --profile ci --only one,two
  benchtop run scenarios/quickstart.yaml --set load.duration=3s --seed 7
  benchtop run --resume reports/quickstart/20261130-214216-ab12")]
pub struct RunArguments {
    /// The scenario
    #[arg(value_name = "SCENARIO", required_unless_present = "resume")]
    pub scenario: Option<PathBuf>,
    /// Go on with an interrupted run, from what its folder says; the scenario file is not read
    #[arg(
        long,
        value_name = "RUN",
        conflicts_with_all = ["profile", "sets", "driver", "only", "levels", "repeat", "seed", "lab"]
    )]
    pub resume: Option<String>,
    #[command(flatten)]
    /// Reading.
    pub source: SourceOptions,
    /// Name the lab differently from the scenario
    #[arg(long, value_name = "NAME", value_parser = lab_name)]
    pub lab: Option<String>,
    /// Only these variants
    #[arg(long, value_name = "VARIANTS", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Only these levels
    #[arg(long, value_name = "LEVELS", value_delimiter = ',')]
    pub levels: Vec<String>,
    /// Measure each cell this often
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: Option<u32>,
    /// Seed of the order of cells
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Leave the lab up at the end
    #[arg(long)]
    pub keep: bool,
    /// Where run folders go
    #[arg(long, env = "BENCHTOP_REPORTS", value_name = "DIR", default_value = "reports")]
    pub reports: PathBuf,
    /// Missing programs of this machine (mmdebstrap) may be installed
    #[arg(long)]
    pub install: bool,
    #[command(flatten)]
    /// Printing.
    pub output: FormatOption,
}

/// Runs it.
///
/// # Errors
/// Whatever stops the run; [`CliError::Threshold`] for a complete run whose thresholds do not all hold.
pub async fn run(arguments: RunArguments, voice: Voice) -> Result<Exit, CliError> {
    let format = arguments.output.format;
    let outcome = match (&arguments.resume, &arguments.scenario) {
        (Some(run), scenario) => {
            if let Some(scenario) = scenario {
                output::say(&format!(
                    "note: {} is not read; the run's own record is used",
                    scenario.display()
                ));
            }
            resume(&find_run(&arguments.reports, run)?, &arguments, voice).await?
        }
        (None, Some(scenario)) => measure(scenario, &arguments, voice).await?,
        (None, None) => return Err(CliError::usage("no scenario is given", "`benchtop run SCENARIO`")),
    };
    conclude(outcome, format)
}

async fn measure(scenario: &Path, arguments: &RunArguments, voice: Voice) -> Result<RunOutcome, CliError> {
    let catalog = inputs::catalog(&arguments.source.templates)?;
    let checked = inputs::scenario(scenario, &arguments.source, &catalog)?;
    let session = Session::start(Setup {
        driver: checked.experiment.driver,
        catalog,
        reports: arguments.reports.clone(),
        host_programs: host_programs(arguments.install),
        voice,
    })
    .await?;
    session.name_lab(arguments.lab.as_ref().unwrap_or(&checked.experiment.name));
    let options = RunOptions {
        lab: arguments.lab.clone(),
        keep: arguments.keep,
        only: arguments.only.clone(),
        levels: arguments.levels.clone(),
        repeat: arguments.repeat,
        seed: arguments.seed,
        profile: arguments.source.profile.clone(),
    };
    let outcome = lab::run(&session.bench, &checked, &options).await.map_err(CliError::Lab);
    session.finish().await;
    outcome
}

async fn resume(folder: &Path, arguments: &RunArguments, voice: Voice) -> Result<RunOutcome, CliError> {
    let record = read_record(folder)?;
    let session = Session::start(Setup {
        driver: record.driver,
        catalog: inputs::catalog(&arguments.source.templates)?,
        reports: arguments.reports.clone(),
        host_programs: host_programs(arguments.install),
        voice,
    })
    .await?;
    session.name_lab(&record.lab);
    let environment = inputs::environment();
    let outcome =
        lab::resume(&session.bench, folder, &environment, arguments.keep).await.map_err(CliError::Lab);
    session.finish().await;
    outcome
}

/// `--install` in words.
pub(super) const fn host_programs(install: bool) -> HostPrograms {
    if install { HostPrograms::MayInstall } else { HostPrograms::LeaveAlone }
}

/// Which driver and lab a run folder belongs to; `lab` reads and judges the rest.
fn read_record(folder: &Path) -> Result<RunRecord, CliError> {
    let path = folder.join("run.json");
    let read = || -> std::io::Result<RunRecord> { Ok(serde_json::from_slice(&std::fs::read(&path)?)?) };
    read().map_err(|source| CliError::Read { path: path.clone(), source })
}

/// Prints the result; thresholds and what is left behind decide the exit code.
fn conclude(outcome: RunOutcome, format: Format) -> Result<Exit, CliError> {
    let written = show(&outcome.folder, &outcome.analysis, format);
    // What is left behind must be said even when nobody reads the table.
    let left = outcome.teardown.map(CliError::Lab);
    let judged = written.and_then(|()| judge(&outcome.analysis));
    match (judged, left) {
        (Err(error), Some(left)) => {
            output::say(&left.show());
            Err(error)
        }
        (Err(error), None) => Err(error),
        (Ok(_), Some(left)) => Err(left),
        (Ok(exit), None) => Ok(exit),
    }
}

/// Prints table and place of the report.
pub(super) fn show(folder: &Path, analysis: &Analysis, format: Format) -> Result<(), CliError> {
    let report: PathBuf = folder.join("report.md");
    match format {
        Format::Json => output::json(&json!({
            "folder": folder.to_string_lossy(), "report": report.to_string_lossy(), "analysis": analysis
        })),
        Format::Text => {
            output::data(&report::terminal(analysis, output::width()))?;
            output::data(&format!("report: {}", report.display()))
        }
    }
}

/// Done, or a threshold that failed or cannot be told.
pub(super) fn judge(analysis: &Analysis) -> Result<Exit, CliError> {
    let of = |verdict: Verdict| {
        let those = analysis.thresholds.iter().filter(|threshold| threshold.verdict == verdict);
        those.map(|threshold| format!("{} ({})", threshold.text, threshold.values)).collect::<Vec<_>>()
    };
    let (failed, untold) = (of(Verdict::Fail), of(Verdict::CannotTell));
    if failed.is_empty() && untold.is_empty() {
        Ok(Exit::Done)
    } else {
        Err(CliError::Threshold { failed, untold })
    }
}
