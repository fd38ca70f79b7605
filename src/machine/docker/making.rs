//! Things the engine is asked to make. It goes on making them when nobody waits any more, as after Ctrl-C: a removal must
//! wait for them, or it would overtake them and leave them behind. What is made is not known here.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::RwLock;
use tokio::task::JoinError;

/// What is being made right now. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Making(Arc<RwLock<()>>);

impl Making {
    /// Waits for `creation`, which runs to its end even when this is dropped.
    ///
    /// # Errors
    /// When `creation` panics.
    pub async fn finish<T: Send + 'static>(
        &self,
        creation: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, JoinError> {
        let held = Arc::clone(&self.0).read_owned().await;
        let task = tokio::spawn(async move {
            let made = creation.await;
            drop(held);
            made
        });
        task.await
    }

    /// Waits until nothing is being made, at most `limit`.
    pub async fn settled(&self, limit: Duration) {
        let _ = tokio::time::timeout(limit, self.0.write()).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn what_nobody_waits_for_is_still_made_before_things_are_settled() {
        let (making, made) = (Making::default(), Arc::new(AtomicBool::new(false)));
        let (begun, beginning) = oneshot::channel();
        let (end, ending) = oneshot::channel::<()>();
        let seen = Arc::clone(&made);
        let creation = making.finish(async move {
            let _ = begun.send(());
            let _ = ending.await;
            seen.store(true, Ordering::SeqCst);
        });
        tokio::select! {
            biased;
            _ = creation => unreachable!("it cannot end yet"),
            _ = beginning => {}
        }
        making.settled(Duration::from_millis(1)).await;
        assert!(!made.load(Ordering::SeqCst), "the limit holds");
        end.send(()).unwrap();
        making.settled(Duration::from_secs(60)).await;
        assert!(made.load(Ordering::SeqCst));
    }
}
