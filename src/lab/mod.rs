//! Floor 7: the lab. Brings nodes and services up, switches variants, measures, observes, drains, proves, tears down.
//!
//! Everything a person sees leaves as an `Event`; nothing here prints.

mod acting;
mod apply;
mod cell;
mod checks;
mod drain;
mod error;
mod evidence;
mod experiment;
mod heartbeat;
mod listening;
mod looking;
mod observer;
mod pollers;
mod provision;
mod ready;
mod reporting;
mod restrict;
mod run;
mod site;
mod status;
mod symptoms;
mod target;
mod teardown;
mod timed;
mod up;
mod verify;
mod workbench;

pub use acting::act;
pub use error::{Kind, LabError};
pub use looking::{exec, logs, open_terminal};
pub(crate) use ready::in_full;
pub use reporting::report;
pub use run::{resume, run};
pub use status::{LabStatus, Login, NodeStatus, ServiceStatus, labs, status};
pub use teardown::{DownOutcome, down, down_all, labs_left};
pub use up::{UpOutcome, up};
pub use workbench::{RunOptions, RunOutcome, Workbench};
