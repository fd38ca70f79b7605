//! What the engine's threads share: when the window begins and ends, who may still count, who must stop.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use crate::model::load::Extent;

/// Whether a request that ended may be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// It counts, and more may follow.
    Counts,
    /// It counts and ends the window.
    IsTheLast,
    /// The window had all its requests.
    TooLate,
}

/// Times are nanoseconds since `origin`, the moment the load began.
#[derive(Debug)]
pub struct Window {
    origin: Instant,
    start_ns: u64,
    end_ns: AtomicU64,
    quota: Option<u64>,
    claimed: AtomicU64,
    stopped: AtomicBool,
    completed: AtomicU64,
    good: AtomicU64,
}

impl Window {
    /// A window that begins after `warm_up`, counted from now.
    #[must_use]
    pub fn new(warm_up: Duration, extent: Extent) -> Self {
        let start_ns = nanoseconds(warm_up);
        let (end_ns, quota) = match extent {
            Extent::Duration(length) => (start_ns.saturating_add(nanoseconds(length)), None),
            Extent::Requests(0) => (start_ns, Some(0)),
            Extent::Requests(count) => (u64::MAX, Some(count)),
        };
        Self {
            origin: Instant::now(),
            start_ns,
            end_ns: AtomicU64::new(end_ns),
            quota,
            claimed: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            completed: AtomicU64::new(0),
            good: AtomicU64::new(0),
        }
    }

    /// Nanoseconds since the load began.
    pub fn now_ns(&self) -> u64 {
        nanoseconds(self.origin.elapsed())
    }

    /// When the window begins.
    #[must_use]
    pub fn start_ns(&self) -> u64 {
        self.start_ns
    }

    /// When it ends; `u64::MAX` while that depends on requests still to come.
    pub fn end_ns(&self) -> u64 {
        self.end_ns.load(Ordering::Acquire)
    }

    /// Asks to count a request that ended at `at_ns` inside the window. The last one of a fixed number ends the window.
    pub fn claim(&self, at_ns: u64) -> Claim {
        let Some(quota) = self.quota else { return Claim::Counts };
        let place = self.claimed.fetch_add(1, Ordering::AcqRel) + 1;
        if place == quota {
            self.end_ns.store(at_ns, Ordering::Release);
        }
        match place.cmp(&quota) {
            std::cmp::Ordering::Less => Claim::Counts,
            std::cmp::Ordering::Equal => Claim::IsTheLast,
            std::cmp::Ordering::Greater => Claim::TooLate,
        }
    }

    /// Ends the load before its time.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    /// Whether it was ended before its time.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Adds a thread's newly ended requests (warm-up included) to the totals that progress is made of.
    pub fn add_progress(&self, completed: u64, good: u64) {
        self.completed.fetch_add(completed, Ordering::Relaxed);
        self.good.fetch_add(good, Ordering::Relaxed);
    }

    /// Requests that ended so far, warm-up included: completed and good.
    #[must_use]
    pub fn totals(&self) -> (u64, u64) {
        (self.completed.load(Ordering::Relaxed), self.good.load(Ordering::Relaxed))
    }

    /// Share done, 0–1: of the time, or of the requests once the warm-up is over.
    #[must_use]
    pub fn share(&self) -> f64 {
        let now = self.now_ns() as f64;
        let (done, whole) = match self.quota {
            None => (now, self.end_ns() as f64),
            Some(quota) => (self.claimed.load(Ordering::Relaxed) as f64, quota as f64),
        };
        if whole > 0.0 { (done / whole).clamp(0.0, 1.0) } else { 1.0 }
    }
}

/// Nanoseconds; half a millennium is the most.
pub fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Claim;
    use super::Window;
    use crate::model::load::Extent;

    #[test]
    fn a_fixed_number_is_granted_exactly_that_often() {
        let window = Window::new(Duration::ZERO, Extent::Requests(3));
        let granted: Vec<Claim> = (1..=5).map(|at| window.claim(at)).collect();
        let late = Claim::TooLate;
        assert_eq!(granted, [Claim::Counts, Claim::Counts, Claim::IsTheLast, late, late]);
        assert_eq!(window.end_ns(), 3);
        assert!((window.share() - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_fixed_time_is_granted_always_and_ends_on_time() {
        let window = Window::new(Duration::from_secs(2), Extent::Duration(Duration::from_secs(3)));
        assert!((1..=10).all(|at| window.claim(at) == Claim::Counts));
        assert_eq!((window.start_ns(), window.end_ns()), (2_000_000_000, 5_000_000_000));
    }

    #[test]
    fn nothing_to_do_is_done_at_once() {
        let window = Window::new(Duration::ZERO, Extent::Requests(0));
        assert_eq!(window.end_ns(), 0);
        assert_eq!(window.claim(1), Claim::TooLate);
    }
}
