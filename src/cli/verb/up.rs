//! `up`: brings a lab up, or changes it to what the scenario says now, and leaves it running.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::arguments::{Format, FormatOption, SourceOptions, lab_name};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::inputs;
use crate::cli::output;
use crate::cli::session::{Session, Setup, Voice};
use crate::cli::verb::run::host_programs;
use crate::cli::verb::status;
use crate::lab;

/// Arguments of `up`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  benchtop up scenarios/quickstart.yaml --variant three --lab demo")]
pub struct UpArguments {
    /// The scenario
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// One variant; the first one when not given
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// Name the lab differently from the scenario
    #[arg(long, value_name = "NAME", value_parser = lab_name)]
    pub lab: Option<String>,
    /// Missing programs of this machine (mmdebstrap) may be installed
    #[arg(long)]
    pub install: bool,
    #[command(flatten)]
    /// Reading.
    pub source: SourceOptions,
    #[command(flatten)]
    /// Printing.
    pub output: FormatOption,
}

/// Runs it.
///
/// # Errors
/// Mistakes of the scenario and whatever stops provisioning.
pub async fn run(arguments: &UpArguments, voice: Voice) -> Result<Exit, CliError> {
    let catalog = inputs::catalog(&arguments.source.templates)?;
    let checked = inputs::scenario(&arguments.file, &arguments.source, &catalog)?;
    let session = Session::start(Setup {
        driver: checked.experiment.driver,
        catalog,
        reports: PathBuf::from("reports"),
        host_programs: host_programs(arguments.install),
        voice,
    })
    .await?;
    session.name_lab(arguments.lab.as_ref().unwrap_or(&checked.experiment.name));
    let (lab, variant) = (arguments.lab.as_deref(), arguments.variant.as_deref());
    let outcome = lab::up(&session.bench, &checked, lab, variant).await.map_err(CliError::Lab);
    session.finish().await;
    let outcome = outcome?;
    match arguments.output.format {
        Format::Json => output::json(&json!({
            "changes": outcome.changes,
            "status": status::as_json(&outcome.status, status::Passwords::Masked),
        }))?,
        Format::Text => {
            let changes = if outcome.changes.is_empty() {
                "nothing to do".to_owned()
            } else {
                outcome.changes.join("\n")
            };
            output::data(&changes)?;
            output::data("")?;
            output::data(&status::as_text(&outcome.status, status::Passwords::Masked))?;
        }
    }
    Ok(Exit::Done)
}
