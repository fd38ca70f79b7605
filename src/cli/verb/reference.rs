//! `reference`: prints the documents that are generated from the code.

use clap::{Args, ValueEnum};

use crate::cli::arguments::TemplateOptions;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::inputs;
use crate::cli::output;
use crate::scenario;

/// Arguments of `reference`.
#[derive(Debug, Args)]
pub struct ReferenceArguments {
    /// Which part
    #[arg(value_name = "PART", default_value = "scenario")]
    pub part: ReferencePart,
    #[command(flatten)]
    /// Software folders.
    pub templates: TemplateOptions,
}

/// The parts of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReferencePart {
    /// Every key of a scenario
    Scenario,
    /// Every software with its parameters, relations and actions
    Software,
}

/// Runs it.
///
/// # Errors
/// When a software folder is wrong.
pub fn run(arguments: &ReferenceArguments) -> Result<Exit, CliError> {
    let catalog = inputs::catalog(&arguments.templates)?;
    output::data(&match arguments.part {
        ReferencePart::Scenario => scenario::reference(&catalog),
        ReferencePart::Software => scenario::software_reference(&catalog),
    })?;
    Ok(Exit::Done)
}
