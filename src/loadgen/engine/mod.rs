//! The closed-loop load engine: threads of its own, each with one epoll instance and its share of the connections.
//!
//! Rules of counting. A slot is one of the asked connections. It begins a request the moment it is free, and the
//! request's latency runs from there, so it includes a new connection where one was needed. A request counts in the
//! window in which it ends, with all its bytes. What is in flight when the window ends is aborted and `unfinished`.
//! A slot whose connect attempt failed counts that outcome and then rests (10 ms, doubling to 100 ms): a dead target
//! costs attempts, not CPU, and the rest shows as a lower `in_flight_mean`. A kept connection that turns out closed
//! before any byte of an answer came is replaced once without an error, as HTTP demands; the same on a new
//! connection is an outcome.

mod descriptors;
mod run;
mod slot;
mod tally;
#[cfg(test)]
mod tests;
mod usage;
mod verdict;
mod window;
mod worker;

pub use descriptors::ensure_descriptors;
pub use run::run;
pub use tally::{encode_histogram, new_histogram};
pub use window::Window;
