//! Floor 5: machines. Drivers make and destroy nodes, connections talk to one, supervisors keep services running,
//! samplers watch. Nothing here knows a software by name.

mod command;
mod contract;
mod docker;
mod error;
mod fake;
mod fake_connection;
mod fake_script;
mod fake_state;
mod fake_terminal;
mod sampler;
mod supervisor;

pub use command::{Command, FileToWrite, Output, quote};
pub use contract::{
    Connection, Demand, Driver, FoundLab, FoundNode, LabIdentity, NodeSpec, Preflight, ServiceState, Stream,
    Supervisor, Terminal, TerminalControl, TerminalKind, TerminalSize, Terminals,
};
pub use docker::{DockerDriver, DockerOptions, ImageEntry};
pub use error::{CommandFailure, MachineError};
pub use fake::FakeDriver;
pub use fake_script::FakeScript;
pub use sampler::{NodeSample, parse_sample, sampler_command};
pub use supervisor::ShellSupervisor;
