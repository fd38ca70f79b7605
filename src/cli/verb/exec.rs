//! `exec`: a command on a node; its exit status becomes benchtop's.

use std::io::{Read, Write};

use clap::Args;

use crate::cli::arguments::LabOptions;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::session::{Session, Voice};
use crate::lab;

/// Arguments of `exec`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  benchtop exec web1 -- cat /etc/debian_version\n  \
echo 'show stat' | benchtop exec --stdin frontend -- sh -c 'cat'")]
pub struct ExecArguments {
    /// The node
    #[arg(value_name = "NODE")]
    pub node: String,
    /// Give benchtop's own standard input to the command
    #[arg(long, short = 'i')]
    pub stdin: bool,
    /// The command and its arguments
    #[arg(value_name = "CMD", required = true, last = true)]
    pub command: Vec<String>,
    #[command(flatten)]
    /// Which lab.
    pub lab: LabOptions,
}

/// Runs it.
///
/// # Errors
/// When the lab or the node is not there, or the command cannot be started.
pub async fn run(arguments: &ExecArguments, voice: Voice) -> Result<Exit, CliError> {
    let mut stdin = Vec::new();
    if arguments.stdin {
        let read = std::io::stdin().read_to_end(&mut stdin);
        read.map_err(|source| CliError::Read { path: "standard input".into(), source })?;
    }
    let (session, lab) = Session::on_lab(&arguments.lab, voice).await?;
    let cancel = session.bench.cancel.clone();
    let result = tokio::select! {
        result = lab::exec(&session.bench, &lab, &arguments.node, &arguments.command, stdin) => Some(result),
        () = cancel.cancelled() => None,
    };
    session.finish().await;
    let Some(result) = result else { return Ok(Exit::Interrupted) };
    let result = result.map_err(CliError::Lab)?;
    let _ = std::io::stderr().write_all(&result.stderr);
    output::bytes(&result.stdout)?;
    Ok(Exit::Command(u8::try_from(result.status).unwrap_or(u8::MAX)))
}
