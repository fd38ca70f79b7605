//! The one interface of the client: real and fake.

use std::net::SocketAddr;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::loadgen::error::LoadError;
use crate::model::load::{Expect, Extent};
use crate::model::measurement::Measurement;
use crate::model::secret::Secret;

/// One cell's load, with addresses resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct CellSpec {
    /// Connection i goes to address i modulo n.
    pub addresses: Vec<SocketAddr>,
    /// `Host` header.
    pub host: String,
    /// Path and query.
    pub path: String,
    /// Further headers; values may be secret.
    pub headers: Vec<(String, Secret)>,
    /// Concurrent connections.
    pub connections: u32,
    /// Connections are used again.
    pub keep_alive: bool,
    /// Not counted, on the window's own connections.
    pub warm_up: Duration,
    /// The window.
    pub extent: Extent,
    /// A request without a whole answer after this long is given up.
    pub timeout: Duration,
    /// What a good answer is.
    pub expect: Expect,
}

/// About once a second while measuring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadProgress {
    /// Still warming up.
    pub warming_up: bool,
    /// Share of warm-up plus window done, 0–1.
    pub share: f64,
    /// Completed in the last second.
    pub rate: f64,
    /// Good in the last second.
    pub good_rate: f64,
}

/// A single request.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchRequest {
    /// Where to.
    pub address: SocketAddr,
    /// `Host` header.
    pub host: String,
    /// Path and query.
    pub path: String,
    /// Further headers.
    pub headers: Vec<(String, Secret)>,
    /// Limit for the whole answer.
    pub at_most: Duration,
    /// Longest body kept; more is an error.
    pub body_bytes_max: usize,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Status line and header lines as received, without the empty line.
    pub head: String,
    /// Body, transfer encoding undone.
    pub body: Vec<u8>,
}

impl Answer {
    /// A header's value, name compared without case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// The client: what stands outside the lab and asks.
#[async_trait]
pub trait Client: Send + Sync {
    /// Measures one cell. Cancelling ends it within a second with [`LoadError::Cancelled`].
    async fn measure(
        &self,
        spec: &CellSpec,
        progress: UnboundedSender<LoadProgress>,
        cancel: CancellationToken,
    ) -> Result<Measurement, LoadError>;

    /// One request, one answer; redirects are not followed.
    async fn fetch(&self, request: &FetchRequest) -> Result<Answer, LoadError>;

    /// Sends bytes and reads until the peer closes, `at_most` passes, or 1 MiB has come; with nothing to send, the
    /// connection itself is the answer.
    async fn exchange(
        &self,
        address: SocketAddr,
        send: &[u8],
        at_most: Duration,
    ) -> Result<Vec<u8>, LoadError>;
}
