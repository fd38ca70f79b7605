//! What is known of a lab between calls: `lab.json` in a directory only its owner can read.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::experiment::DriverKind;
use crate::model::secret::Secret;
use crate::plan::Applied;
use crate::store::error::StoreError;

/// Version of `lab.json`.
pub const STATE_FORMAT: u32 = 1;

/// An action of the current variant that must be taken back when it is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionInForce {
    /// Node.
    pub node: String,
    /// Service.
    pub service: String,
    /// Action, for messages.
    pub action: String,
    /// Script that takes it back.
    pub undo: String,
    /// Balancer members that are expected disabled while it holds.
    pub members: Vec<String>,
    /// Done inside a window, and to be taken back when the window ends.
    #[serde(default)]
    pub timed: bool,
}

/// `lab.json`. Written before the first resource is created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabState {
    /// [`STATE_FORMAT`].
    pub format: u32,
    /// Lab name.
    pub lab: String,
    /// Driver.
    pub driver: DriverKind,
    /// Who owns it.
    pub owner: String,
    /// The run that made it; `up` for a lab brought up to stay.
    pub run: String,
    /// UTC, RFC 3339.
    pub created_at: String,
    /// Variant in force; empty before the first one is.
    pub variant: String,
    /// Nodes.
    pub nodes: Vec<String>,
    /// What was applied, by `node.service`.
    pub applied: BTreeMap<String, Applied>,
    /// Actions in force, in the order they were done.
    pub actions: Vec<ActionInForce>,
    /// The scenario as resolved, secrets masked.
    pub document: serde_json::Value,
    /// Real values of the masked fields, by YAML path.
    pub secrets: BTreeMap<String, String>,
}

impl LabState {
    /// The real values of the masked fields.
    #[must_use]
    pub fn revealed(&self) -> BTreeMap<String, Secret> {
        self.secrets.iter().map(|(path, value)| (path.clone(), Secret::new(value.as_str()))).collect()
    }
}

/// `$XDG_STATE_HOME/benchtop`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDirectory {
    root: PathBuf,
}

/// Held while a benchtop works on a lab; released when dropped or when the process dies.
#[derive(Debug)]
pub struct LabLock {
    _file: File,
}

impl StateDirectory {
    /// Names the directory; it is made when first needed.
    #[must_use]
    pub const fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Where it is.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Takes the lab for this process.
    ///
    /// # Errors
    /// [`StoreError::LabBusy`] when another benchtop has it.
    pub fn lock(&self, lab: &str) -> Result<LabLock, StoreError> {
        let lab = named(lab)?;
        let directory = self.root.join("locks");
        make_private(&directory)?;
        let path = directory.join(lab);
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)
            .map_err(StoreError::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(LabLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::LabBusy { lab: lab.to_owned() }),
            Err(TryLockError::Error(source)) => Err(StoreError::io("lock", &path)(source)),
        }
    }

    /// Names of the labs there are, sorted.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn labs(&self) -> Result<Vec<String>, StoreError> {
        let directory = self.root.join("labs");
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::io("read", &directory)(source)),
        };
        let mut names: Vec<String> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.path().join("lab.json").is_file())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| is_lab_name(name))
            .collect();
        names.sort();
        Ok(names)
    }

    /// Writes the lab's state (directory 0700, file 0600, temporary name then rename).
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, state: &LabState) -> Result<(), StoreError> {
        let directory = self.directory(&state.lab)?;
        make_private(&directory)?;
        let path = directory.join("lab.json");
        let temporary = directory.join("lab.json.partial");
        let text = serde_json::to_vec_pretty(state).map_err(|source| StoreError::Malformed {
            path: path.clone(),
            line: None,
            what: "lab.json",
            source,
        })?;
        let written =
            OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&temporary).and_then(
                |mut file| {
                    file.write_all(&text)?;
                    file.sync_all()
                },
            );
        written.map_err(StoreError::io("write", &temporary))?;
        fs::rename(&temporary, &path).map_err(StoreError::io("write", &path))
    }

    /// Reads a lab's state, when there is one.
    ///
    /// # Errors
    /// When it cannot be read, is malformed or has a newer format.
    pub fn find(&self, lab: &str) -> Result<Option<LabState>, StoreError> {
        let path = self.directory(lab)?.join("lab.json");
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StoreError::io("read", &path)(source)),
        };
        let state: LabState = serde_json::from_slice(&text).map_err(|source| StoreError::Malformed {
            path: path.clone(),
            line: None,
            what: "lab.json",
            source,
        })?;
        if state.format > STATE_FORMAT {
            return Err(StoreError::NewerFormat { path, found: state.format, known: STATE_FORMAT });
        }
        Ok(Some(state))
    }

    /// Reads a lab's state.
    ///
    /// # Errors
    /// [`StoreError::NoSuchLab`] with the labs there are, and as [`Self::find`].
    pub fn load(&self, lab: &str) -> Result<LabState, StoreError> {
        match self.find(lab)? {
            Some(state) => Ok(state),
            None => Err(StoreError::NoSuchLab { lab: lab.to_owned(), known: self.labs()? }),
        }
    }

    /// Forgets a lab.
    ///
    /// # Errors
    /// When its directory cannot be removed.
    pub fn remove(&self, lab: &str) -> Result<(), StoreError> {
        let directory = self.directory(lab)?;
        match fs::remove_dir_all(&directory) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(StoreError::io("remove", &directory)(source))
            }
            _ => Ok(()),
        }
    }

    fn directory(&self, lab: &str) -> Result<PathBuf, StoreError> {
        Ok(self.root.join("labs").join(named(lab)?))
    }
}

