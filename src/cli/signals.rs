//! Ctrl-C and its relatives: the first signal cancels, the second says that teardown still runs, the third leaves.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::WeakUnboundedSender;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::terminal;
use crate::model::event::Event;

/// What becomes of the lab when its verb is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is taken down: this verb builds it.
    TakenDown,
    /// It stays as it is: this verb looks at it, or does one thing to it.
    Stays,
}

/// The lab that would be left behind; unknown until a verb says so.
#[derive(Debug, Clone, Default)]
pub struct LabName(Arc<Mutex<Option<(String, Fate)>>>);

impl LabName {
    /// Remembers it.
    pub fn set(&self, name: &str, fate: Fate) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((name.to_owned(), fate));
    }

    fn get(&self) -> Option<(String, Fate)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Listens until aborted.
///
/// # Errors
/// When the handlers cannot be installed.
pub fn watch(
    cancel: CancellationToken,
    lab: LabName,
    events: WeakUnboundedSender<Event>,
) -> std::io::Result<JoinHandle<()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = if hang_up_is_ignored() { None } else { Some(signal(SignalKind::hangup())?) };
    Ok(tokio::spawn(async move {
        let mut seen = 0_u32;
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                () = next(hang_up.as_mut()) => {}
            }
            seen += 1;
            cancel.cancel();
            let lab = lab.get();
            let lab = lab.as_ref().map(|(name, fate)| (name.as_str(), *fate));
            let words = answer(seen, lab);
            if seen >= 3 {
                terminal::restore();
                output::say(&words);
                std::process::exit(i32::from(Exit::Interrupted.code()));
            }
            if let Some(events) = events.upgrade().filter(|_| !words.is_empty()) {
                let _ = events.send(Event::Warning(words));
            }
        }
    }))
}

/// What is said at the n-th signal; nothing where ending is all there is to do, as with `logs --follow`.
fn answer(seen: u32, lab: Option<(&str, Fate)>) -> String {
    match (seen, lab) {
        (1, Some((_, Fate::Stays))) => String::new(),
        (2, Some((_, Fate::Stays))) => {
            "the last command is still ending; once more leaves at once".to_owned()
        }
        (1, _) => "interrupted: ending what runs and taking down what was built".to_owned(),
        (2, _) => {
            "teardown is still running and ends by itself; once more leaves at once and leaves things behind"
                .to_owned()
        }
        (_, Some((_, Fate::Stays))) => "error: left at once".to_owned(),
        (_, Some((lab, Fate::TakenDown))) => format!(
            "error: left at once; nodes and networks of lab {lab} may be left behind\n\
             hint: `benchtop down --lab {lab}` removes them"
        ),
        (_, None) => "error: left at once\nhint: `benchtop down --all` removes what may be left".to_owned(),
    }
}

async fn next(signal: Option<&mut Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// `nohup` starts its program with SIGHUP ignored, and that must stay so.
fn hang_up_is_ignored() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores_hang_up(&status))
}

/// Reads the `SigIgn` mask of `/proc/PID/status`: signal 1 is its lowest bit.
fn ignores_hang_up(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_third_signal_says_how_to_clean_up() {
        let demo = Some(("demo", Fate::TakenDown));
        assert!(!answer(1, demo).contains("benchtop down"));
        assert!(answer(2, demo).contains("still running"));
        assert!(answer(3, demo).contains("benchtop down --lab demo"));
        assert!(answer(3, None).contains("benchtop down --all"));
    }

    #[test]
    fn nobody_is_told_that_a_lab_is_taken_down_when_it_stays() {
        for seen in 1..=3 {
            let words = answer(seen, Some(("demo", Fate::Stays)));
            assert!(!words.contains("tak") && !words.contains("teardown"), "{words}");
        }
        assert_eq!(answer(1, Some(("demo", Fate::Stays))), "");
    }

    #[test]
    fn an_ignored_hang_up_is_read_from_the_mask() {
        assert!(ignores_hang_up("Name:\tx\nSigIgn:\t0000000000001001\n"));
        assert!(!ignores_hang_up("SigIgn:\t0000000000001000\n"));
        assert!(!ignores_hang_up(""));
    }
}
