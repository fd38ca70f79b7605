//! Programs inside a container: run to their end, or left running with open streams. Each says its own number first,
//! so that it can be ended with everything it started when its time is up or nobody wants it any more.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bollard::container::LogOutput;
use bollard::exec::CreateExecOptions;
use bollard::exec::StartExecResults;
use futures_util::StreamExt;
use tokio::io::AsyncWrite;
use tokio::io::AsyncWriteExt;
use tokio::task::AbortHandle;

use crate::machine::command::Command;
use crate::machine::command::Output;
use crate::machine::contract::Stream;
use crate::machine::docker::engine::Engine;
use crate::machine::docker::engine::SHORT;
use crate::machine::docker::engine::failed;
use crate::machine::error::MachineError;

/// Says its number, then becomes the script.
const RUN: &str = r#"echo "$$" >&2; exec sh -c "$1""#;
/// The same for a program that stays: it ends when its input does, at the latest two seconds later, and takes its
/// process group along, which the engine made for it alone.
const STAY: &str = r#"echo "$$" >&2
read -r record </proc/$$/stat && set -- "$1" ${record##*) }
[ "$4" = "$$" ] || exec sh -c "$1"
{ cat; exec >&-; sleep 2; kill -KILL 0; } | { sh -c "$1"; kill -KILL 0; }"#;
/// Ends every process of the session that the number leads, twice for those born in between.
const END: &str = r#"for pass in 1 2; do for entry in /proc/[0-9]*; do
{ read -r record <"$entry/stat"; } 2>/dev/null || continue
set -- "$1" ${record##*) }
[ "$5" = "$1" ] && kill -KILL "${entry#/proc/}" 2>/dev/null
done; done; exit 0"#;
/// More output than this is not kept.
const KEPT_BYTES: usize = 32 << 20;

/// What a program says, in pieces.
pub type Frames = Pin<Box<dyn futures_util::Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>;
/// A program's standard input.
pub type Input = Pin<Box<dyn AsyncWrite + Send>>;

/// A started program and its streams.
pub struct Started {
    /// The engine's name for it.
    pub id: String,
    /// What it says.
    pub frames: Frames,
    /// What it is told.
    pub input: Input,
}

/// Ends the program when dropped before it is over.
pub struct EndOnDrop {
    engine: Engine,
    container: String,
    /// Its number inside the container; 0 while it has not said it, and once it is over.
    leader: Arc<AtomicU32>,
    copying: Option<AbortHandle>,
}

impl EndOnDrop {
    /// For the program that says its number into `leader`; `copying` ends with it.
    #[must_use]
    pub fn new(
        engine: &Engine,
        container: &str,
        leader: Arc<AtomicU32>,
        copying: Option<AbortHandle>,
    ) -> Self {
        Self { engine: engine.clone(), container: container.to_owned(), leader, copying }
    }

    /// Ends it now.
    pub async fn end(&self) {
        let leader = self.leader.swap(0, Ordering::Relaxed);
        if leader > 0 {
            end_session(&self.engine, &self.container, leader).await;
        }
    }
}

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        if let Some(copying) = &self.copying {
            copying.abort();
        }
        let leader = self.leader.swap(0, Ordering::Relaxed);
        if let (true, Ok(runtime)) = (leader > 0, tokio::runtime::Handle::try_current()) {
            let (engine, container) = (self.engine.clone(), self.container.clone());
            runtime.spawn(async move { end_session(&engine, &container, leader).await });
        }
    }
}

/// Runs a command to its end; `node` is for the error only.
///
/// # Errors
/// [`MachineError::TimedOut`] after the command's limit, when everything it started in its session has been killed;
/// [`MachineError::Engine`].
pub async fn run(
    engine: &Engine,
    container: &str,
    node: &str,
    command: &Command,
) -> Result<Output, MachineError> {
    run_watched(engine, container, node, command, |_| ()).await
}

