//! `logs`: the last lines of a service's log, and what comes after them.

use clap::Args;
use tokio::sync::mpsc::unbounded_channel;

use crate::cli::arguments::LabOptions;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::session::{Session, Voice};
use crate::lab;

/// Arguments of `logs`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  benchtop logs frontend.haproxy -n 50 -f")]
pub struct LogsArguments {
    /// The service, as `node.service`
    #[arg(value_name = "NODE.SERVICE")]
    pub service: String,
    /// Go on with what comes, until Ctrl-C
    #[arg(long, short)]
    pub follow: bool,
    /// How many of the last lines
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    pub lines: u32,
    #[command(flatten)]
    /// Which lab.
    pub lab: LabOptions,
}

/// Runs it.
///
/// # Errors
/// When the lab or the service is not there, or the log cannot be read.
pub async fn run(arguments: &LogsArguments, voice: Voice) -> Result<Exit, CliError> {
    let (session, lab) = Session::on_lab(&arguments.lab, voice).await?;
    let (sink, mut chunks) = unbounded_channel::<Vec<u8>>();
    let cancel = session.bench.cancel.clone();
    let outcome = {
        let (service, follow, lines) = (&arguments.service, arguments.follow, arguments.lines);
        let read = lab::logs(&session.bench, &lab, service, follow, lines, sink);
        let write = async {
            while let Some(chunk) = chunks.recv().await {
                output::bytes(&chunk)?;
            }
            Ok(Exit::Done)
        };
        tokio::select! {
            outcome = read_then_write(read, write) => outcome,
            () = cancel.cancelled() => Ok(Exit::Interrupted),
        }
    };
    session.finish().await;
    outcome
}

/// Writes while reading; a reader of ours that went away ends both.
async fn read_then_write(
    read: impl Future<Output = Result<(), lab::LabError>>,
    write: impl Future<Output = Result<Exit, CliError>>,
) -> Result<Exit, CliError> {
    let read = async { read.await.map_err(CliError::Lab) };
    let ((), exit) = tokio::try_join!(read, write)?;
    Ok(exit)
}
