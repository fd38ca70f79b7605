//! Programs in a container with a terminal of their own. As those without, they say their number first, so that they
//! can be ended with everything they started. What is typed and shown is not known here.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use bollard::exec::CreateExecOptions;
use bollard::exec::ResizeExecOptions;
use futures_util::StreamExt;
use tokio::io::AsyncWriteExt;

use crate::machine::command::Command;
use crate::machine::contract::Terminal;
use crate::machine::contract::TerminalControl;
use crate::machine::contract::TerminalKind;
use crate::machine::contract::TerminalSize;
use crate::machine::docker::engine::Engine;
use crate::machine::docker::engine::SHORT;
use crate::machine::docker::exec::EndOnDrop;
use crate::machine::docker::exec::Frames;
use crate::machine::docker::exec::Started;
use crate::machine::docker::exec::exit_status;
use crate::machine::docker::exec::start_with;
use crate::machine::error::MachineError;

/// Sets the size where it can, so that no program begins on a terminal without one; says its number and becomes the
/// script.
const RUN: &str = r#"stty rows "$2" cols "$3" 2>/dev/null; echo "$$"; exec sh -c "$1""#;
/// The engine lets go of a terminal at this, by default at Ctrl-P Ctrl-Q, and keeps back each beginning of it. There
/// must be one, so it is one that nobody types.
const LET_GO: &str = "ctrl-^,ctrl-^,ctrl-^,ctrl-^,ctrl-^,ctrl-^,ctrl-^,ctrl-^";

/// Starts a program on a terminal of that kind; `node` is for the error only.
///
/// # Errors
/// [`MachineError::Engine`].
pub async fn open(
    engine: &Engine,
    container: &str,
    node: &str,
    command: &Command,
    kind: &TerminalKind,
) -> Result<Terminal, MachineError> {
    let (rows, columns) = (kind.size.rows.to_string(), kind.size.columns.to_string());
    let options = CreateExecOptions {
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        tty: Some(true),
        detach_keys: Some(LET_GO.to_owned()),
        env: Some(vec![format!("TERM={}", kind.name)]),
        cmd: Some(["sh", "-c", RUN, "sh", &command.script, &rows, &columns].map(str::to_owned).to_vec()),
        user: command.user.clone(),
        ..CreateExecOptions::default()
    };
    let Started { id, mut frames, input } = start_with(engine, container, node, options).await?;
    let doing = format!("start a command on {node}");
    let (leader, first) = engine.call(&doing, SHORT, number_and_rest(&mut frames)).await?;
    let leader = Arc::new(AtomicU32::new(leader));
    let (mut sender, output) = tokio::io::duplex(64 << 10);
    let noted = leader.clone();
    let copying = tokio::spawn(async move {
        let mut bytes = first;
        loop {
            // Whoever does not look any more drops the control too, which ends the program.
            if sender.write_all(&bytes).await.is_err() {
                return;
            }
            let Some(Ok(frame)) = frames.next().await else { break };
            bytes = frame.into_bytes().to_vec();
        }
        noted.store(0, Ordering::Relaxed);
    });
    let program = EndOnDrop::new(engine, container, leader, Some(copying.abort_handle()));
    let control = DockerTerminal { engine: engine.clone(), id, node: node.to_owned(), program };
    // A program that has ended already has no terminal to resize.
    let _ = control.resize(kind.size).await;
    Ok(Terminal { input: Box::new(input), output: Box::new(output), control: Box::new(control) })
}

/// The number in the first line, 0 when the engine complains instead, and what came after it.
async fn number_and_rest(frames: &mut Frames) -> Result<(u32, Vec<u8>), bollard::errors::Error> {
    let mut text = Vec::new();
    while let Some(frame) = frames.next().await {
        text.extend_from_slice(&frame?.into_bytes());
        if let Some(split) = split_number(&text) {
            return Ok(split);
        }
    }
    Ok((0, text))
}

/// None while the first line is not whole.
fn split_number(text: &[u8]) -> Option<(u32, Vec<u8>)> {
    let end = text.iter().position(|&byte| byte == b'\n')?;
    let (line, rest) = text.split_at(end + 1);
    Some(match String::from_utf8_lossy(line).trim().parse() {
        Ok(number) => (number, rest.to_vec()),
        Err(_) => (0, text.to_vec()),
    })
}

struct DockerTerminal {
    engine: Engine,
    id: String,
    node: String,
    program: EndOnDrop,
}

#[async_trait]
impl TerminalControl for DockerTerminal {
    async fn resize(&self, size: TerminalSize) -> Result<(), MachineError> {
        let wanted = ResizeExecOptions { height: size.rows, width: size.columns };
        let doing = format!("resize a terminal on {}", self.node);
        self.engine.call(&doing, SHORT, self.engine.docker.resize_exec(&self.id, wanted)).await
    }

    async fn status(&self) -> Result<i32, MachineError> {
        exit_status(&self.engine, &self.id, &format!("run a command on {}", self.node)).await
    }

    async fn end(&self) {
        self.program.end().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_the_first_line_and_a_complaint_is_shown() {
        assert_eq!(split_number(b"4"), None);
        assert_eq!(split_number(b"42\r\n# "), Some((42, b"# ".to_vec())));
        assert_eq!(split_number(b"no sh here\r\n"), Some((0, b"no sh here\r\n".to_vec())));
    }
}