/// As [`run`]; every piece of standard output is shown to `watch` as it comes.
///
/// # Errors
/// As [`run`].
pub async fn run_watched(
    engine: &Engine,
    container: &str,
    node: &str,
    command: &Command,
    watch: impl Fn(&[u8]) + Send + Sync,
) -> Result<Output, MachineError> {
    let started = start(engine, container, node, command, RUN, command.stdin.is_some()).await?;
    let leader = Arc::new(AtomicU32::new(0));
    let guard = EndOnDrop::new(engine, container, leader.clone(), None);
    let limit = command.at_most.min(Duration::from_secs(24 * 3600));
    let id = started.id.clone();
    let collected = tokio::time::timeout(limit, collect(started, command, &leader, watch)).await;
    let Ok(collected) = collected else {
        guard.end().await;
        return Err(MachineError::TimedOut {
            node: node.to_owned(),
            command: recognisable(&command.script),
            seconds: limit.as_secs(),
        });
    };
    let doing = format!("run a command on {node}");
    let mut output = collected.map_err(|error| failed(&doing, error))?;
    leader.store(0, Ordering::Relaxed);
    output.status = exit_status(engine, &id, &doing).await?;
    Ok(output)
}

/// Starts a program and leaves it running; it ends when the stream is dropped, or when this process ends.
///
/// # Errors
/// [`MachineError::Engine`].
pub async fn open(
    engine: &Engine,
    container: &str,
    node: &str,
    command: &Command,
) -> Result<Stream, MachineError> {
    let Started { mut frames, input, .. } = start(engine, container, node, command, STAY, true).await?;
    let leader = Arc::new(AtomicU32::new(0));
    let (mut sender, receiver) = tokio::io::duplex(64 << 10);
    let noted = leader.clone();
    let first_input = command.stdin.clone();
    let copying = tokio::spawn(async move {
        let mut first = FirstLine::default();
        while let Some(Ok(frame)) = frames.next().await {
            let bytes = first.without(frame, &noted);
            if sender.write_all(&bytes.1).await.is_err() {
                break;
            }
        }
        noted.store(0, Ordering::Relaxed);
    });
    let mut input = input;
    if let Some(text) = first_input {
        let write = async { input.write_all(text.reveal().as_bytes()).await };
        engine.call("write to a program", SHORT, async { Ok(write.await?) }).await?;
    }
    let guard = EndOnDrop::new(engine, container, leader, Some(copying.abort_handle()));
    Ok(Stream { input: Box::new(input), output: Box::new(receiver), guard: Box::new(guard) })
}

async fn start(
    engine: &Engine,
    container: &str,
    node: &str,
    command: &Command,
    wrapper: &str,
    with_input: bool,
) -> Result<Started, MachineError> {
    let options = CreateExecOptions {
        attach_stdin: Some(with_input),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        cmd: Some(["sh", "-c", wrapper, "sh", &command.script].map(str::to_owned).to_vec()),
        user: command.user.clone(),
        ..CreateExecOptions::default()
    };
    start_with(engine, container, node, options).await
}

/// Starts what the options say; `node` is for the error only. Not telling the engine about a terminal here makes it wrap
/// each piece of output, so that no byte of a program's is taken for the wrapping.
///
/// # Errors
/// [`MachineError::Engine`].
pub async fn start_with(
    engine: &Engine,
    container: &str,
    node: &str,
    options: CreateExecOptions<String>,
) -> Result<Started, MachineError> {
    let doing = format!("start a command on {node}");
    let id = engine.call(&doing, SHORT, engine.docker.create_exec(container, options)).await?.id;
    match engine.call(&doing, SHORT, engine.docker.start_exec(&id, None)).await? {
        StartExecResults::Attached { output, input } => Ok(Started { id, frames: output, input }),
        StartExecResults::Detached => {
            Err(MachineError::Engine { doing, source: "it was detached unasked".into() })
        }
    }
}

/// Takes the leader's number out of the first line of standard error.
#[derive(Default)]
struct FirstLine {
    text: Vec<u8>,
    over: bool,
}

impl FirstLine {
    /// Whether the piece is of standard output, and what is left of it.
    fn without(&mut self, frame: LogOutput, leader: &AtomicU32) -> (bool, Vec<u8>) {
        let is_output = !matches!(frame, LogOutput::StdErr { .. });
        let bytes = frame.into_bytes();
        if self.over || is_output {
            return (is_output, bytes.to_vec());
        }
        self.text.extend_from_slice(&bytes);
        let Some(end) = self.text.iter().position(|&byte| byte == b'\n') else { return (false, Vec::new()) };
        self.over = true;
        let rest = self.text.split_off(end + 1);
        match String::from_utf8_lossy(&self.text).trim().parse() {
            Ok(number) => {
                leader.store(number, Ordering::Relaxed);
                (false, rest)
            }
            // No shell of ours spoke: what was said is the engine's or the container's complaint.
            Err(_) => (false, [std::mem::take(&mut self.text), rest].concat()),
        }
    }
}