/// Whether a lab may be called that: one name of a path, and of a network.
#[must_use]
pub fn is_lab_name(lab: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !lab.is_empty() && lab.len() <= 32 && !lab.starts_with('-') && lab.bytes().all(legal)
}

/// A name that leads nowhere else: directories are made and removed by it.
fn named(lab: &str) -> Result<&str, StoreError> {
    if is_lab_name(lab) { Ok(lab) } else { Err(StoreError::LabName { lab: lab.to_owned() }) }
}

fn make_private(directory: &Path) -> Result<(), StoreError> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(StoreError::io("make", directory))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn state(lab: &str) -> LabState {
        LabState {
            format: STATE_FORMAT,
            lab: lab.to_owned(),
            driver: DriverKind::Fake,
            owner: "me".to_owned(),
            run: "up".to_owned(),
            created_at: "2026-11-30T00:00:00Z".to_owned(),
            variant: String::new(),
            nodes: Vec::new(),
            applied: BTreeMap::new(),
            actions: Vec::new(),
            document: serde_json::Value::Null,
            secrets: BTreeMap::from([("a.password".to_owned(), "canary".to_owned())]),
        }
    }

    #[test]
    fn state_is_private_and_comes_back() {
        let directory = tempfile::tempdir().unwrap();
        let states = StateDirectory::new(directory.path().join("benchtop"));
        assert!(states.labs().unwrap().is_empty());
        states.save(&state("web")).unwrap();
        assert_eq!(states.load("web").unwrap(), state("web"));
        assert_eq!(states.labs().unwrap(), ["web"]);
        let mode = |path: &str| fs::metadata(states.root().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("labs/web"), mode("labs/web/lab.json")), (0o700, 0o600));
        states.remove("web").unwrap();
        assert!(matches!(states.load("web"), Err(StoreError::NoSuchLab { .. })));
    }

    #[test]
    fn a_name_that_leads_out_of_the_directory_makes_and_removes_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let outside = directory.path().join("outside");
        fs::create_dir_all(&outside).unwrap();
        let states = StateDirectory::new(directory.path().join("benchtop"));
        let absolute = outside.to_str().unwrap();
        for lab in
            ["", ".", "..", "../../outside", absolute, "a/b", "a b", "A", "-a", "a\nb", &"x".repeat(33)]
        {
            let refused = |error| matches!(error, StoreError::LabName { .. });
            assert!(refused(states.lock(lab).unwrap_err()), "{lab}");
            assert!(refused(states.find(lab).unwrap_err()), "{lab}");
            assert!(refused(states.save(&state(lab)).unwrap_err()), "{lab}");
            assert!(refused(states.remove(lab).unwrap_err()), "{lab}");
        }
        assert!(outside.is_dir() && !states.root().exists());
    }

    #[test]
    fn a_lab_is_taken_once() {
        let directory = tempfile::tempdir().unwrap();
        let states = StateDirectory::new(directory.path().to_owned());
        let lock = states.lock("web").unwrap();
        assert!(matches!(states.lock("web"), Err(StoreError::LabBusy { .. })));
        drop(lock);
        states.lock("web").unwrap();
    }
}
