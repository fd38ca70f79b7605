//! `images`: what benchtop made on the engine, and its removal.

use clap::Args;

use crate::cli::arguments::{Format, FormatOption};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::session::{HostPrograms, docker};

/// Arguments of `images`.
#[derive(Debug, Args)]
pub struct ImagesArguments {
    /// Remove those that no container uses
    #[arg(long)]
    pub prune: bool,
    #[command(flatten)]
    /// Printing.
    pub output: FormatOption,
}

/// Runs it.
///
/// # Errors
/// When the engine cannot be used.
pub async fn run(arguments: &ImagesArguments) -> Result<Exit, CliError> {
    let driver = docker(HostPrograms::LeaveAlone).await?;
    let entries = if arguments.prune { driver.prune_images().await } else { driver.images().await };
    let entries = entries.map_err(CliError::Machine)?;
    match arguments.output.format {
        Format::Json => output::json(&entries)?,
        Format::Text => {
            let verb = if arguments.prune { "removed " } else { "" };
            let lines: Vec<String> = entries
                .iter()
                .map(|entry| format!("{verb}{} {} {}", entry.name, entry.size, entry.packages.join(" ")))
                .collect();
            output::data(&lines.join("\n"))?;
        }
    }
    Ok(Exit::Done)
}
