//! `down`: takes a lab down, or all of them.

use clap::Args;

use crate::cli::arguments::{Format, FormatOption, LabOptions};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::session::{Session, Voice};
use crate::lab::{self, DownOutcome};

/// Arguments of `down`.
#[derive(Debug, Args)]
pub struct DownArguments {
    /// Every lab of this driver, also those without a state file
    #[arg(long, conflicts_with = "lab")]
    pub all: bool,
    #[command(flatten)]
    /// Which lab.
    pub lab: LabOptions,
    #[command(flatten)]
    /// Printing.
    pub output: FormatOption,
}

/// Runs it.
///
/// # Errors
/// When it is not clear which lab is meant, or something cannot be removed.
pub async fn run(arguments: &DownArguments, voice: Voice) -> Result<Exit, CliError> {
    let outcome =
        if arguments.all { all(&arguments.lab, voice).await } else { one(&arguments.lab, voice).await }?;
    match arguments.output.format {
        Format::Json => output::json(&outcome)?,
        Format::Text => output::data(&as_text(&outcome))?,
    }
    Ok(Exit::Done)
}

async fn one(options: &LabOptions, voice: Voice) -> Result<Vec<DownOutcome>, CliError> {
    let (session, lab) = Session::on_remains(options, voice).await?;
    let outcome = lab::down(&session.bench, &lab).await.map_err(CliError::Lab);
    session.finish().await;
    Ok(vec![outcome?])
}

async fn all(options: &LabOptions, voice: Voice) -> Result<Vec<DownOutcome>, CliError> {
    let session = Session::on_any_lab(options, voice).await?;
    let outcome = lab::down_all(&session.bench).await.map_err(CliError::Lab);
    session.finish().await;
    outcome
}

fn as_text(outcomes: &[DownOutcome]) -> String {
    if outcomes.is_empty() {
        return "no lab is up".to_owned();
    }
    let mut text = String::new();
    for outcome in outcomes {
        match outcome.removed.as_slice() {
            [] => text.push_str(&format!("{}: no node was left\n", outcome.lab)),
            removed => text.push_str(&format!("{}: removed {}\n", outcome.lab, removed.join(", "))),
        }
    }
    text
}
