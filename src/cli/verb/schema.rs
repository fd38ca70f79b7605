//! `schema`: the JSON Schema of the scenario language.

use crate::cli::arguments::TemplateOptions;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::inputs;
use crate::cli::output;
use crate::scenario;

/// Runs it.
///
/// # Errors
/// When a software folder is wrong.
pub fn run(arguments: &TemplateOptions) -> Result<Exit, CliError> {
    output::json(&scenario::schema(&inputs::catalog(arguments)?))?;
    Ok(Exit::Done)
}
