//! Workers from a memory budget. Nothing here knows a software by name.

use crate::model::unit::ByteSize;
use crate::sizing::error::SizingError;

/// How many workers fit: `floor(budget / worker)`, at least 1.
///
/// # Errors
/// When a worker has no size, or the budget holds less than one worker.
pub const fn workers_in_budget(budget: ByteSize, worker: ByteSize) -> Result<u64, SizingError> {
    if worker.bytes() == 0 {
        return Err(SizingError::WorkerWithoutSize);
    }
    match budget.bytes() / worker.bytes() {
        0 => Err(SizingError::BudgetUnderOneWorker { budget, worker }),
        workers => Ok(workers),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    #[test]
    fn four_hundred_mebibytes_hold_twelve_workers_of_thirty_two() {
        assert_eq!(workers_in_budget(ByteSize::mebibytes(400), ByteSize::mebibytes(32)), Ok(12));
    }

    #[test]
    fn a_budget_under_one_worker_is_an_error_and_never_zero() {
        let (budget, worker) = (ByteSize::mebibytes(31), ByteSize::mebibytes(32));
        let error = workers_in_budget(budget, worker).unwrap_err();
        assert_eq!(error.to_string(), "a budget of 31 MiB does not hold one worker of 32 MiB");
        assert!(error.hint().unwrap().contains("32 MiB"));
        assert_eq!(workers_in_budget(budget, ByteSize(0)), Err(SizingError::WorkerWithoutSize));
    }

    proptest! {
        #[test]
        fn the_workers_fit_and_one_more_would_not(budget in 1_u64..1 << 40, worker in 1_u64..1 << 34) {
            if let Ok(workers) = workers_in_budget(ByteSize(budget), ByteSize(worker)) {
                prop_assert!(workers >= 1);
                prop_assert!(workers * worker <= budget);
                prop_assert!((workers + 1) * worker > budget);
            } else {
                prop_assert!(budget < worker);
            }
        }
    }
}
