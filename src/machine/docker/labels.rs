//! The labels by which containers and networks are known again, whatever a state file says, and the refusal of what
//! has our name but not our labels.

use std::collections::HashMap;

use crate::machine::contract::LabIdentity;
use crate::machine::error::MachineError;

/// Label: lab name.
pub const LAB: &str = "benchtop.lab";
/// Label: run id.
pub const RUN: &str = "benchtop.run";
/// Label: owner.
pub const OWNER: &str = "benchtop.owner";
/// Label: node name.
pub const NODE: &str = "benchtop.node";

/// Labels as the engine has them.
pub type Labels = HashMap<String, String>;

/// What everything of a lab is labelled with.
#[must_use]
pub fn lab_labels(lab: &LabIdentity) -> Labels {
    [(LAB, &lab.lab), (RUN, &lab.run), (OWNER, &lab.owner)]
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .into()
}

/// Whether the label is there with that value.
#[must_use]
pub fn has(labels: Option<&Labels>, name: &str, value: &str) -> bool {
    labels.and_then(|labels| labels.get(name)).is_some_and(|found| found == value)
}

/// The refusal to use a container or network that has our name and not our labels.
#[must_use]
pub fn foreign(what: &str, name: &str) -> MachineError {
    MachineError::Engine {
        doing: format!("create {what} {name}"),
        source: format!("a {what} of that name exists that this lab did not make; it is left alone").into(),
    }
}
