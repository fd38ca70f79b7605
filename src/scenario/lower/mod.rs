//! Values that fit become the experiment they mean: groups expanded, references resolved, everything that only a whole
//! variant can show checked (ports, cycles, conflicts).

mod actions;
mod clashes;
mod context;
mod load;
mod questions;
mod relations;
mod target;
mod topology;

pub(super) use actions::actions;
pub(super) use clashes::clashes;
pub(super) use context::Context;
pub(super) use load::load;
pub(super) use questions::Around;
pub(super) use questions::questions;
pub(super) use questions::thresholds;
pub(super) use relations::relations;
pub(super) use target::target;
pub(super) use topology::toggle;
pub(super) use topology::topology;
