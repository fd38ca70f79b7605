//! Floor 4: a topology and a catalogue become ordered steps, rendered files and hashes.

mod action;
mod cells;
mod context;
mod converge;
mod error;
mod estimate;
mod explain;
mod hash;
mod order;
mod packages;
mod planned;
mod roles;
mod service;
mod watch;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

pub use action::action;
pub use cells::{Cell, cells};
pub use converge::{Applied, Change, converge};
pub use error::PlanError;
pub use estimate::estimate;
pub use explain::explain;
pub use packages::{fact_scripts, packages};
pub use planned::{
    EvidenceHow, NodeAddress, PlannedAction, PlannedDirectory, PlannedEvidence, PlannedFile, PlannedMembers,
    PlannedProcess, PlannedReady, PlannedStep, PlannedTelemetry, ReadyProbe, ServicePlan, Surroundings,
};
pub use roles::roles;
pub use service::{service, services};
pub use watch::{evidence, members, telemetry};
