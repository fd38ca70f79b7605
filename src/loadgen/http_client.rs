//! The real client: measures with the load engine, and makes single requests.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::loadgen::contract::Answer;
use crate::loadgen::contract::CellSpec;
use crate::loadgen::contract::Client;
use crate::loadgen::contract::FetchRequest;
use crate::loadgen::contract::LoadProgress;
use crate::loadgen::engine;
use crate::loadgen::error::LoadError;
use crate::loadgen::single;
use crate::model::measurement::Measurement;

/// The client that really connects. Needs a tokio runtime; the load itself runs on threads of the engine.
#[derive(Debug, Clone, Copy, Default)]
pub struct HttpClient;

impl HttpClient {
    /// A client; it has no state.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

/// Stops the engine when the future that waits for it is dropped.
struct StopOnDrop(Arc<engine::Window>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Turns the engine's totals into progress, one difference at a time.
struct ProgressMeter {
    warm_up_ns: u64,
    last_ns: u64,
    last_totals: (u64, u64),
}

impl ProgressMeter {
    fn tell(&mut self, window: &engine::Window, progress: &UnboundedSender<LoadProgress>) {
        let (now_ns, totals) = (window.now_ns(), window.totals());
        let seconds = now_ns.saturating_sub(self.last_ns).max(1) as f64 / 1.0e9;
        let told = LoadProgress {
            warming_up: now_ns < self.warm_up_ns,
            share: window.share(),
            rate: (totals.0 - self.last_totals.0) as f64 / seconds,
            good_rate: (totals.1 - self.last_totals.1) as f64 / seconds,
        };
        (self.last_ns, self.last_totals) = (now_ns, totals);
        // Nobody listening is no reason to stop measuring.
        let _ = progress.send(told);
    }
}

#[async_trait]
impl Client for HttpClient {
    async fn measure(
        &self,
        spec: &CellSpec,
        progress: UnboundedSender<LoadProgress>,
        cancel: CancellationToken,
    ) -> Result<Measurement, LoadError> {
        engine::ensure_descriptors(spec.connections)?;
        let window = Arc::new(engine::Window::new(spec.warm_up, spec.extent));
        let guard = StopOnDrop(Arc::clone(&window));
        let (of_thread, cell) = (Arc::clone(&window), spec.clone());
        let mut running = tokio::task::spawn_blocking(move || engine::run(&cell, &of_thread));
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        tick.tick().await;
        let mut meter = ProgressMeter { warm_up_ns: window.start_ns(), last_ns: 0, last_totals: (0, 0) };
        let joined = loop {
            tokio::select! {
                biased;
                joined = &mut running => break joined,
                () = cancel.cancelled(), if !window.is_stopped() => window.stop(),
                _ = tick.tick() => meter.tell(&window, &progress),
            }
        };
        drop(guard);
        match joined {
            Ok(result) => result,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(LoadError::Cancelled),
        }
    }

    async fn fetch(&self, request: &FetchRequest) -> Result<Answer, LoadError> {
        single::fetch(request).await
    }

    async fn exchange(
        &self,
        address: SocketAddr,
        send: &[u8],
        at_most: Duration,
    ) -> Result<Vec<u8>, LoadError> {
        single::exchange(address, send, at_most).await
    }
}
