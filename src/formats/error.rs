//! What can be wrong with a foreign text.

/// Text that is not what the manifest says it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// Members are read from CSV only.
    #[error("a balancer's servers are read from csv, not from another format")]
    NotCsv,
    /// Nothing to read.
    #[error("the list of servers is empty")]
    Empty,
    /// A column the manifest names is not there.
    #[error("the list of servers has no column `{column}`: {columns}")]
    NoColumn {
        /// Missing column.
        column: String,
        /// The columns there are.
        columns: String,
    },
}

impl FormatError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotCsv => Some("write `format: csv` under `members:`".to_owned()),
            Self::Empty => Some("see whether the balancer runs and answers".to_owned()),
            Self::NoColumn { .. } => {
                Some("correct the column's name in the manifest's `members:`".to_owned())
            }
        }
    }
}
