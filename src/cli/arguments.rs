//! What can be typed: verbs, options and their help. What the words lead to is in `verb`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::cli::verb::act::ActArguments;
use crate::cli::verb::check::CheckArguments;
use crate::cli::verb::completions::CompletionsArguments;
use crate::cli::verb::doctor::DoctorArguments;
use crate::cli::verb::down::DownArguments;
use crate::cli::verb::exec::ExecArguments;
use crate::cli::verb::images::ImagesArguments;
use crate::cli::verb::init::InitArguments;
use crate::cli::verb::logs::LogsArguments;
use crate::cli::verb::plan::PlanArguments;
use crate::cli::verb::reference::ReferenceArguments;
use crate::cli::verb::render::RenderArguments;
use crate::cli::verb::report::ReportArguments;
use crate::cli::verb::run::RunArguments;
use crate::cli::verb::status::StatusArguments;
use crate::cli::verb::up::UpArguments;
use crate::model::experiment::DriverKind;
use crate::store::{LAB_NAME_RULE, is_lab_name};

const EXAMPLES: &str = "\
Examples:
  benchtop init                                    write a commented scenario to start from
  benchtop check scenario.yaml                     every mistake, with its line
  benchtop plan scenario.yaml                      what would be done, and how long it takes
  benchtop run scenario.yaml                       build, measure, report, take down
  benchtop run scenario.yaml --only one,two --levels 24 --repeat 3
  benchtop up scenario.yaml --variant two          bring a lab up and leave it
  benchtop exec frontend -- ss -ltn                look around in it
  benchtop down                                    and take it down again

Data goes to standard output, everything else to standard error. Exit codes: 0 done, 1 internal, 2 usage,
3 scenario, 4 provisioning, 5 load, 6 threshold, 7 teardown incomplete, 130 interrupted.";

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "benchtop", version, about = "A bench-top lab for server topologies", after_help = EXAMPLES)]
#[command(
    long_about = "A bench-top lab for server topologies: write nodes, balancer and workers down in one YAML file; \
benchtop builds them, measures them several times at several levels, and reports what was proven and what was not."
)]
pub struct Arguments {
    /// Say nothing but results, warnings and errors
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Trace what is done inside, on standard error
    #[arg(long, global = true)]
    pub verbose: bool,
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Build the lab, measure every variant at every level, write the report, take the lab down
    Run(RunArguments),
    /// Read scenarios and show every mistake, with its line; nothing is touched
    Check(CheckArguments),
    /// Show steps, worker sums and expected time; nothing is touched
    Plan(PlanArguments),
    /// Show every configuration as it would be written, secrets masked; nothing is touched
    Render(RenderArguments),
    /// Bring a lab up (or change it to what the scenario says now) and leave it running
    Up(UpArguments),
    /// Show a lab that is up: URLs, host names, nodes, services, sockets, logs
    Status(StatusArguments),
    /// Run a command on a node; its exit status is passed on
    Exec(ExecArguments),
    /// Show the last lines of a service's log
    Logs(LogsArguments),
    /// Do something to a service while it runs: stop, start, restart, … or an action of its software
    Act(ActArguments),
    /// Take a lab down: nodes, networks and state
    Down(DownArguments),
    /// Write a run's report again from its folder, without the lab
    Report(ReportArguments),
    /// List the images benchtop made; `--prune` removes them
    Images(ImagesArguments),
    /// Write a commented scenario to start from
    Init(InitArguments),
    /// Look at what this machine has and what is missing
    Doctor(DoctorArguments),
    /// Print the JSON Schema of the scenario language
    Schema(TemplateOptions),
    /// Print the generated reference
    #[command(hide = true)]
    Reference(ReferenceArguments),
    /// Print a completion script for a shell
    Completions(CompletionsArguments),
}

/// How a scenario is read.
#[derive(Debug, Args)]
pub struct SourceOptions {
    /// Who builds the nodes; the scenario's own word when not given
    #[arg(long, value_name = "DRIVER")]
    pub driver: Option<DriverChoice>,
    /// Apply one of the scenario's profiles
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Change one value after profile and variant: `load.duration=3s`; repeatable
    #[arg(long = "set", value_name = "PATH=YAML")]
    pub sets: Vec<String>,
    #[command(flatten)]
    /// Software folders.
    pub templates: TemplateOptions,
}

/// Where software folders come from besides the built-in ones.
#[derive(Debug, Args)]
pub struct TemplateOptions {
    /// A software folder, or a folder of them, that adds to or replaces the built-in ones; repeatable
    #[arg(long, value_name = "DIR")]
    pub templates: Vec<PathBuf>,
}

/// A lab's name as it is typed.
///
/// # Errors
/// The rule, for a name that breaks it.
pub fn lab_name(typed: &str) -> Result<String, String> {
    if is_lab_name(typed) { Ok(typed.to_owned()) } else { Err(LAB_NAME_RULE.to_owned()) }
}

/// Which lab.
#[derive(Debug, Args)]
pub struct LabOptions {
    /// The lab's name; not needed while only one is up
    #[arg(long, value_name = "NAME", value_parser = lab_name)]
    pub lab: Option<String>,
    /// The driver that built it
    #[arg(long, value_name = "DRIVER", default_value = "docker")]
    pub driver: DriverChoice,
    #[command(flatten)]
    /// Software folders.
    pub templates: TemplateOptions,
}

/// The drivers as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DriverChoice {
    /// Containers on a Docker engine
    Docker,
    /// Machines in memory, for tests
    #[value(hide = true)]
    Fake,
}

impl From<DriverChoice> for DriverKind {
    fn from(choice: DriverChoice) -> Self {
        match choice {
            DriverChoice::Docker => Self::Docker,
            DriverChoice::Fake => Self::Fake,
        }
    }
}

/// How data is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// `--format`.
#[derive(Debug, Args)]
pub struct FormatOption {
    /// How data is printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}
