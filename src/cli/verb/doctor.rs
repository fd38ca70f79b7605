//! `doctor`: shows what this machine has and what is missing. What is looked at is in `cli::doctor`.

use clap::Args;

use crate::cli::arguments::{Format, FormatOption};
use crate::cli::doctor::{self, Finding, Grade};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::output;

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    #[command(flatten)]
    /// Printing.
    pub output: FormatOption,
}

/// Runs it.
///
/// # Errors
/// [`CliError::NotReady`] when something that `run` needs is missing.
pub async fn run(arguments: &DoctorArguments) -> Result<Exit, CliError> {
    let findings = doctor::examine().await;
    match arguments.output.format {
        Format::Json => output::json(&findings)?,
        Format::Text => output::data(&as_text(&findings))?,
    }
    match findings.iter().filter(|finding| finding.grade == Grade::Missing).count() {
        0 => Ok(Exit::Done),
        count => Err(CliError::NotReady(count)),
    }
}

fn as_text(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        text.push_str(&format!("{:<8} {}: {}\n", finding.grade.word(), finding.what, finding.found));
        if let Some(advice) = &finding.advice {
            text.push_str(&format!("         {advice}\n"));
        }
    }
    text
}
