//! What every verb that touches a lab shares: driver and client, state directory, progress, signals.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::catalog::Catalog;
use crate::cli::arguments::LabOptions;
use crate::cli::error::CliError;
use crate::cli::progress::{self, Manner};
use crate::cli::signals::{self, Fate, LabName};
use crate::lab::{self, Workbench};
use crate::loadgen::{Client, FakeClient, FakeLoad, HttpClient};
use crate::machine::{DockerDriver, DockerOptions, Driver, FakeDriver, FakeScript};
use crate::model::experiment::DriverKind;
use crate::store::StateDirectory;

/// The script of the fake driver.
const FAKE_DRIVER: &str = "BENCHTOP_FAKE";
/// The script of the fake client.
const FAKE_CLIENT: &str = "BENCHTOP_FAKE_LOAD";

/// How long the display may take to say what is left.
const DISPLAY_AT_MOST: Duration = Duration::from_secs(2);

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// Progress, notes, warnings.
    Normal,
    /// Warnings and errors only.
    Quiet,
}

/// May missing programs of this machine be installed?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostPrograms {
    /// As they are.
    LeaveAlone,
    /// `--install` was given.
    MayInstall,
}

/// What a session is made of.
pub struct Setup {
    /// Who builds the nodes.
    pub driver: DriverKind,
    /// Software.
    pub catalog: Catalog,
    /// Where run folders go.
    pub reports: PathBuf,
    /// Host programs.
    pub host_programs: HostPrograms,
    /// Loudness.
    pub voice: Voice,
}

/// A workbench with its progress display and its signal handlers.
pub struct Session {
    /// What `lab` works with.
    pub bench: Workbench,
    lab: LabName,
    signals: JoinHandle<()>,
    display: JoinHandle<()>,
}

impl Session {
    /// Starts display and signal handlers, then connects the driver.
    ///
    /// # Errors
    /// [`CliError::Machine`] when the driver cannot be used, [`CliError::FakeScript`], [`CliError::Start`].
    pub async fn start(setup: Setup) -> Result<Self, CliError> {
        let driver = driver(setup.driver, setup.host_programs).await?;
        let client = client(setup.driver)?;
        let (events, receiver) = unbounded_channel();
        let cancel = CancellationToken::new();
        let lab = LabName::default();
        let signals =
            signals::watch(cancel.clone(), lab.clone(), events.downgrade()).map_err(CliError::Start)?;
        let display = tokio::spawn(progress::show(receiver, Manner::choose(setup.voice)));
        let bench = Workbench {
            driver,
            client,
            catalog: Arc::new(setup.catalog),
            state: StateDirectory::new(state_directory()),
            reports: setup.reports,
            events,
            cancel,
            owner: owner(),
        };
        Ok(Self { bench, lab, signals, display })
    }

    /// A session on a lab that is up.
    ///
    /// # Errors
    /// Those of [`Self::start`], and a usage error when it is not clear which lab is meant.
    pub async fn on_lab(options: &LabOptions, voice: Voice) -> Result<(Self, String), CliError> {
        let session = Self::on_any_lab(options, voice).await?;
        let lab = match &options.lab {
            Some(lab) => lab.clone(),
            None => only_lab(lab::labs(&session.bench).map_err(CliError::Lab)?)?,
        };
        session.lab.set(&lab, Fate::Stays);
        Ok((session, lab))
    }

    /// A session on the one lab of which anything is left, if only a network, to take it down.
    ///
    /// # Errors
    /// As [`Self::on_lab`].
    pub async fn on_remains(options: &LabOptions, voice: Voice) -> Result<(Self, String), CliError> {
        let session = Self::on_any_lab(options, voice).await?;
        let lab = match &options.lab {
            Some(lab) => lab.clone(),
            None => only_lab(lab::labs_left(&session.bench).await.map_err(CliError::Lab)?)?,
        };
        session.lab.set(&lab, Fate::TakenDown);
        Ok((session, lab))
    }

    /// A session on labs that may exist; which one is not said yet.
    ///
    /// # Errors
    /// Those of [`Self::start`].
    pub async fn on_any_lab(options: &LabOptions, voice: Voice) -> Result<Self, CliError> {
        Self::start(Setup {
            driver: options.driver.into(),
            catalog: crate::cli::inputs::catalog(&options.templates)?,
            reports: PathBuf::from("reports"),
            host_programs: HostPrograms::LeaveAlone,
            voice,
        })
        .await
    }

