//! The fake client itself: counts its calls, goes wrong where the script says so, else gives the script's numbers.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::loadgen::contract::Answer;
use crate::loadgen::contract::CellSpec;
use crate::loadgen::contract::Client;
use crate::loadgen::contract::FetchRequest;
use crate::loadgen::contract::LoadProgress;
use crate::loadgen::error::LoadError;
use crate::loadgen::fake::numbers;
use crate::loadgen::fake::script::FakeLoad;
use crate::loadgen::fake::script::Fault;
use crate::model::measurement::Measurement;

/// Real time a simulated cell takes.
const CELL: Duration = Duration::from_millis(2);

/// A client without a network.
#[derive(Debug)]
pub struct FakeClient {
    script: FakeLoad,
    measured: AtomicU64,
    fetched: AtomicU64,
    /// Paths that were asked for with a login: without one they answer 401.
    protected: Mutex<BTreeSet<String>>,
}

impl FakeClient {
    /// A client that follows the script.
    #[must_use]
    pub fn new(script: FakeLoad) -> Self {
        Self { script, measured: AtomicU64::new(0), fetched: AtomicU64::new(0), protected: Mutex::default() }
    }
}

impl FakeClient {
    fn refuses(&self, request: &FetchRequest) -> bool {
        let mut protected = self.protected.lock().unwrap_or_else(PoisonError::into_inner);
        let has_login = request.headers.iter().any(|(name, _)| name == "Authorization");
        if has_login {
            protected.insert(request.path.clone());
        }
        !has_login && protected.contains(&request.path)
    }
}

#[async_trait]
impl Client for FakeClient {
    async fn measure(
        &self,
        spec: &CellSpec,
        progress: UnboundedSender<LoadProgress>,
        cancel: CancellationToken,
    ) -> Result<Measurement, LoadError> {
        let call = self.measured.fetch_add(1, Ordering::SeqCst) + 1;
        match self.script.measure_faults.get(&call) {
            None => {}
            Some(Fault::Hang) => cancel.cancelled().await,
            Some(Fault::Cancelled) => return Err(LoadError::Cancelled),
            Some(Fault::Descriptors) => {
                return Err(LoadError::TooFewDescriptors { connections: spec.connections, limit: 64 });
            }
            Some(_) => {
                let source = io::Error::other("the script says so");
                return Err(LoadError::Engine { doing: "go on", source });
            }
        }
        let measurement = numbers::measurement(&self.script, spec, call);
        let (rate, good_rate) = (measurement.throughput(), measurement.goodput());
        for (warming_up, share) in [(!spec.warm_up.is_zero(), 0.1), (false, 1.0)] {
            // Nobody listening is no reason to stop.
            let _ = progress.send(LoadProgress { warming_up, share, rate, good_rate });
        }
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(LoadError::Cancelled),
            () = tokio::time::sleep(CELL) => Ok(measurement),
        }
    }

    async fn fetch(&self, request: &FetchRequest) -> Result<Answer, LoadError> {
        let call = self.fetched.fetch_add(1, Ordering::SeqCst) + 1;
        let (address, path) = (request.address, request.path.clone());
        match self.script.fetch_faults.get(&call) {
            None if self.refuses(request) => Ok(refusal()),
            None => Ok(answer(self.script.body.as_deref())),
            Some(Fault::BadAnswer) => {
                Err(LoadError::BadAnswer { address, path, what: "the script says so".to_owned() })
            }
            Some(Fault::Hang) => {
                tokio::time::sleep(request.at_most).await;
                Err(LoadError::NoAnswer { address, path, source: io::ErrorKind::TimedOut.into() })
            }
            Some(_) => {
                Err(LoadError::NoAnswer { address, path, source: io::ErrorKind::ConnectionRefused.into() })
            }
        }
    }

    async fn exchange(
        &self,
        _address: SocketAddr,
        _send: &[u8],
        _at_most: Duration,
    ) -> Result<Vec<u8>, LoadError> {
        Ok(Vec::new())
    }
}

fn refusal() -> Answer {
    Answer {
        status: 401,
        head: "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0".to_owned(),
        body: Vec::new(),
    }
}

