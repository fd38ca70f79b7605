//! Floor 6: the client's side. The load engine, and the single requests that verify, probe and telemetry make.

mod answer;
mod contract;
mod engine;
mod error;
mod fake;
mod http_client;
mod request;
#[cfg(test)]
mod scripted;
mod single;
#[cfg(test)]
mod single_tests;

pub use contract::{Answer, CellSpec, Client, FetchRequest, LoadProgress};
pub use error::LoadError;
pub use fake::{FakeClient, FakeLoad};
pub use http_client::HttpClient;
