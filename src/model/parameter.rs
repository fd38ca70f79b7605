//! A value given to a software's parameter, after checking.

use std::time::Duration;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::secret::Secret;
use crate::model::unit::{ByteSize, seconds};

/// How many workers, and where the number comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum WorkerCount {
    /// Written as a number.
    Fixed {
        /// The number itself, at least 1.
        workers: u64,
    },
    /// Written as `BUDGET/WORKER`: `floor(budget / worker)`, at least 1 (`sizing` does the sum).
    Budget {
        /// Memory for all workers together.
        budget: ByteSize,
        /// Memory of one worker.
        worker: ByteSize,
        /// The result.
        workers: u64,
    },
}

impl WorkerCount {
    /// The number of workers to configure.
    #[must_use]
    pub const fn workers(self) -> u64 {
        match self {
            Self::Fixed { workers } | Self::Budget { workers, .. } => workers,
        }
    }
}

/// A checked parameter value. In a template's context (`params.NAME`): `Bytes` is a number of bytes, `Duration` a
/// number of milliseconds, `Workers` the count, `Secret` its real value, the others what they look like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum ParameterValue {
    /// A whole number, zero or more.
    Count(u64),
    /// Any finite number.
    Number(f64),
    /// A size.
    Bytes(ByteSize),
    /// A time, stored in seconds.
    Duration(
        #[serde(with = "seconds")]
        #[schemars(with = "f64")]
        Duration,
    ),
    /// Yes or no.
    Flag(bool),
    /// One of the manifest's choices.
    Choice(String),
    /// Free text.
    Text(String),
    /// Text that is never shown.
    Secret(Secret),
    /// A TCP port, 1–65535.
    Port(u16),
    /// Several values.
    List(Vec<ParameterValue>),
    /// Named values.
    Map(IndexMap<String, ParameterValue>),
    /// A number of workers.
    Workers(WorkerCount),
}
