//! Floor 2: foreign text becomes numbers and states. Parsers only: who fetched the text is no matter here.

mod counters;
mod csv;
mod error;
mod html;
mod json;
mod listeners;
mod members;
mod prometheus;

pub use counters::read_counters;
pub use error::FormatError;
pub use html::visible_text;
pub use listeners::{LISTENERS_SCRIPT, Listener, read_listeners};
pub use members::{Member, read_members};