/// A page that is JSON enough for a status check and HTML enough for a page check.
fn answer(body: Option<&str>) -> Answer {
    let said = body.unwrap_or("It works");
    // Long enough for any `min_bytes` a scenario of the project asks for.
    let filling = "<p>nothing to see</p>".repeat(100);
    let body = format!("{{\"status\": \"up\"}}\n<!doctype html><html><body>{said}{filling}</body></html>\n")
        .into_bytes();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}", body.len());
    Answer { status: 200, head, body }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::time::Duration;

    use tokio::sync::mpsc::unbounded_channel;
    use tokio_util::sync::CancellationToken;

    use super::FakeClient;
    use crate::loadgen::contract::CellSpec;
    use crate::loadgen::contract::Client as _;
    use crate::loadgen::contract::FetchRequest;
    use crate::loadgen::error::LoadError;
    use crate::model::load::Expect;
    use crate::model::load::Extent;
    use crate::model::measurement::Measurement;
    use crate::model::measurement::Outcome;

    fn spec(addresses: u8, connections: u32, extent: Extent) -> CellSpec {
        CellSpec {
            addresses: (1..=addresses).map(|last| SocketAddr::from(([10, 0, 0, last], 80))).collect(),
            host: "h".to_owned(),
            path: "/".to_owned(),
            headers: Vec::new(),
            connections,
            keep_alive: true,
            warm_up: Duration::from_secs(2),
            extent,
            timeout: Duration::from_secs(10),
            expect: Expect::default(),
        }
    }

    async fn measure(script: &str, spec: &CellSpec) -> Result<Measurement, LoadError> {
        let client = FakeClient::new(script.parse().unwrap());
        client.measure(spec, unbounded_channel().0, CancellationToken::new()).await
    }

    const TEN: Extent = Extent::Duration(Duration::from_secs(10));

    #[tokio::test]
    async fn throughput_follows_connections_then_capacity() {
        let script = "capacity 40; latency 100ms";
        assert_eq!(measure(script, &spec(1, 2, TEN)).await.unwrap().completed, 200);
        assert_eq!(measure(script, &spec(1, 20, TEN)).await.unwrap().completed, 400);
        assert_eq!(measure(script, &spec(3, 20, TEN)).await.unwrap().completed, 1200);
        let mean = measure(script, &spec(1, 20, TEN)).await.unwrap().latency_s_mean().unwrap();
        assert!((mean - 0.5).abs() < 0.001, "{mean}");
    }

    #[tokio::test]
    async fn all_numbers_agree() {
        let requests = Extent::Requests(1001);
        for (extent, script) in [(TEN, "errors 0.25; noise 0.1"), (requests, "capacity 3; latency 1s")] {
            let seen = measure(script, &spec(1, 33, extent)).await.unwrap();
            assert_eq!(seen.outcomes.values().sum::<u64>(), seen.completed);
            assert_eq!(seen.per_second.iter().map(|second| second.completed).sum::<u64>(), seen.completed);
            assert_eq!(seen.per_second.iter().map(|second| second.good).sum::<u64>(), seen.good);
            let latency: u64 = seen.per_second.iter().map(|second| second.latency_us_sum).sum();
            assert_eq!(latency, seen.latency_us_sum);
            assert!(seen.generator.in_flight_mean <= 33.0 && seen.generator.in_flight_mean > 20.0);
        }
        let late = measure("capacity 3", &spec(1, 33, requests)).await.unwrap();
        assert_eq!(late.completed, 1001);
        assert!(late.outcomes[&Outcome::TimedOut] > 300);
    }

    #[tokio::test]
    async fn the_same_script_gives_the_same_numbers_and_another_seed_others() {
        let cell = spec(1, 50, TEN);
        let first = measure("noise 0.1; seed 1", &cell).await.unwrap();
        assert_eq!(measure("noise 0.1; seed 1", &cell).await.unwrap(), first);
        assert_ne!(measure("noise 0.1; seed 2", &cell).await.unwrap().completed, first.completed);
    }

    #[tokio::test]
    async fn faults_happen_on_their_call() {
        let client = FakeClient::new("fail measure 2; hang measure 3; fail fetch 1".parse().unwrap());
        let cell = spec(1, 1, TEN);
        let cancel = CancellationToken::new();
        assert!(client.measure(&cell, unbounded_channel().0, cancel.clone()).await.is_ok());
        let second = client.measure(&cell, unbounded_channel().0, cancel.clone()).await;
        assert!(matches!(second, Err(LoadError::Engine { .. })));
        let hanging = client.measure(&cell, unbounded_channel().0, cancel.clone());
        let (third, ()) = tokio::join!(hanging, async { cancel.cancel() });
        assert!(matches!(third, Err(LoadError::Cancelled)));
        let request = FetchRequest {
            address: cell.addresses[0],
            host: "h".to_owned(),
            path: "/".to_owned(),
            headers: Vec::new(),
            at_most: Duration::from_secs(1),
            body_bytes_max: 1000,
        };
        assert!(matches!(client.fetch(&request).await, Err(LoadError::NoAnswer { .. })));
        assert!(String::from_utf8(client.fetch(&request).await.unwrap().body).unwrap().contains("</html>"));
    }
}
