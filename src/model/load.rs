//! What is asked of the lab: where to, how hard, and what counts as a good answer.

use std::time::Duration;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::secret::Secret;
use crate::model::unit::seconds;

/// Where the requests go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// The URL as a client would type it; its host is the `Host` header, its port the port.
    pub url: String,
    /// The node (or group) whose address the name leads to.
    pub node: String,
    /// How a group's members share the connections.
    pub spread: Spread,
    /// Extra request headers.
    pub headers: IndexMap<String, HeaderValue>,
    /// What a good answer is.
    pub expect: Expect,
}

/// A header's value; `Authorization` and `Cookie` are secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum HeaderValue {
    /// May be shown.
    Plain(String),
    /// Masked everywhere but on the wire.
    Secret(Secret),
}

impl HeaderValue {
    /// What goes over the wire.
    #[must_use]
    pub fn reveal(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Secret(secret) => secret.reveal(),
        }
    }
}

/// How the connections are spread over a group's members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spread {
    /// Connection i goes to member i modulo n.
    #[default]
    RoundRobin,
    /// All go to the first member.
    First,
}

/// What a good answer is; goodput counts exactly these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Expect {
    /// Status that counts as good.
    pub status: u16,
    /// Text the body must hold.
    pub contains: Option<String>,
    /// Smallest body, in bytes.
    pub min_bytes: Option<u64>,
}

impl Default for Expect {
    fn default() -> Self {
        Self { status: 200, contains: None, min_bytes: None }
    }
}

/// How long a cell's window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum Extent {
    /// A fixed time, stored in seconds.
    Duration(
        #[serde(with = "seconds")]
        #[schemars(with = "f64")]
        Duration,
    ),
    /// A fixed number of completed requests.
    Requests(u64),
}

/// One load level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Level {
    /// The number of connections as text, or the name under `levels:`.
    pub name: String,
    /// Concurrent connections, each with one request in flight (closed loop).
    pub connections: u32,
    /// How long.
    pub extent: Extent,
}

/// The load of one variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Load {
    /// Levels in the scenario's order.
    pub levels: Vec<Level>,
    /// After this long a request is given up (outcome timed out).
    #[serde(rename = "timeout_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub timeout: Duration,
    /// Connections are used again.
    pub keep_alive: bool,
    /// Load before the window, on the window's connections, not counted.
    #[serde(rename = "warm_up_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub warm_up: Duration,
    /// Longest wait for the services to become idle after a cell.
    #[serde(rename = "cool_down_at_most_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub cool_down_at_most: Duration,
}
