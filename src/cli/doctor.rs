//! Looks at this machine: engine, programs, descriptors, disk. Changes nothing.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::sys::resource::{Resource, getrlimit};
use nix::sys::statvfs::statvfs;
use serde::Serialize;

use crate::cli::session::{HostPrograms, docker, state_directory};
use crate::lab::in_full;
use crate::machine::{Demand, Driver};
use crate::model::unit::ByteSize;

/// Descriptors that the largest published level (1,000 connections) needs, with some to spare.
const DESCRIPTORS_NEEDED: u64 = 2_048;
/// Room for one base image and a few sets of packages.
const DISK_NEEDED: ByteSize = ByteSize::mebibytes(3 * 1_024);

/// How good it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// As needed.
    Good,
    /// Something will not work, or only later.
    Note,
    /// `run` cannot work without it.
    Missing,
}

impl Grade {
    /// The word shown.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Note => "note",
            Self::Missing => "missing",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What.
    pub what: &'static str,
    /// Judgement.
    pub grade: Grade,
    /// What was found.
    pub found: String,
    /// What to do.
    pub advice: Option<String>,
}

/// Looks at everything.
pub async fn examine() -> Vec<Finding> {
    vec![engine().await, bootstrap(), descriptors(), disk(), ssh()]
}

async fn engine() -> Finding {
    let what = "Docker engine";
    let found = match docker(HostPrograms::LeaveAlone).await {
        Ok(driver) => driver
            .preflight(&Demand { nodes: Vec::new() })
            .await
            .map_err(|error| (error.to_string(), error.hint())),
        Err(error) => Err((in_full(&error), error.hint())),
    };
    match found {
        Ok(there) => Finding {
            what,
            grade: Grade::Good,
            found: format!("{}, {} CPUs, {}", there.driver, there.cpus, there.memory),
            advice: None,
        },
        Err((found, advice)) => Finding { what, grade: Grade::Missing, found, advice },
    }
}

fn bootstrap() -> Finding {
    let what = "mmdebstrap";
    let given = std::env::var("BENCHTOP_BASE_IMAGE").ok().filter(|image| !image.is_empty());
    match (program("mmdebstrap"), given) {
        (Some(path), _) => {
            Finding { what, grade: Grade::Good, found: path.display().to_string(), advice: None }
        }
        (None, Some(image)) => Finding {
            what,
            grade: Grade::Good,
            found: format!("not there and not needed: {image} is the base image"),
            advice: None,
        },
        (None, None) => Finding {
            what,
            grade: Grade::Missing,
            found: "not there; the base image is made with it".to_owned(),
            advice: Some(
                "`apt-get install mmdebstrap`, or `run --install`, or name a local image in BENCHTOP_BASE_IMAGE"
                    .to_owned(),
            ),
        },
    }
}

fn descriptors() -> Finding {
    let what = "file descriptors";
    let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return Finding { what, grade: Grade::Note, found: "limit unknown".to_owned(), advice: None };
    };
    let (grade, advice) = if hard >= DESCRIPTORS_NEEDED {
        (Grade::Good, None)
    } else {
        (Grade::Note, Some(format!("levels up to {} connections work; raise it with `ulimit -Hn`", hard / 2)))
    };
    Finding { what, grade, found: format!("{hard} may be open"), advice }
}

fn disk() -> Finding {
    let what = "disk";
    let folder = existing([PathBuf::from("/var/lib/docker"), state_directory()]);
    let Ok(stat) = statvfs(&folder) else {
        return Finding { what, grade: Grade::Note, found: "room unknown".to_owned(), advice: None };
    };
    let free = ByteSize(stat.blocks_available().saturating_mul(stat.fragment_size()));
    let (grade, advice) = if free >= DISK_NEEDED {
        (Grade::Good, None)
    } else {
        (
            Grade::Missing,
            Some(format!("{DISK_NEEDED} are needed for images; `benchtop images --prune` frees some")),
        )
    };
    Finding { what, grade, found: format!("{free} free at {}", folder.display()), advice }
}

/// The first folder that is there, or its nearest parent that is.
fn existing(folders: [PathBuf; 2]) -> PathBuf {
    let [engine, state] = folders;
    if engine.is_dir() {
        return engine;
    }
    state.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/")).to_owned()
}

fn ssh() -> Finding {
    let what = "ssh";
    let said = Command::new("ssh").arg("-V").stdin(Stdio::null()).output();
    let found = said.map_or_else(
        |_| "not there; the docker driver does not need it".to_owned(),
        |output| {
            let version = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            format!("{version}; the docker driver does not need it")
        },
    );
    Finding { what, grade: Grade::Note, found, advice: None }
}

/// Where a program is, by the search path.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_by_the_search_path() {
        assert!(program("sh").is_some());
        assert_eq!(program("no-such-program-here"), None);
    }

    #[test]
    fn a_folder_that_is_not_there_gives_its_parent() {
        let root = tempfile::tempdir().unwrap();
        let missing = root.path().join("a/b");
        assert_eq!(existing([root.path().join("none"), missing]), root.path());
    }
}
