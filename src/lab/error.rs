//! One shape for every failure of a lab: what failed where, the command and what it said, what was kept, what to type next.

use std::error::Error;

use crate::loadgen::LoadError;
use crate::machine::MachineError;
use crate::store::StoreError;

/// What kind of failure it is; `cli` maps it to an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Building or preparing the lab.
    Provisioning,
    /// Measuring.
    Load,
    /// The scenario asks for something that is not so.
    Scenario,
    /// Taking the lab down.
    Teardown,
    /// Ended by a signal.
    Interrupted,
    /// Our own files or a bug.
    Internal,
}

/// A failure of a lab.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct LabError {
    kind: Kind,
    what: String,
    details: Vec<(String, String)>,
    hint: Option<String>,
    #[source]
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl LabError {
    /// A failure in words: a lower-case fragment without its cause.
    pub(crate) fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), details: Vec::new(), hint: None, source: None }
    }

    /// The user ended it.
    pub(crate) fn interrupted() -> Self {
        Self::new(Kind::Interrupted, "interrupted")
    }

    /// A machine failed while something was done.
    pub(crate) fn machine(what: impl Into<String>, source: MachineError) -> Self {
        let mut error = Self::new(Kind::Provisioning, what);
        error.hint = source.hint();
        if let Some(failure) = source.command_failure() {
            error = error
                .detail("node", &failure.node)
                .detail("command", &failure.command)
                .detail("status", &failure.status.to_string())
                .detail("last lines", &failure.last_lines);
        }
        error.source = Some(Box::new(source));
        error
    }

    /// The client's side failed.
    pub(crate) fn load(what: impl Into<String>, source: LoadError) -> Self {
        if matches!(source, LoadError::Cancelled) {
            return Self::interrupted();
        }
        let mut error = Self::new(Kind::Load, what);
        error.hint = source.hint();
        error.source = Some(Box::new(source));
        error
    }

    /// With its cause.
    pub(crate) fn caused_by(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// With advice.
    pub(crate) fn advise(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With a labelled detail; a second one with the same label is left out, since the first is nearer to the cause.
    pub(crate) fn detail(mut self, label: &str, text: &str) -> Self {
        if !text.is_empty() && !self.details.iter().any(|(known, _)| known == label) {
            self.details.push((label.to_owned(), text.to_owned()));
        }
        self
    }

    /// What kind it is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        self.hint.clone()
    }

    /// Labelled details, in order: node, service, step, command, status, last lines, scenario line, kept, next.
    #[must_use]
    pub fn details(&self) -> Vec<(String, String)> {
        self.details.clone()
    }
}

impl From<StoreError> for LabError {
    fn from(source: StoreError) -> Self {
        let kind = match source {
            StoreError::NoSuchLab { .. } | StoreError::LabBusy { .. } => Kind::Provisioning,
            StoreError::Malformed { .. } | StoreError::NewerFormat { .. } | StoreError::NotARun { .. } => {
                Kind::Scenario
            }
            StoreError::Io { .. } => Kind::Internal,
        };
        // Nothing is wrong with any file then: the words of the store say it all.
        if matches!(source, StoreError::NoSuchLab { .. } | StoreError::LabBusy { .. }) {
            let mut error = Self::new(kind, source.to_string());
            error.hint = source.hint();
            return error;
        }
        let mut error = Self::new(kind, "the lab's or the run's files are not usable");
        error.hint = source.hint();
        error.caused_by(source)
    }
}
