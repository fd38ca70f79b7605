//! The client without a network: numbers from a script, the same every time.

mod client;
mod numbers;
mod script;

pub use client::FakeClient;
pub use script::FakeLoad;
