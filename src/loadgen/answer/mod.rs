//! Reading HTTP/1.x answers piece by piece, as they come from a socket.

mod chunks;
mod head;
mod reader;
mod search;
#[cfg(test)]
mod tests;

pub use reader::{AnswerReader, Progress, Sink};
pub use search::{Needle, StreamSearch};
