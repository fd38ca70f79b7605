//! Keeps services running on any machine with a POSIX shell: one script, sent with every call, and a few files below
//! `DIR/run`. It knows neither containers nor servers, only a connection that runs commands.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::machine::command::Command;
use crate::machine::command::Output;
use crate::machine::command::quote;
use crate::machine::contract::Connection;
use crate::machine::contract::ServiceState;
use crate::machine::contract::Supervisor;
use crate::machine::error::CommandFailure;
use crate::machine::error::MachineError;
use crate::model::process::ServiceProcess;

/// A supervisor of detached processes; what it must remember it keeps in `DIR/run` on the node, output goes to
/// `DIR/run/output.log`.
pub struct ShellSupervisor {
    connection: Arc<dyn Connection>,
}

impl ShellSupervisor {
    /// Supervises on that connection's node.
    #[must_use]
    pub fn new(connection: Arc<dyn Connection>) -> Self {
        Self { connection }
    }

    async fn call(&self, verb: &str, process: &ServiceProcess, signal: &str) -> Result<Output, MachineError> {
        let command = Command::new(script(verb, process, signal)).at_most(Duration::from_secs(45));
        let output = self.connection.run(&command).await?;
        if output.succeeded() {
            return Ok(output);
        }
        Err(MachineError::Command(CommandFailure {
            node: self.connection.node().to_owned(),
            command: format!("{verb} {}: {}", process.service, process.command),
            status: output.status,
            last_lines: output.last_lines(10),
        }))
    }
}

#[async_trait]
impl Supervisor for ShellSupervisor {
    async fn start(&self, process: &ServiceProcess) -> Result<(), MachineError> {
        self.call("start", process, "").await.map(drop)
    }

    async fn stop(&self, process: &ServiceProcess) -> Result<(), MachineError> {
        self.call("stop", process, &process.stop_signal).await.map(drop)
    }

    async fn signal(&self, process: &ServiceProcess, signal: &str) -> Result<(), MachineError> {
        self.call("signal", process, signal).await.map(drop)
    }

    async fn state(&self, process: &ServiceProcess) -> Result<ServiceState, MachineError> {
        let output = self.call("state", process, "").await?;
        let text = String::from_utf8_lossy(&output.stdout);
        read_state(&text).ok_or_else(|| {
            MachineError::Command(CommandFailure {
                node: self.connection.node().to_owned(),
                command: format!("state {}", process.service),
                status: output.status,
                last_lines: output.last_lines(10),
            })
        })
    }
}

/// The whole script of one call.
fn script(verb: &str, process: &ServiceProcess, signal: &str) -> String {
    let mut text = String::new();
    let signal = signal.strip_prefix("SIG").unwrap_or(signal);
    let command = replacing_the_shell(&process.command);
    for (name, value) in [("verb", verb), ("dir", &process.dir), ("command", &command), ("signal", signal)] {
        text.push_str(&format!("{name}={}\n", quote(value)));
    }
    if verb == "start" {
        for (name, value) in &process.environment {
            text.push_str(&format!("export {name}={}\n", quote(value)));
        }
    }
    text + include_str!("supervisor.sh")
}

/// A plain command line takes the place of the shell that reads it, so that the noted process is the server itself.
fn replacing_the_shell(command: &str) -> String {
    const NOT_PROGRAMS: [&str; 16] = [
        "exec", "cd", "if", "for", "while", "until", "case", "set", "export", "ulimit", "umask", "eval",
        "trap", ".", ":", "!",
    ];
    let first = command.split_ascii_whitespace().next().unwrap_or_default();
    let plain = !command.contains([';', '&', '|', '\n', '(', ')', '{', '}', '`']);
    if plain && !first.is_empty() && !first.contains('=') && !NOT_PROGRAMS.contains(&first) {
        format!("exec {}", command.trim_start())
    } else {
        command.to_owned()
    }
}

fn read_state(text: &str) -> Option<ServiceState> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    match first.split_once(' ') {
        None if first == "stopped" => Some(ServiceState::Stopped),
        Some(("running", pid)) => Some(ServiceState::Running { pid: pid.trim().parse().ok()? }),
        Some(("exited", status)) => Some(ServiceState::Exited {
            status: status.trim().parse().ok()?,
            last_lines: rest.trim_end().to_owned(),
        }),
        _ => None,
    }
}

#[cfg(test)]
#[path = "supervisor_tests.rs"]
mod tests;
