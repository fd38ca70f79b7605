//! `report.md`, section by section.

mod cells;
mod comparisons;
mod first;
mod link;
mod machines;
mod method;
mod published;
mod results;
mod shares;
mod telemetry;
mod texts;
mod topology;
mod whole;

pub(super) use whole::report;
