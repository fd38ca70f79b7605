//! `init`: writes a commented scenario to start from.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use clap::Args;

use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::output;

/// The scenario that is written.
pub const STARTER: &str = include_str!("starter.yaml");

/// Arguments of `init`.
#[derive(Debug, Args)]
pub struct InitArguments {
    /// The file to write; an existing one is left alone
    #[arg(value_name = "FILE", default_value = "scenario.yaml")]
    pub file: PathBuf,
}

/// Runs it.
///
/// # Errors
/// When the file exists or cannot be written.
pub fn run(arguments: &InitArguments) -> Result<Exit, CliError> {
    let path = &arguments.file;
    let write = || OpenOptions::new().write(true).create_new(true).open(path)?.write_all(STARTER.as_bytes());
    match write() {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(CliError::usage(
                format!("{} exists and is left alone", path.display()),
                "give another name: `benchtop init other.yaml`",
            ));
        }
        Err(source) => return Err(CliError::Write { path: path.clone(), source }),
    }
    output::data(&format!("wrote {}", path.display()))?;
    output::say(&format!("next: benchtop check {0}; benchtop run {0}", path.display()));
    Ok(Exit::Done)
}
