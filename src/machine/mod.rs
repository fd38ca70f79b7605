//! Floor 5: machines. Drivers make and destroy nodes, connections talk to one, supervisors keep services running,
//! samplers watch. Nothing here knows a software by name.

mod command;
mod contract;
mod error;

pub use command::{Command, FileToWrite, Output, quote};
pub use contract::{
    Connection, Demand, Driver, FoundNode, LabIdentity, NodeSpec, Preflight, ServiceState, Stream, Supervisor,
};
pub use error::{CommandFailure, MachineError};
