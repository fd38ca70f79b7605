//! From the command line to an exit code: parses, starts the runtime, calls the verb, shows the error.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use clap::error::ErrorKind;

use crate::cli::arguments::{Arguments, Verb};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::session::Voice;
use crate::cli::verb;

/// The whole program.
#[must_use]
pub fn main() -> ExitCode {
    let exit = match Arguments::try_parse() {
        Ok(arguments) => perform(arguments).unwrap_or_else(|error| {
            let exit = error.exit();
            if exit != Exit::Done {
                output::say(&error.show());
            }
            exit
        }),
        Err(error) => {
            let shown = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            let _ = error.print();
            if shown { Exit::Done } else { Exit::Usage }
        }
    };
    ExitCode::from(exit.code())
}

fn perform(arguments: Arguments) -> Result<Exit, CliError> {
    let Arguments { quiet, verbose, verb } = arguments;
    if verbose {
        trace();
    }
    let voice = if quiet { Voice::Quiet } else { Voice::Normal };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CliError::Start)?;
    let exit = runtime.block_on(dispatch(verb, voice));
    // A call into the system that hangs must not keep the program from ending.
    runtime.shutdown_timeout(Duration::from_secs(5));
    exit
}

async fn dispatch(verb: Verb, voice: Voice) -> Result<Exit, CliError> {
    match verb {
        Verb::Run(arguments) => verb::run::run(arguments, voice).await,
        Verb::Check(arguments) => verb::check::run(&arguments),
        Verb::Plan(arguments) => verb::plan::run(&arguments),
        Verb::Render(arguments) => verb::render::run(&arguments),
        Verb::Up(arguments) => verb::up::run(&arguments, voice).await,
        Verb::Status(arguments) => verb::status::run(&arguments, voice).await,
        Verb::Exec(arguments) => verb::exec::run(&arguments, voice).await,
        Verb::Logs(arguments) => verb::logs::run(&arguments, voice).await,
        Verb::Act(arguments) => verb::act::run(&arguments, voice).await,
        Verb::Down(arguments) => verb::down::run(&arguments, voice).await,
        Verb::Report(arguments) => verb::report::run(&arguments),
        Verb::Images(arguments) => verb::images::run(&arguments).await,
        Verb::Init(arguments) => verb::init::run(&arguments),
        Verb::Doctor(arguments) => verb::doctor::run(&arguments).await,
        Verb::Schema(arguments) => verb::schema::run(&arguments),
        Verb::Reference(arguments) => verb::reference::run(&arguments),
        Verb::Completions(arguments) => verb::completions::run(&arguments),
    }
}

/// Traces benchtop's own modules to standard error, without colour.
fn trace() {
    let filter = tracing_subscriber::EnvFilter::new("benchtop=trace");
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(std::io::stderr)
        .try_init();
}