    /// Tells the signal handlers what is built, and would be left behind.
    pub fn name_lab(&self, name: &str) {
        self.lab.set(name, Fate::TakenDown);
    }

    /// Lets the display say everything it has, so that nothing mixes with what is printed next.
    pub async fn finish(self) {
        self.signals.abort();
        let _ = self.signals.await;
        drop(self.bench);
        // A forgotten sender must not keep the program from ending.
        let _ = tokio::time::timeout(DISPLAY_AT_MOST, self.display).await;
    }
}

/// The one lab that is up.
fn only_lab(labs: Vec<String>) -> Result<String, CliError> {
    match labs.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(CliError::usage("no lab is up", "`benchtop up FILE` brings one up")),
        several => Err(CliError::usage(
            format!("{} labs are up: {}", several.len(), several.join(", ")),
            "say which one with `--lab NAME`",
        )),
    }
}

/// Connects to the driver.
///
/// # Errors
/// [`CliError::Machine`], [`CliError::FakeScript`].
async fn driver(kind: DriverKind, host_programs: HostPrograms) -> Result<Arc<dyn Driver>, CliError> {
    match kind {
        DriverKind::Docker => Ok(Arc::new(docker(host_programs).await?)),
        DriverKind::Fake => Ok(Arc::new(FakeDriver::new(fake_script(FAKE_DRIVER, FakeScript::parse)?))),
    }
}

/// Connects to the Docker engine that the environment names.
///
/// # Errors
/// [`CliError::Machine`] when there is none that can be used.
pub async fn docker(host_programs: HostPrograms) -> Result<DockerDriver, CliError> {
    let options = DockerOptions {
        host: variable("DOCKER_HOST"),
        base: variable("BENCHTOP_BASE_IMAGE"),
        cache: state_directory().join("cache"),
        install: host_programs == HostPrograms::MayInstall,
    };
    DockerDriver::connect(options).await.map_err(CliError::Machine)
}

fn client(kind: DriverKind) -> Result<Arc<dyn Client>, CliError> {
    match kind {
        DriverKind::Docker => Ok(Arc::new(HttpClient::new())),
        DriverKind::Fake => Ok(Arc::new(FakeClient::new(fake_script(FAKE_CLIENT, str::parse::<FakeLoad>)?))),
    }
}

/// The script a test gives a fake; an empty one when there is none.
fn fake_script<T, E>(name: &'static str, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<T, CliError>
where
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let text = variable(name).unwrap_or_default();
    parse(&text).map_err(|source| CliError::FakeScript { variable: name, source: source.into() })
}

/// An environment variable that is set to something.
#[must_use]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// `$XDG_STATE_HOME/benchtop`, else `~/.local/state/benchtop`. A relative `XDG_STATE_HOME` is invalid by its
/// specification and not used.
#[must_use]
pub fn state_directory() -> PathBuf {
    state_directory_in(variable("XDG_STATE_HOME").as_deref(), variable("HOME").as_deref())
}

fn state_directory_in(state_home: Option<&str>, home: Option<&str>) -> PathBuf {
    let given = state_home.map(Path::new).filter(|path| path.is_absolute());
    let state =
        given.map_or_else(|| Path::new(home.unwrap_or("/root")).join(".local/state"), Path::to_path_buf);
    state.join("benchtop")
}

/// The user whose labs these are: the system's name for the process's user, its number without one.
fn owner() -> String {
    let user = nix::unistd::Uid::effective();
    nix::unistd::User::from_uid(user).ok().flatten().map_or_else(|| user.to_string(), |user| user.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_directory_follows_the_specification() {
        assert_eq!(state_directory_in(Some("/s"), Some("/home/a")), Path::new("/s/benchtop"));
        assert_eq!(
            state_directory_in(Some("s"), Some("/home/a")),
            Path::new("/home/a/.local/state/benchtop")
        );
        assert_eq!(state_directory_in(None, Some("/home/a")), Path::new("/home/a/.local/state/benchtop"));
    }

    #[test]
    fn a_lab_is_chosen_only_when_there_is_one() {
        assert_eq!(only_lab(vec!["demo".to_owned()]).unwrap(), "demo");
        assert!(only_lab(vec![]).unwrap_err().show().contains("no lab is up"));
        let error = only_lab(vec!["a".to_owned(), "b".to_owned()]).unwrap_err().show();
        assert!(error.contains("2 labs are up: a, b") && error.contains("--lab"), "{error}");
    }
}
