//! What can go wrong with files of ours.

use std::path::{Path, PathBuf};

/// What a lab may be called: what a scenario may be called.
pub const LAB_NAME_RULE: &str =
    "a lab's name has a-z, 0-9 and -, begins with no -, and at most 32 characters";

/// The store's error.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused.
    #[error("cannot {doing} {}", path.display())]
    Io {
        /// `read`, `write`, …
        doing: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("{}{} is not readable as {what}", path.display(), line.map_or(String::new(), |line| format!(":{line}")))]
    Malformed {
        /// Which file.
        path: PathBuf,
        /// Line, for line-wise files.
        line: Option<usize>,
        /// `run.json`, …
        what: &'static str,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// Written by a newer benchtop.
    #[error("{} has format {found}, this benchtop knows {known}", path.display())]
    NewerFormat {
        /// Which file.
        path: PathBuf,
        /// Found.
        found: u32,
        /// Known.
        known: u32,
    },
    /// Not a run folder.
    #[error("{} is no run folder: it holds no run.json", path.display())]
    NotARun {
        /// Which folder.
        path: PathBuf,
    },
    /// A lab's name would be a path, or could not be a name on a network.
    #[error("`{lab}` cannot be the name of a lab")]
    LabName {
        /// As given.
        lab: String,
    },
    /// Another benchtop works on the lab.
    #[error("another benchtop is working on lab {lab}")]
    LabBusy {
        /// Lab.
        lab: String,
    },
    /// There is no such lab.
    #[error("there is no lab {lab}")]
    NoSuchLab {
        /// Lab.
        lab: String,
        /// The labs there are.
        known: Vec<String>,
    },
}

impl StoreError {
    /// Wraps an I/O error with what was done to which file.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }

    /// Its text and its cause apart, for an error that stands in its place.
    pub(crate) fn into_parts(self) -> (String, Option<Box<dyn std::error::Error + Send + Sync>>) {
        let text = self.to_string();
        match self {
            Self::Io { source, .. } => (text, Some(Box::new(source))),
            Self::Malformed { source, .. } => (text, Some(Box::new(source))),
            _ => (text, None),
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotARun { .. } => Some(
                "name a folder below reports/, for example reports/quickstart/20261130-214216-ab12"
                    .to_owned(),
            ),
            Self::NewerFormat { .. } => Some("use the benchtop that wrote it, or a newer one".to_owned()),
            Self::LabBusy { .. } => Some("wait until it is done, or use another `--lab NAME`".to_owned()),
            Self::NoSuchLab { known, .. } if known.is_empty() => {
                Some("no lab is up; `benchtop up SCENARIO` brings one up".to_owned())
            }
            Self::NoSuchLab { known, .. } => Some(format!("labs there are: {}", known.join(", "))),
            Self::LabName { .. } => Some(LAB_NAME_RULE.to_owned()),
            Self::Malformed { path, what: "lab.json", .. } => {
                let lab = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
                Some(format!("`benchtop down --lab {lab}` removes the lab and this file"))
            }
            Self::Malformed { what: "run.json", .. } => {
                Some("restore the file, or measure anew: nothing is known of the run without it".to_owned())
            }
            Self::Malformed { line: Some(line), .. } => {
                Some(format!("take line {line} out of the file: the rest is read without it"))
            }
            Self::Io { .. } | Self::Malformed { .. } => None,
        }
    }
}
