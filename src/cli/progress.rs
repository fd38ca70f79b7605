//! Shows events on standard error: live lines on a terminal (`live`), plain lines per phase and cell elsewhere.

use std::io::IsTerminal;

use tokio::sync::mpsc::UnboundedReceiver;

use crate::cli::live::Live;
use crate::cli::output;
use crate::cli::session::Voice;
use crate::model::event::{Event, Phase};
use crate::model::unit::show_duration;

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Lines that change in place.
    Live,
    /// One line a phase and a cell.
    Plain,
    /// Warnings only.
    Quiet,
}

impl Manner {
    /// Live on a terminal that can move its cursor, plain elsewhere.
    #[must_use]
    pub fn choose(voice: Voice) -> Self {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        match voice {
            Voice::Quiet => Self::Quiet,
            Voice::Normal if std::io::stderr().is_terminal() && !dumb => Self::Live,
            Voice::Normal => Self::Plain,
        }
    }
}

/// Shows events until every sender is gone.
pub async fn show(mut events: UnboundedReceiver<Event>, manner: Manner) {
    let mut live = (manner == Manner::Live).then(Live::new);
    let mut words = Words::default();
    while let Some(event) = events.recv().await {
        let line = words.line(&event);
        match &mut live {
            Some(live) => live.show(&event, line.as_deref()),
            None => {
                let wanted = manner == Manner::Plain || matches!(event, Event::Warning(_));
                if let Some(line) = line.filter(|_| wanted) {
                    output::say(&line);
                }
            }
        }
    }
    if let Some(live) = live {
        live.clear();
    }
}

/// Turns events into lines that stay; remembers the cell that is measured.
#[derive(Debug, Default)]
struct Words {
    cell: String,
    measuring: bool,
}

impl Words {
    /// The line for an event, if it deserves one that stays.
    fn line(&mut self, event: &Event) -> Option<String> {
        match event {
            // Changing to another variant is a part of its cell.
            Event::PhaseStarted { phase, .. } | Event::PhaseEnded { phase, .. }
                if self.measuring && *phase != Phase::Measure =>
            {
                None
            }
            Event::PhaseStarted { phase: Phase::Measure, steps } => {
                self.measuring = true;
                Some(format!("{} … ({steps} cells)", phase_name(Phase::Measure)))
            }
            Event::PhaseEnded { phase: Phase::Measure, took } => {
                self.measuring = false;
                Some(format!("{} done in {}", phase_name(Phase::Measure), show_duration(*took)))
            }
            Event::PhaseStarted { phase, steps: 0 } => Some(format!("{} …", phase_name(*phase))),
            Event::PhaseStarted { phase, steps } => Some(format!("{} … ({steps})", phase_name(*phase))),
            Event::PhaseEnded { phase, took } => {
                Some(format!("{} done in {}", phase_name(*phase), show_duration(*took)))
            }
            Event::CellStarted { round, rounds, cell, cells, .. } => {
                self.cell = format!("round {round}/{rounds}, cell {cell}/{cells}");
                None
            }
            Event::CellEnded { variant, level, goodput, throughput } => {
                Some(format!("{}: {variant} at {level}: {goodput:.1} good/s of {throughput:.1}/s", self.cell))
            }
            Event::Note(text) => Some(format!("note: {text}")),
            Event::Warning(text) => Some(format!("warning: {text}")),
            Event::NodeDoing { .. }
            | Event::NodeDone { .. }
            | Event::ImageStep { .. }
            | Event::CellProgress { .. }
            | Event::CellDraining { .. } => None,
        }
    }
}

/// A phase in a person's words.
pub const fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Preflight => "looking at the engine",
        Phase::Images => "images",
        Phase::Nodes => "nodes",
        Phase::Services => "services",
        Phase::Measure => "measuring",
        Phase::Evidence => "evidence",
        Phase::Report => "report",
        Phase::Teardown => "taking down",
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_cell_gets_one_line_with_good_before_all() {
        let mut words = Words::default();
        let started = Event::CellStarted {
            round: 2,
            rounds: 5,
            cell: 4,
            cells: 15,
            variant: "two".to_owned(),
            level: "24".to_owned(),
            left: Duration::from_secs(60),
        };
        assert_eq!(words.line(&started), None);
        let progress = Event::CellProgress { share: 0.5, rate: 80.0, good_rate: 80.0, warming_up: false };
        assert_eq!(words.line(&progress), None);
        let ended = Event::CellEnded {
            variant: "two".to_owned(),
            level: "24".to_owned(),
            goodput: 78.0,
            throughput: 80.0,
        };
        assert_eq!(words.line(&ended).unwrap(), "round 2/5, cell 4/15: two at 24: 78.0 good/s of 80.0/s");
    }

    #[test]
    fn warnings_say_so_in_words() {
        let line = Words::default().line(&Event::Warning("little memory".to_owned()));
        assert_eq!(line.unwrap(), "warning: little memory");
    }
}
