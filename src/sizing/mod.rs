//! Floor 3: how many workers fit into a memory budget, and the servers' own rules.

mod error;
mod workers;

pub use error::SizingError;
pub use workers::workers_in_budget;
