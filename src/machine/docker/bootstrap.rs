//! A base image from the distribution's packages: `mmdebstrap` writes a file system as a tar stream, the engine
//! imports it while it is being written. Needs no registry and, as mmdebstrap decides, not always root.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use bollard::body_try_stream;
use bollard::query_parameters::CreateImageOptionsBuilder;
use bytes::Bytes;
use bytes::BytesMut;
use futures_util::Stream;
use futures_util::TryStreamExt;
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use tokio::io::AsyncBufReadExt;
use tokio::io::AsyncRead;
use tokio::io::AsyncReadExt;
use tokio::io::BufReader;
use tokio::process::Child;
use tokio::process::ChildStdout;
use tokio::process::Command;
use tokio::sync::mpsc::UnboundedSender;

use crate::machine::docker::engine::Engine;
use crate::machine::docker::engine::LONG;
use crate::machine::docker::host_sources::HostSources;
use crate::machine::docker::host_sources::host_sources;
use crate::machine::docker::image_name;
use crate::machine::error::MachineError;
use crate::model::event::Event;

const PROGRAM: &str = "mmdebstrap";

/// Makes the base image of a suite.
///
/// # Errors
/// [`MachineError::MissingProgram`]; [`MachineError::Image`] with the program's last lines.
pub async fn bootstrap(
    engine: &Engine,
    suite: &str,
    image: &str,
    may_install: bool,
    events: &UnboundedSender<Event>,
) -> Result<(), MachineError> {
    let tell = |doing: String| {
        let _ = events.send(Event::ImageStep { image: suite.to_owned(), doing });
    };
    if !is_installed() {
        if !may_install {
            return Err(missing());
        }
        tell(format!("installing {PROGRAM} on this machine"));
        install().await?;
    }
    tell("bootstrapping the distribution".to_owned());
    let failed = |step: String, source: Option<Box<dyn std::error::Error + Send + Sync>>| {
        MachineError::Image { image: image.to_owned(), step, source }
    };
    let folder =
        work_folder().map_err(|error| failed("no temporary directory".to_owned(), Some(error.into())))?;
    let mut program = command(suite, &host_sources(suite).await);
    program.env("TMPDIR", folder.path());
    let mut child =
        program.spawn().map_err(|error| failed(format!("{PROGRAM} does not start"), Some(error.into())))?;
    let stdout = child.stdout.take().expect("its output was asked for as a pipe");
    let stderr = child.stderr.take().expect("its errors were asked for as a pipe");
    let said = Arc::new(Mutex::new(Vec::new()));
    let listening = tokio::spawn(listen(stderr, suite.to_owned(), events.clone(), said.clone()));
    let labels = format!(
        "LABEL {}=base {}={} {}={image}",
        image_name::KIND,
        image_name::FORMAT_LABEL,
        image_name::FORMAT,
        image_name::HASH,
    );
    let (repository, tag) = image_name::repository_and_tag(image);
    let options = CreateImageOptionsBuilder::new()
        .from_src("-")
        .repo(repository)
        .tag(tag)
        .changes(vec![labels, "CMD [\"sh\"]".to_owned()])
        .build();
    let body = body_try_stream(until_success(Bootstrapping(child), stdout));
    let import =
        engine.docker.create_image(Some(options), Some(body), None).try_for_each(|_| async { Ok(()) });
    let imported = engine.call(&format!("import {image}"), LONG, import).await;
    let _ = listening.await;
    imported.map_err(|error| {
        let said = said.lock().unwrap_or_else(PoisonError::into_inner).join("\n");
        failed(format!("bootstrapping failed\n{said}"), Some(Box::new(error)))
    })
}

/// Whether the program is on this machine.
#[must_use]
pub fn is_installed() -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(PROGRAM).is_file()))
}

/// The error for a machine without the program.
#[must_use]
pub fn missing() -> MachineError {
    MachineError::MissingProgram {
        program: PROGRAM.to_owned(),
        purpose:
            "images are bootstrapped with it; a local image of that name, or one given as base, would do too"
                .to_owned(),
        package: PROGRAM.to_owned(),
    }
}

