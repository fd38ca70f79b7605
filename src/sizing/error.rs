//! What can go wrong with a worker budget.

use crate::model::unit::ByteSize;

/// A budget that cannot be divided into workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SizingError {
    /// A worker of no size.
    #[error("a worker of 0 bytes says nothing about how many fit")]
    WorkerWithoutSize,
    /// Less than one worker.
    #[error("a budget of {budget} does not hold one worker of {worker}")]
    BudgetUnderOneWorker {
        /// Memory for all workers.
        budget: ByteSize,
        /// Memory of one.
        worker: ByteSize,
    },
}

impl SizingError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::WorkerWithoutSize => {
                Some("write the size of one worker under load, for example `400MB/32MB`".to_owned())
            }
            Self::BudgetUnderOneWorker { worker, .. } => {
                Some(format!("give the workers at least {worker}, or write the number of workers"))
            }
        }
    }
}
