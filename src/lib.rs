//! benchtop: a bench-top lab for server topologies.
//!
//! Eight floors; a module uses only strictly lower ones (`tests/architecture.rs` holds them to it):
//! 1 `model` · 2 `stats`, `render`, `schedule`, `catalog`, `formats` · 3 `sizing`, `capacity` ·
//! 4 `scenario`, `plan`, `report` · 5 `machine`, `store` · 6 `loadgen` · 7 `lab` · 8 `cli`.

pub mod catalog;
pub mod cli;
pub mod formats;
pub mod lab;
pub mod loadgen;
pub mod machine;
pub mod model;
pub mod plan;
pub mod render;
pub mod report;
pub mod scenario;
pub mod sizing;
pub mod stats;
pub mod store;
