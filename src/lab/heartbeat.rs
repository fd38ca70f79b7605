//! Notices when benchtop itself stands still (stopped, or starved of CPU) while it measures: the load stops with it, and
//! the numbers of such a window say nothing about the lab.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::task::AbortOnDropHandle;

/// Time between two beats.
const BEAT: Duration = Duration::from_millis(50);
/// A beat that is later than this is a standstill.
const LATE: Duration = Duration::from_millis(500);

/// Beats for as long as it lives.
pub(crate) struct Heartbeat {
    pulse: Arc<Mutex<Pulse>>,
    _task: AbortOnDropHandle<()>,
}

impl Heartbeat {
    /// Begins to beat.
    pub(crate) fn start() -> Self {
        let pulse = Arc::new(Mutex::new(Pulse { last: Instant::now(), late: Vec::new() }));
        let beaten = Arc::clone(&pulse);
        let task = tokio::spawn(async move {
            loop {
                tokio::time::sleep(BEAT).await;
                beaten.lock().unwrap_or_else(PoisonError::into_inner).beat(Instant::now());
            }
        });
        Self { pulse, _task: AbortOnDropHandle::new(task) }
    }

    /// The longest standstill that reached into the time between `from` and `to`, if there was one.
    pub(crate) fn standstill(&self, from: Instant, to: Instant) -> Option<Duration> {
        let mut pulse = self.pulse.lock().unwrap_or_else(PoisonError::into_inner);
        // The end of a window may be seen before the beat that was due.
        pulse.beat(Instant::now());
        let inside = |(began, ended): &(Instant, Instant)| {
            (*ended).min(to).saturating_duration_since((*began).max(from))
        };
        pulse.late.iter().map(inside).max().filter(|longest| *longest >= LATE)
    }
}

/// When the last beat was, and every time without one that was too long.
struct Pulse {
    last: Instant,
    late: Vec<(Instant, Instant)>,
}

impl Pulse {
    fn beat(&mut self, now: Instant) {
        if now.saturating_duration_since(self.last) >= LATE {
            self.late.push((self.last, now));
        }
        self.last = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heart(beats_ms: &[u64]) -> (Heartbeat, Instant) {
        let start = Instant::now();
        let mut pulse = Pulse { last: start, late: Vec::new() };
        for beat in beats_ms {
            pulse.beat(start + Duration::from_millis(*beat));
        }
        let heart = Heartbeat {
            pulse: Arc::new(Mutex::new(pulse)),
            _task: AbortOnDropHandle::new(tokio::spawn(std::future::ready(()))),
        };
        (heart, start)
    }

    #[tokio::test]
    async fn a_late_beat_inside_the_window_is_a_standstill_and_one_before_it_is_not() {
        let ms = Duration::from_millis;
        let (heart, start) = heart(&[50, 100, 4100, 4150, 4800]);
        assert_eq!(heart.standstill(start, start + ms(4800)), Some(ms(4000)));
        assert_eq!(heart.standstill(start + ms(1100), start + ms(4800)), Some(ms(3000)));
        assert_eq!(heart.standstill(start + ms(4100), start + ms(4800)), Some(ms(650)));
        assert_eq!(heart.standstill(start + ms(4700), start + ms(4800)), None);
    }

    #[tokio::test]
    async fn beats_on_time_are_no_standstill() {
        let (heart, start) = heart(&[50, 120, 180, 600]);
        assert_eq!(heart.standstill(start, start + Duration::from_millis(600)), None);
    }
}
