//! `exec` and `logs` on a lab that is up.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::sync::mpsc::UnboundedSender;

use crate::lab::error::{Kind, LabError};
use crate::lab::up::reopen;
use crate::lab::workbench::Workbench;
use crate::machine::{Command, Connection, MachineError, Output, Terminal, TerminalKind, quote};
use crate::model::secret::Secret;
use crate::model::topology::ServiceRef;

/// Runs a command on a node.
///
/// # Errors
/// When lab or node do not exist, or the machine cannot be asked. A non-zero status is in the output.
pub async fn exec(
    bench: &Workbench,
    lab: &str,
    node: &str,
    arguments: &[String],
    stdin: Vec<u8>,
) -> Result<Output, LabError> {
    let connection = reach(bench, lab, node).await?;
    let command = Command::new(words(arguments))
        .at_most(Duration::from_secs(24 * 3_600))
        .with_stdin(Secret::new(String::from_utf8_lossy(&stdin)));
    let work = async {
        let output = connection.run(&command).await;
        output.map_err(|source| LabError::machine(format!("the command on {node} cannot be run"), source))
    };
    bench.unless_cancelled(work).await
}

/// Starts a command on a node, with a terminal of that kind.
///
/// # Errors
/// When lab or node do not exist, the machine cannot be asked, or its driver opens no terminals.
pub async fn open_terminal(
    bench: &Workbench,
    lab: &str,
    node: &str,
    arguments: &[String],
    kind: &TerminalKind,
) -> Result<Terminal, LabError> {
    let connection = reach(bench, lab, node).await?;
    // A shell that stayed in between would be hit by Ctrl-C too, and end as killed whatever the command made of it.
    let command = Command::new(format!("exec {}", words(arguments)));
    let work = async {
        let opened = match connection.terminals() {
            Some(terminals) => terminals.open_terminal(&command, kind).await,
            None => Err(MachineError::NoTerminal { node: node.to_owned() }),
        };
        opened.map_err(|source| LabError::machine(format!("the command on {node} cannot be run"), source))
    };
    bench.unless_cancelled(work).await
}

/// A node of a lab that is up.
async fn reach(bench: &Workbench, lab: &str, node: &str) -> Result<Arc<dyn Connection>, LabError> {
    let state = bench.state.load(lab)?;
    if !state.nodes.iter().any(|known| known == node) {
        return Err(LabError::new(Kind::Provisioning, format!("lab {lab} has no node {node}"))
            .advise(format!("its nodes are {}", state.nodes.join(", "))));
    }
    let connection = bench.driver.connect(lab, node).await;
    connection.map_err(|source| LabError::machine(format!("node {node} cannot be reached"), source))
}

/// The words as they were given, whatever is in them.
fn words(arguments: &[String]) -> String {
    let words: Vec<String> = arguments.iter().map(|word| quote(word)).collect();
    words.join(" ")
}

/// The last lines of a service's output and log files; goes on with what comes when `follow`.
///
/// # Errors
/// When lab or service do not exist, or the machine cannot be asked.
pub async fn logs(
    bench: &Workbench,
    lab: &str,
    service: &str,
    follow: bool,
    lines: u32,
    sink: UnboundedSender<Vec<u8>>,
) -> Result<(), LabError> {
    let site = reopen(bench, lab).await?;
    let (node, name) = service.split_once('.').unwrap_or((service, ""));
    let plan = site.plan_of(&ServiceRef::new(node, name))?;
    let live = site.node(node)?;
    let following = if follow { "-F" } else { "" };
    let script = format!(
        "cd {} && files=$(ls run/output.log logs/*.log 2>/dev/null) && tail -n {lines} {following} $files",
        quote(&plan.dir)
    );
    let failed = |source| LabError::machine(format!("logs of {service} cannot be read"), source);
    if !follow {
        let output = live.connection.run(&Command::new(script)).await.map_err(failed)?;
        let text = site.mask(&String::from_utf8_lossy(&output.stdout));
        let _ = sink.send(text.into_bytes());
        return Ok(());
    }
    let mut stream = live.connection.open(&Command::new(script)).await.map_err(failed)?;
    let mut buffer = vec![0_u8; 16 << 10];
    loop {
        let read = tokio::select! {
            () = bench.cancel.cancelled() => return Ok(()),
            read = stream.output.read(&mut buffer) => read.unwrap_or(0),
        };
        if read == 0 {
            return Ok(());
        }
        let text = site.mask(&String::from_utf8_lossy(&buffer[..read]));
        if sink.send(text.into_bytes()).is_err() {
            return Ok(());
        }
    }
}