async fn collect(
    started: Started,
    command: &Command,
    leader: &AtomicU32,
    watch: impl Fn(&[u8]) + Send + Sync,
) -> Result<Output, bollard::errors::Error> {
    let Started { mut frames, mut input, .. } = started;
    let feed = async {
        if let Some(text) = &command.stdin {
            // A program that does not read its input is free to do so.
            let _ = input.write_all(text.reveal().as_bytes()).await;
            let _ = input.shutdown().await;
        }
    };
    let listen = async {
        let (mut output, mut first) = (Output::default(), FirstLine::default());
        while let Some(frame) = frames.next().await {
            let (is_output, bytes) = first.without(frame?, leader);
            if is_output {
                watch(&bytes);
            }
            let kept = if is_output { &mut output.stdout } else { &mut output.stderr };
            let room = KEPT_BYTES.saturating_sub(kept.len()).min(bytes.len());
            kept.extend_from_slice(&bytes[..room]);
        }
        Ok(output)
    };
    let ((), output) = tokio::join!(feed, listen);
    output
}

/// The exit status of a program that has ended: the engine closes the streams a moment before it knows it.
///
/// # Errors
/// [`MachineError::Engine`], also when it is not known within two seconds.
pub async fn exit_status(engine: &Engine, id: &str, doing: &str) -> Result<i32, MachineError> {
    for _ in 0..100 {
        let seen = engine.call(doing, SHORT, engine.docker.inspect_exec(id)).await?;
        if let (Some(false), Some(code)) = (seen.running, seen.exit_code) {
            return Ok(i32::try_from(code).unwrap_or(255));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Err(MachineError::Engine { doing: doing.to_owned(), source: "it never told the exit status".into() })
}

/// Best effort: a container that is gone has no programs either.
async fn end_session(engine: &Engine, container: &str, leader: u32) {
    let options = CreateExecOptions {
        attach_stdout: Some(true),
        cmd: Some(["sh", "-c", END, "sh", &leader.to_string()].map(str::to_owned).to_vec()),
        user: Some("0".to_owned()),
        ..CreateExecOptions::default()
    };
    let ending = async {
        let id = engine.docker.create_exec(container, options).await?.id;
        if let StartExecResults::Attached { mut output, .. } = engine.docker.start_exec(&id, None).await? {
            while output.next().await.is_some() {}
        }
        Ok(())
    };
    let _ = engine.call("end a program", SHORT, ending).await;
}

/// The first line of a script, cut to what a person takes in at a glance.
#[must_use]
pub fn recognisable(script: &str) -> String {
    let line = script.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if line.chars().count() <= 120 {
        line.to_owned()
    } else {
        line.chars().take(119).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_piece(text: &str) -> LogOutput {
        LogOutput::StdErr { message: text.to_owned().into() }
    }

    #[test]
    fn the_number_is_taken_out_however_it_is_cut() {
        let (leader, mut first) = (AtomicU32::new(0), FirstLine::default());
        assert_eq!(first.without(error_piece("4"), &leader), (false, vec![]));
        let output = LogOutput::StdOut { message: "out".into() };
        assert_eq!(first.without(output, &leader), (true, b"out".to_vec()));
        assert_eq!(first.without(error_piece("2\nrest"), &leader), (false, b"rest".to_vec()));
        assert_eq!(leader.load(Ordering::Relaxed), 42);
        assert_eq!(first.without(error_piece("7\n"), &leader), (false, b"7\n".to_vec()));
    }

    #[test]
    fn a_complaint_instead_of_a_number_is_kept() {
        let (leader, mut first) = (AtomicU32::new(0), FirstLine::default());
        assert_eq!(first.without(error_piece("no sh\nhere"), &leader), (false, b"no sh\nhere".to_vec()));
        assert_eq!(leader.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_script_is_recognised_by_its_first_line() {
        assert_eq!(recognisable("\n  nginx -t\nmore"), "nginx -t");
        assert_eq!(recognisable(&"é".repeat(300)).chars().count(), 120);
    }
}
