//! Floor 4: the scenario language. A YAML text becomes a checked [`crate::model::experiment::Experiment`], or all of its
//! problems with their places. One table (`language`) says what may be written; checking, JSON Schema and reference derive
//! from it.

mod call;
mod check;
mod conceal;
mod environment;
mod hand_in;
mod language;
mod locator;
mod lower;
mod mask;
mod overlay;
mod parse;
mod path;
mod problem;
mod read;
mod reference;
mod scalar;
mod schema;
mod sets;
mod shape;
mod software;
mod threshold;
mod together;
mod token;
mod tree;

pub use check::Checked;
pub use check::Options;
pub use check::check;
pub use check::from_document;
pub use locator::Locator;
pub use problem::Problem;
pub use problem::Problems;
pub use problem::show;
pub use reference::reference;
pub use reference::software_reference;
pub use schema::schema;

#[cfg(test)]
mod tests;
