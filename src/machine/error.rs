//! What can go wrong with a machine.

/// A command that ended badly, with all a person needs to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFailure {
    /// Node.
    pub node: String,
    /// The command as a person would recognise it, secrets not in it.
    pub command: String,
    /// Exit status.
    pub status: i32,
    /// The last lines it said.
    pub last_lines: String,
}

/// Floor 5's error. Texts are fragments without their cause; the cause is the `source`.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// The engine cannot be reached.
    #[error("no Docker engine answers at {endpoint}")]
    NoEngine {
        /// Socket or URL.
        endpoint: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The engine is too old.
    #[error("the Docker engine at {endpoint} speaks API {found}; 1.41 or newer is needed")]
    EngineTooOld {
        /// Socket or URL.
        endpoint: String,
        /// Its API version.
        found: String,
    },
    /// Too little room.
    #[error("{what}: {there} there, {needed} needed")]
    TooLittle {
        /// `disk at /var/lib/docker`, `memory of the host`.
        what: String,
        /// Found.
        there: String,
        /// Needed.
        needed: String,
    },
    /// An engine call failed or took too long.
    #[error("the engine could not {doing}")]
    Engine {
        /// `create container lab-web`.
        doing: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A host program is missing.
    #[error("{program} is not installed, and {purpose}")]
    MissingProgram {
        /// Program.
        program: String,
        /// Why it is needed and what else would do.
        purpose: String,
        /// Debian package.
        package: String,
    },
    /// An image cannot be made.
    #[error("image {image} cannot be made: {step}")]
    Image {
        /// Image name.
        image: String,
        /// Step that failed, with its last lines.
        step: String,
        /// Why.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// A command ended with a status that is a failure.
    #[error("`{}` on {} ended with status {}", .0.command, .0.node, .0.status)]
    Command(CommandFailure),
    /// A command took too long.
    #[error("`{command}` on {node} did not end within {seconds} s")]
    TimedOut {
        /// Node.
        node: String,
        /// Command.
        command: String,
        /// Limit.
        seconds: u64,
    },
    /// A node is not there.
    #[error("node {node} of lab {lab} does not exist")]
    NoSuchNode {
        /// Lab.
        lab: String,
        /// Node.
        node: String,
    },
    /// The way to a node carries no terminal.
    #[error("this driver opens no terminal on node {node}")]
    NoTerminal {
        /// Node.
        node: String,
    },
    /// A host cannot reach its nodes.
    #[error("node {node} at {address} cannot be reached from here")]
    Unreachable {
        /// Node.
        node: String,
        /// Address.
        address: String,
    },
    /// A path outside the lab's own directories was about to be changed.
    #[error("{path} is outside the lab's own directories and is left alone")]
    OutsideLab {
        /// Path.
        path: String,
    },
    /// A script for the fake machines has a statement that means nothing.
    #[error("`{statement}` is no statement for the fake machines")]
    FakeScript {
        /// The statement.
        statement: String,
    },
    /// The fake machines' file cannot be read or written.
    #[error("the fake machines' file {path} cannot be used")]
    FakeState {
        /// The file.
        path: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Injected by a test.
    #[error("injected failure: {0}")]
    Injected(String),
}

impl MachineError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoEngine { .. } => {
                Some("start Docker (`systemctl start docker`), or point DOCKER_HOST at an engine".to_owned())
            }
            Self::EngineTooOld { .. } => Some("install Docker Engine 20.10 or newer".to_owned()),
            Self::TooLittle { .. } => {
                Some("free some, or lower `memory:`/`cpus:` and the number of nodes".to_owned())
            }
            Self::MissingProgram { package, .. } => {
                Some(format!("`apt-get install {package}`, or add `--install` and benchtop does it"))
            }
            Self::NoTerminal { .. } => Some("leave out `-t`".to_owned()),
            Self::Unreachable { .. } => Some("rootless and remote engines are not supported yet".to_owned()),
            _ => None,
        }
    }

    /// The failed command, when it was one.
    #[must_use]
    pub const fn command_failure(&self) -> Option<&CommandFailure> {
        match self {
            Self::Command(failure) => Some(failure),
            _ => None,
        }
    }
}
