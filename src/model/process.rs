//! A service's process, rendered and ready to start.

use indexmap::IndexMap;

/// A service's process as the supervisor needs it; all texts are rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceProcess {
    /// Service name.
    pub service: String,
    /// Instance directory.
    pub dir: String,
    /// Foreground command line.
    pub command: String,
    /// Signal that stops it, `TERM`.
    pub stop_signal: String,
    /// Extra environment.
    pub environment: IndexMap<String, String>,
}
