//! What can go wrong on the client's side.

use std::net::SocketAddr;

/// Floor 6's error. A bad answer in a window is an outcome, not an error.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Ended by the user.
    #[error("the measurement was cancelled")]
    Cancelled,
    /// Not enough file descriptors for the connections.
    #[error("{connections} connections need more file descriptors than the {limit} this process may open")]
    TooFewDescriptors {
        /// Asked.
        connections: u32,
        /// The hard limit.
        limit: u64,
    },
    /// The engine's own system calls failed.
    #[error("the load engine could not {doing}")]
    Engine {
        /// `create an epoll instance`.
        doing: &'static str,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A single request got no answer.
    #[error("no answer from {address}{path}")]
    NoAnswer {
        /// Address.
        address: SocketAddr,
        /// Path.
        path: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// What came back is no HTTP, or longer than allowed.
    #[error("{address}{path} answered with something that is no usable HTTP: {what}")]
    BadAnswer {
        /// Address.
        address: SocketAddr,
        /// Path.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// The script of the fake client is wrong.
    #[error("the fake load's clause `{clause}` is wrong: {what}")]
    FakeScript {
        /// `capacity forty`.
        clause: String,
        /// What is wrong.
        what: &'static str,
    },
}

impl LoadError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::TooFewDescriptors { connections, .. } => Some(format!(
                "raise it with `ulimit -n {}` or lower the level",
                u64::from(*connections) + 100
            )),
            Self::FakeScript { .. } => {
                Some("a script looks like `capacity 40; latency 25ms; errors 0.1; fail measure 3`".to_owned())
            }
            Self::Engine { source, .. } if source.kind() == std::io::ErrorKind::AddrNotAvailable => Some(
                "the local ports are used up: keep connections alive, or make fewer new ones a minute"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}
