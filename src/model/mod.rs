//! Floor 1: the nouns every other floor speaks in.
//!
//! Nothing here touches a file, a socket, a process, a clock or a terminal. Types are plain data with `serde`
//! derives, since `run.json` and `repetitions.jsonl` store most of them.

pub mod event;
pub mod experiment;
pub mod finding;
pub mod hand_in;
pub mod load;
pub mod measurement;
pub mod parameter;
pub mod process;
pub mod run;
pub mod run_schema;
pub mod secret;
pub mod software;
pub mod threshold;
pub mod topology;
pub mod unit;