async fn install() -> Result<(), MachineError> {
    let apt: &[&str] =
        if nix::unistd::geteuid().is_root() { &["apt-get"] } else { &["sudo", "-n", "apt-get"] };
    let mut last_lines = String::new();
    for arguments in [&["install", "-y", PROGRAM][..], &["update"], &["install", "-y", PROGRAM]] {
        let mut command = Command::new(apt[0]);
        command.args(&apt[1..]).args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
        match tokio::time::timeout(LONG, command.kill_on_drop(true).output()).await {
            Ok(Ok(output)) if output.status.success() && is_installed() => return Ok(()),
            Ok(Ok(output)) => last_lines = String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            Ok(Err(error)) => last_lines = error.to_string(),
            Err(_) => last_lines = format!("{} took too long", apt.join(" ")),
        }
    }
    Err(MachineError::Image {
        image: PROGRAM.to_owned(),
        step: format!("the package {PROGRAM} could not be installed\n{last_lines}"),
        source: None,
    })
}

/// The package manager fetches as an unprivileged user, who must be able to enter.
fn work_folder() -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix("benchtop-").permissions(std::fs::Permissions::from_mode(0o755)).tempdir()
}

fn command(suite: &str, sources: &HostSources) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .args(["--variant=minbase", "--format=tar"])
        .arg(format!("--include={}", image_name::BASE_PACKAGES.join(",")))
        .args(["--dpkgopt=force-unsafe-io", "--dpkgopt=path-exclude=/usr/share/man/*"])
        .args(["--dpkgopt=path-exclude=/usr/share/locale/*", "--dpkgopt=path-exclude=/usr/share/info/*"])
        .args(sources.settings.lines().map(|setting| format!("--aptopt={setting}")))
        // How this machine fetches (perhaps through a proxy with a password) is nothing to leave in an image.
        .arg("--customize-hook=rm -f \"$1\"/etc/apt/apt.conf.d/99mmdebstrap")
        .args([suite, "-"])
        .args(&sources.entries)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A running bootstrap; asked to end, and so to clean up after itself, when it is dropped.
struct Bootstrapping(Child);

impl Drop for Bootstrapping {
    fn drop(&mut self) {
        if let Some(number) = self.0.id().and_then(|number| i32::try_from(number).ok()) {
            // It may have ended in this very moment.
            let _ = nix::sys::signal::kill(Pid::from_raw(number), Signal::SIGTERM);
        }
    }
}

/// The output of the program, ending with an error unless the program succeeds: half a system must not be imported.
fn until_success(child: Bootstrapping, output: ChildStdout) -> impl Stream<Item = Result<Bytes, io::Error>> {
    futures_util::stream::try_unfold(Some((child, output)), |state| async {
        let Some((mut child, mut output)) = state else { return Ok(None) };
        let mut piece = BytesMut::with_capacity(256 << 10);
        if output.read_buf(&mut piece).await? > 0 {
            return Ok(Some((piece.freeze(), Some((child, output)))));
        }
        let status = child.0.wait().await?;
        if status.success() {
            Ok(None)
        } else {
            Err(io::Error::other(format!("{PROGRAM} ended with {status}")))
        }
    })
}

/// Shows what the program says as progress and keeps its last lines.
async fn listen(
    stderr: impl AsyncRead + Unpin,
    suite: String,
    events: UnboundedSender<Event>,
    said: Arc<Mutex<Vec<String>>>,
) {
    let mut lines = BufReader::new(stderr).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(doing) = progress(&line) {
            let _ = events.send(Event::ImageStep { image: suite.clone(), doing });
        }
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.len() == 15 {
            said.remove(0);
        }
        said.push(line);
    }
}

/// `I: downloading packages with apt...` is worth showing as `downloading packages with apt`.
fn progress(line: &str) -> Option<String> {
    let doing = line.strip_prefix("I: ")?.trim_end_matches('.');
    (!doing.contains('/') && doing.len() < 80).then(|| doing.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(script: &str) -> (Bootstrapping, ChildStdout) {
        let mut child = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        (Bootstrapping(child), stdout)
    }

    #[tokio::test]
    async fn the_stream_of_a_failed_program_ends_with_an_error() {
        let (child, stdout) = program("printf abc");
        let pieces: Vec<Bytes> = until_success(child, stdout).try_collect().await.unwrap();
        assert_eq!(pieces.concat(), b"abc");
        let (child, stdout) = program("printf abc; exit 3");
        let pieces: Result<Vec<Bytes>, _> = until_success(child, stdout).try_collect().await;
        assert!(pieces.is_err());
    }

    #[test]
    fn progress_is_what_the_program_means_as_such() {
        assert_eq!(progress("I: extracting archives...").as_deref(), Some("extracting archives"));
        assert_eq!(progress("W: something"), None);
        assert_eq!(progress("I: using /tmp/x as tempdir"), None);
    }
}
