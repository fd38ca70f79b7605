//! Values that fit become the experiment they mean: groups expanded, references resolved, everything that only a whole
//! variant can show checked (ports, cycles, conflicts).

mod actions;
mod budget;
mod clashes;
mod context;
mod evidence;
mod load;
mod networks;
mod published;
mod questions;
mod relations;
mod target;
mod topology;
mod verify;

pub(super) use actions::actions;
pub(super) use budget::budgets;
pub(super) use clashes::clashes;
pub(super) use context::Context;
pub(super) use evidence::evidence;
pub(super) use load::load;
pub(super) use networks::networks;
pub(super) use published::published;
pub(super) use questions::Around;
pub(super) use questions::questions;
pub(super) use questions::thresholds;
pub(super) use relations::relations;
pub(super) use target::target;
pub(super) use topology::toggle;
pub(super) use topology::topology;
pub(super) use verify::verify;
