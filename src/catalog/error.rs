//! What can be wrong with a software folder.

/// A folder that cannot be used. Every variant names the folder, all but one the file and the line.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// No manifest.
    #[error("software folder {folder} holds no software.yaml")]
    NoManifest {
        /// Folder.
        folder: String,
    },
    /// A file that is not UTF-8.
    #[error("{folder}/{file} is not text")]
    NotText {
        /// Folder.
        folder: String,
        /// File.
        file: String,
    },
    /// Not YAML, an unknown key or a value of the wrong shape.
    #[error("{folder}/{file}, line {line}, is no manifest")]
    Yaml {
        /// Folder.
        folder: String,
        /// File.
        file: String,
        /// Line from 1.
        line: usize,
        /// What the reader says; it names unknown keys and the known ones.
        #[source]
        source: serde_yaml::Error,
    },
    /// Well-formed, but it makes no sense.
    #[error("{folder}/{file}, line {line}: {problem}")]
    Invalid {
        /// Folder.
        folder: String,
        /// File.
        file: String,
        /// Line from 1.
        line: usize,
        /// What is wrong and what would be right.
        problem: String,
    },
}

impl CatalogError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoManifest { .. } => Some(
                "every folder below the templates directory is one software and needs a software.yaml"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}
