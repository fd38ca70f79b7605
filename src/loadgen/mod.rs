//! Floor 6: the client's side. The load engine, and the single requests that verify, probe and telemetry make.

mod contract;
mod error;

pub use contract::{Answer, CellSpec, Client, FetchRequest, LoadProgress};
pub use error::LoadError;
