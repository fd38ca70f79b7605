//! Everything a verb can end with besides success, and the one printer of it.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use crate::catalog::CatalogError;
use crate::cli::exit::Exit;
use crate::lab::LabError;
use crate::machine::MachineError;
use crate::plan::PlanError;

/// Floor 8's error. Texts are fragments without their cause; the cause is the `source`.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The command line makes no sense, in a way `clap` cannot see.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to type instead.
        hint: Option<String>,
    },
    /// A file or folder of the user's cannot be read.
    #[error("{} cannot be read", .path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("{} cannot be written", .path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Standard output cannot be written; a broken pipe is success.
    #[error("standard output cannot be written")]
    Output(#[source] io::Error),
    /// The person's terminal does not do what is asked of it.
    #[error("the terminal cannot be used")]
    Terminal(#[source] io::Error),
    /// Scenarios have mistakes; they were shown already.
    #[error("{problems} in {file}")]
    Scenario {
        /// `1 mistake`, `3 mistakes`.
        problems: String,
        /// The file, or how many.
        file: String,
    },
    /// A software folder is wrong.
    #[error("the software folders cannot be used")]
    Catalog(#[source] CatalogError),
    /// A scenario cannot be planned.
    #[error("the scenario cannot be planned")]
    Plan(#[source] PlanError),
    /// The driver failed before a lab was involved.
    #[error("the driver cannot be used")]
    Machine(#[source] MachineError),
    /// Something about a lab.
    #[error(transparent)]
    Lab(LabError),
    /// A run is complete and not every threshold holds.
    #[error("{}", verdicts(.failed, .untold))]
    Threshold {
        /// Those that failed, with the values seen.
        failed: Vec<String>,
        /// Those that cannot be told, with the reason.
        untold: Vec<String>,
    },
    /// The scripted failures of the fake driver or client make no sense.
    #[error("{variable} is not a script for the fake")]
    FakeScript {
        /// The environment variable.
        variable: &'static str,
        /// Why.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// Something of the host is missing (`doctor`).
    #[error("{0} of the things looked at must be mended first")]
    NotReady(usize),
    /// The machine cannot even start the program's own threads.
    #[error("the program cannot start")]
    Start(#[source] io::Error),
}

impl CliError {
    /// A usage error with a hint.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: Some(hint.into()) }
    }

    /// The exit code.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } | Self::FakeScript { .. } => Exit::Usage,
            Self::Output(source) if source.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
            Self::Write { .. } | Self::Output(_) | Self::Terminal(_) | Self::Start(_) => Exit::Internal,
            Self::Read { .. } | Self::Scenario { .. } | Self::Catalog(_) | Self::Plan(_) => Exit::Scenario,
            Self::Machine(_) | Self::NotReady(_) => Exit::Provisioning,
            Self::Lab(error) => error.kind().into(),
            Self::Threshold { .. } => Exit::Threshold,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Usage { hint, .. } => hint.clone(),
            Self::Catalog(error) => error.hint(),
            Self::Plan(error) => error.hint(),
            Self::Machine(error) => error.hint(),
            Self::Lab(error) => error.hint(),
            _ => None,
        }
    }

    /// Labelled texts that belong to it: node, command, last lines, YAML line, what was kept.
    fn details(&self) -> Vec<(String, String)> {
        match self {
            Self::Lab(error) => error.details(),
            Self::Machine(error) => error.command_failure().map_or_else(Vec::new, |failure| {
                vec![
                    ("node".to_owned(), failure.node.clone()),
                    ("last lines".to_owned(), failure.last_lines.clone()),
                ]
            }),
            Self::Threshold { failed, untold } => {
                let failed = failed.iter().map(|text| ("failed".to_owned(), text.clone()));
                failed.chain(untold.iter().map(|text| ("cannot tell".to_owned(), text.clone()))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The error as it is shown: `error:`, one `caused by:` a cause, details, `hint:`. Ends with a line break.
    #[must_use]
    pub fn show(&self) -> String {
        let mut text = format!("error: {self}\n");
        let mut cause = self.source();
        while let Some(error) = cause {
            text.push_str(&format!("caused by: {error}\n"));
            cause = error.source();
        }
        for (label, value) in self.details() {
            text.push_str(&detail(&label, &value));
        }
        if let Some(hint) = self.hint() {
            text.push_str(&format!("hint: {hint}\n"));
        }
        text
    }
}

/// One labelled text; several lines stand indented below their label.
fn detail(label: &str, value: &str) -> String {
    let value = value.trim_end();
    if value.contains('\n') {
        let lines: Vec<String> = value.lines().map(|line| format!("    | {line}")).collect();
        format!("  {label}:\n{}\n", lines.join("\n"))
    } else {
        format!("  {label}: {value}\n")
    }
}

/// `2 thresholds failed, 1 cannot be told`.
fn verdicts(failed: &[String], untold: &[String]) -> String {
    let thresholds =
        |count: usize| if count == 1 { "1 threshold".to_owned() } else { format!("{count} thresholds") };
    match (failed.len(), untold.len()) {
        (failed, 0) => format!("{} failed", thresholds(failed)),
        (0, untold) => format!("{} cannot be told", thresholds(untold)),
        (failed, untold) => format!("{} failed, {untold} cannot be told", thresholds(failed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_shows_its_causes_once_each_and_its_hint_last() {
        let error = CliError::Read { path: "x.yaml".into(), source: io::Error::other("the disk is gone") };
        assert_eq!(error.show(), "error: x.yaml cannot be read\ncaused by: the disk is gone\n");
        let error = CliError::usage("no lab is up", "`benchtop up FILE` brings one up");
        assert_eq!(error.show(), "error: no lab is up\nhint: `benchtop up FILE` brings one up\n");
    }

    #[test]
    fn thresholds_that_fail_and_those_that_cannot_be_told_are_both_listed() {
        let error = CliError::Threshold {
            failed: vec!["a > 1 (a = 0)".to_owned()],
            untold: vec!["b > 1".to_owned()],
        };
        assert_eq!(
            error.show(),
            "error: 1 threshold failed, 1 cannot be told\n  failed: a > 1 (a = 0)\n  cannot tell: b > 1\n"
        );
        assert_eq!(error.exit(), Exit::Threshold);
    }

    #[test]
    fn a_broken_pipe_is_success_and_a_full_disk_is_not() {
        assert_eq!(CliError::Output(io::ErrorKind::BrokenPipe.into()).exit(), Exit::Done);
        assert_eq!(CliError::Output(io::ErrorKind::StorageFull.into()).exit(), Exit::Internal);
    }

    #[test]
    fn the_last_lines_of_a_command_stand_below_their_label() {
        assert_eq!(detail("last lines", "a\nb\n"), "  last lines:\n    | a\n    | b\n");
    }
}
