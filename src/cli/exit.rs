//! The exit codes, in one place: which there are, what they mean, and which error gives which.

use crate::lab::Kind;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Everything asked for was done.
    Done,
    /// A mistake of benchtop's own, or of the machine it runs on.
    Internal,
    /// The command line makes no sense.
    Usage,
    /// A scenario, a software folder or a run folder is wrong.
    Scenario,
    /// Machines, images or services could not be made ready.
    Provisioning,
    /// The load could not be generated or measured.
    Load,
    /// A threshold failed, or could not be told.
    Threshold,
    /// Done, but something of the lab is left behind.
    Teardown,
    /// Ended by a signal.
    Interrupted,
    /// `exec` only: the status of the command on the node.
    Command(u8),
}

impl Exit {
    /// Every code of benchtop's own, in the order of the table.
    pub const ALL: [Self; 9] = [
        Self::Done,
        Self::Internal,
        Self::Usage,
        Self::Scenario,
        Self::Provisioning,
        Self::Load,
        Self::Threshold,
        Self::Teardown,
        Self::Interrupted,
    ];

    /// The number given to the caller, 0–255.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Internal => 1,
            Self::Usage => 2,
            Self::Scenario => 3,
            Self::Provisioning => 4,
            Self::Load => 5,
            Self::Threshold => 6,
            Self::Teardown => 7,
            Self::Interrupted => 130,
            Self::Command(status) => status,
        }
    }

    /// One word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Internal => "internal",
            Self::Usage => "usage",
            Self::Scenario => "scenario",
            Self::Provisioning => "provisioning",
            Self::Load => "load",
            Self::Threshold => "threshold",
            Self::Teardown => "teardown",
            Self::Interrupted => "interrupted",
            Self::Command(_) => "command",
        }
    }

    /// What it means, in a sentence of the documentation.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Done => {
                "Everything asked for was done. A reader that went away (a broken pipe) counts as done."
            }
            Self::Internal => {
                "A mistake of benchtop's own, or the machine it runs on failed it (a full disk)."
            }
            Self::Usage => "The command line makes no sense; nothing was touched.",
            Self::Scenario => {
                "A scenario, a software folder or a run folder is wrong or cannot be read; nothing was touched."
            }
            Self::Provisioning => "The engine, an image, a node or a service could not be made ready.",
            Self::Load => "The load could not be generated, or the target did not answer as expected.",
            Self::Threshold => "The run is complete and a threshold failed or cannot be told.",
            Self::Teardown => "What was asked for is done, but something of the lab is left behind.",
            Self::Interrupted => "Ended by SIGINT, SIGTERM or SIGHUP, after the lab was taken down.",
            Self::Command(_) => "The status of the command that `exec` ran on the node.",
        }
    }
}

impl From<Kind> for Exit {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Internal => Self::Internal,
            Kind::Scenario => Self::Scenario,
            Kind::Provisioning => Self::Provisioning,
            Kind::Load => Self::Load,
            Kind::Teardown => Self::Teardown,
            Kind::Interrupted => Self::Interrupted,
        }
    }
}

/// The text of `docs/exit-codes.md`.
#[must_use]
pub fn document() -> String {
    let mut text = String::from(
        "# Exit codes\n\nGenerated from `src/cli/exit.rs`; a test keeps the two equal.\n\n\
         | code | name | meaning |\n|---|---|---|\n",
    );
    for exit in Exit::ALL {
        text.push_str(&format!("| {} | {} | {} |\n", exit.code(), exit.name(), exit.meaning()));
    }
    text.push_str(
        "\n`exec` is the exception: once the command has run on the node, its status is benchtop's status.\n\n\
         When several things go wrong, the first one decides: an error that appears while the lab is taken down\n\
         is printed too, and never hides what went wrong before it. Results measured so far are kept in every case.\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_its_own() {
        let codes: std::collections::BTreeSet<u8> = Exit::ALL.iter().map(|exit| exit.code()).collect();
        assert_eq!(codes.len(), Exit::ALL.len());
    }

    #[test]
    fn the_document_names_every_code() {
        let text = document();
        for exit in Exit::ALL {
            assert!(text.contains(&format!("| {} | {} |", exit.code(), exit.name())), "{exit:?}");
        }
    }
}
