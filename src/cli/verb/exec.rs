//! `exec`: a command on a node, with a terminal when asked; its exit status becomes benchtop's.

use std::io::{Read, Write};

use clap::Args;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::cli::arguments::LabOptions;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::session::{Session, Voice, variable};
use crate::cli::terminal::{self, Keys, Raw};
use crate::lab;
use crate::machine::{Terminal, TerminalControl, TerminalSize};

/// Most that is passed on at once.
const BUFFER_BYTES: usize = 16 << 10;

/// Arguments of `exec`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  benchtop exec web1 -- cat /etc/debian_version\n  \
echo 'show stat' | benchtop exec --stdin frontend -- sh -c 'cat'\n  benchtop exec -t web1 -- bash\n  \
benchtop exec -t frontend -- top\n\nWith -t every key goes to the command, Ctrl-C too; it ends when the command does.")]
pub struct ExecArguments {
    /// The node
    #[arg(value_name = "NODE")]
    pub node: String,
    /// Give benchtop's own standard input to the command
    #[arg(long, short = 'i')]
    pub stdin: bool,
    /// Give the command a terminal, for a shell or a program with a screen; keys are passed on as they are typed
    #[arg(long, short = 't')]
    pub tty: bool,
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
    if arguments.tty {
        return on_terminal(arguments, voice).await;
    }
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
    Ok(status(result.status))
}

fn status(status: i32) -> Exit {
    Exit::Command(u8::try_from(status).unwrap_or(u8::MAX))
}

async fn on_terminal(arguments: &ExecArguments, voice: Voice) -> Result<Exit, CliError> {
    if !terminal::is_there() {
        return Err(CliError::usage(
            "standard input is no terminal, and `-t` passes one on",
            "leave out `-t`; `-i` gives the command benchtop's standard input",
        ));
    }
    let (session, lab) = Session::on_lab(&arguments.lab, voice).await?;
    let kind = terminal::kind(variable("TERM"));
    let opened = lab::open_terminal(&session.bench, &lab, &arguments.node, &arguments.command, &kind).await;
    let exit = match opened {
        Ok(opened) => converse(opened, kind.size, &session.bench.cancel).await,
        Err(error) => Err(CliError::Lab(error)),
    };
    session.finish().await;
    exit
}

/// Passes keys, what is shown and the size on until the program ends, or ends it when it is interrupted or the person's
/// terminal is gone.
async fn converse(
    opened: Terminal,
    size: TerminalSize,
    cancel: &CancellationToken,
) -> Result<Exit, CliError> {
    let Terminal { input, output, control } = opened;
    let raw = Raw::enter().map_err(CliError::Terminal);
    let ended = match &raw {
        Ok(_) => tokio::select! {
            shown = show(output) => shown.map(|()| Ending::OfItself),
            typed = pass_keys(input) => typed.map(|()| Ending::Interrupted),
            sized = pass_size(control.as_ref(), size) => sized.map(|()| Ending::Interrupted),
            () = cancel.cancelled() => Ok(Ending::Interrupted),
        },
        Err(_) => Ok(Ending::Interrupted),
    };
    if !matches!(ended, Ok(Ending::OfItself)) {
        control.end().await;
    }
    raw?;
    match ended? {
        Ending::Interrupted => Ok(Exit::Interrupted),
        Ending::OfItself => {
            let told = control.status().await;
            told.map(status).map_err(CliError::Machine)
        }
    }
}

/// How a conversation ends.
enum Ending {
    /// The program ended.
    OfItself,
    /// Nobody is there to go on.
    Interrupted,
}

async fn show(mut shown: Box<dyn AsyncRead + Send + Unpin>) -> Result<(), CliError> {
    let mut buffer = vec![0_u8; BUFFER_BYTES];
    loop {
        match shown.read(&mut buffer).await {
            Ok(0) | Err(_) => return Ok(()),
            Ok(read) => output::bytes(&buffer[..read])?,
        }
    }
}

/// Ends when nobody can type any more; a program that does not read is no reason.
async fn pass_keys(mut input: Box<dyn AsyncWrite + Send + Unpin>) -> Result<(), CliError> {
    let keys = Keys::open().map_err(CliError::Terminal)?;
    let mut buffer = vec![0_u8; BUFFER_BYTES];
    loop {
        let read = keys.read(&mut buffer).await.map_err(CliError::Terminal)?;
        if read == 0 {
            return Ok(());
        }
        let passed = async {
            input.write_all(&buffer[..read]).await?;
            input.flush().await
        };
        if passed.await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Passes each new size on. It may have changed before anybody listened.
async fn pass_size(control: &dyn TerminalControl, mut known: TerminalSize) -> Result<(), CliError> {
    let mut changes = signal(SignalKind::window_change()).map_err(CliError::Terminal)?;
    loop {
        let size = terminal::size();
        if size != known {
            known = size;
            // A program that is ending has no terminal to resize, and one that stays looks odd at worst.
            let _ = control.resize(size).await;
        }
        changes.recv().await;
    }
}
