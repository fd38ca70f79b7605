//! `completions`: a script that teaches a shell the words.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::arguments::Arguments;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::output;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell
    pub shell: Shell,
}

/// Runs it.
///
/// # Errors
/// When standard output cannot be written.
pub fn run(arguments: &CompletionsArguments) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "benchtop", &mut script);
    output::bytes(&script)?;
    Ok(Exit::Done)
}
