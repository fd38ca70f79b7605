//! Floor 2: foreign text becomes numbers and states. Parsers only: who fetched the text is no matter here.

mod counters;
mod csv;
mod error;
mod json;
mod members;
mod prometheus;

pub use counters::read_counters;
pub use error::FormatError;
pub use members::{Member, read_members};
