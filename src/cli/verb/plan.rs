//! `plan`: what would be done and how long it would take.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::arguments::{Format, FormatOption, SourceOptions};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::inputs;
use crate::cli::output;
use crate::plan;

/// Arguments of `plan`.
#[derive(Debug, Args)]
pub struct PlanArguments {
    /// The scenario
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
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
/// Mistakes of the scenario, and what cannot be written.
pub fn run(arguments: &PlanArguments) -> Result<Exit, CliError> {
    let catalog = inputs::catalog(&arguments.source.templates)?;
    let checked = inputs::scenario(&arguments.file, &arguments.source, &catalog)?;
    let lines = plan::explain(&checked.experiment, &catalog);
    match arguments.output.format {
        Format::Text => output::data(&lines.join("\n"))?,
        Format::Json => output::json(&json!({
            "scenario": checked.experiment.name,
            "measuring_s": plan::estimate(&checked.experiment).as_secs_f64(),
            "lines": lines,
        }))?,
    }
    Ok(Exit::Done)
}
