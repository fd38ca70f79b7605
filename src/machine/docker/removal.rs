//! Removing from an engine that is busy: what is gone already is as good as removed, what cannot go yet is tried again.
//! What is removed is not known here.

use std::future::Future;
use std::time::Duration;

use crate::machine::docker::engine::Engine;
use crate::machine::docker::engine::status_of;
use crate::machine::error::MachineError;

/// Removing takes long when much was written or the engine is busy.
const REMOVAL: Duration = Duration::from_secs(60);
/// Time between two attempts.
const PAUSE: Duration = Duration::from_millis(250);

/// Acts until it succeeds, at most so many times.
///
/// # Errors
/// The last attempt's.
pub async fn retried<F: Future<Output = Result<(), MachineError>>>(
    times: u32,
    act: impl Fn() -> F,
) -> Result<(), MachineError> {
    let mut last = act().await;
    for _ in 1..times {
        if last.is_ok() {
            break;
        }
        tokio::time::sleep(PAUSE).await;
        last = act().await;
    }
    last
}

/// One attempt; what is not there any more is as good as removed.
///
/// # Errors
/// [`MachineError::Engine`].
pub async fn gone(
    engine: &Engine,
    doing: &str,
    removal: impl Future<Output = Result<(), bollard::errors::Error>>,
) -> Result<(), MachineError> {
    let softened = async {
        match removal.await {
            Err(error) if status_of(&error) == Some(404) => Ok(()),
            other => other,
        }
    };
    engine.call(doing, REMOVAL, softened).await
}
