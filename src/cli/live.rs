//! Progress on a terminal: one line a node while it is built, a bar while it is measured. Draws at most once a second
//! while measuring, since every redraw takes CPU from the machine that generates the load.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::output;
use crate::model::event::{Event, Phase};
use crate::model::unit::show_duration;

/// Redraws a second while nothing is measured.
const REDRAWS_PER_SECOND: u8 = 4;
/// Parts of a cell's bar.
const PARTS: u64 = 1_000;

/// The lines that change in place.
pub struct Live {
    all: MultiProgress,
    lines: BTreeMap<String, ProgressBar>,
    cell: Option<ProgressBar>,
    drawn: Option<Instant>,
    /// When everything is expected to be measured.
    end: Option<Instant>,
}

impl Live {
    /// An empty display.
    #[must_use]
    pub fn new() -> Self {
        Self::on(ProgressDrawTarget::stderr_with_hz(REDRAWS_PER_SECOND))
    }

    fn on(target: ProgressDrawTarget) -> Self {
        Self {
            all: MultiProgress::with_draw_target(target),
            lines: BTreeMap::new(),
            cell: None,
            drawn: None,
            end: None,
        }
    }

    /// Shows an event, and the line that stays when it has one.
    pub fn show(&mut self, event: &Event, line: Option<&str>) {
        match event {
            Event::NodeDoing { node, doing } | Event::ImageStep { image: node, doing } => {
                self.named(node).set_message(format!("{node}: {doing}"));
            }
            Event::NodeDone { node } => {
                if let Some(bar) = self.lines.remove(node) {
                    bar.finish_and_clear();
                }
            }
            // Services change between cells: the cell's bar outlives that.
            Event::PhaseEnded { phase, .. } if *phase != Phase::Measure => self.remove_nodes(),
            Event::PhaseEnded { .. } => self.remove_lines(),
            Event::CellStarted { round, rounds, cell, cells, variant, level, left } => {
                let words = format!("round {round}/{rounds}, cell {cell}/{cells}: {variant} at {level}");
                self.end = Instant::now().checked_add(*left);
                let message = self.time_left();
                let bar = self.cell_bar();
                bar.set_prefix(words);
                bar.set_position(0);
                bar.set_message(message);
                self.drawn = None;
            }
            Event::CellProgress { share, rate, good_rate, warming_up } => {
                let what = if *warming_up { "warming up, " } else { "" };
                let words = format!("{}, {what}{good_rate:.0} good/s of {rate:.0}/s", self.time_left());
                let position = (share.clamp(0.0, 1.0) * PARTS as f64) as u64;
                self.once_a_second(|bar| {
                    bar.set_message(words);
                    bar.set_position(position);
                });
            }
            Event::CellDraining { waited } => {
                let waited = show_duration(whole_seconds(*waited));
                let words = format!("{}, draining for {waited}", self.time_left());
                self.once_a_second(|bar| bar.set_message(words));
            }
            Event::CellEnded { .. } | Event::PhaseStarted { .. } | Event::Note(_) | Event::Warning(_) => {}
        }
        if let Some(line) = line {
            let _ = self.all.println(output::visible(line));
        }
    }

    /// Takes every changing line away.
    pub fn clear(mut self) {
        self.remove_lines();
        let _ = self.all.clear();
    }

    fn named(&mut self, name: &str) -> &ProgressBar {
        let all = &self.all;
        self.lines.entry(name.to_owned()).or_insert_with(|| {
            let style = ProgressStyle::with_template("  {wide_msg}").expect("the template is a constant");
            all.add(ProgressBar::new_spinner().with_style(style))
        })
    }

    fn cell_bar(&mut self) -> &ProgressBar {
        let all = &self.all;
        self.cell.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("  {prefix} [{bar:20}] {wide_msg}")
                .expect("the template is a constant")
                .progress_chars("=> ");
            all.add(ProgressBar::new(PARTS).with_style(style))
        })
    }

    /// Of the whole run, by the estimate made when the cell began.
    fn time_left(&self) -> String {
        let left = self.end.map_or(Duration::ZERO, |end| end.saturating_duration_since(Instant::now()));
        format!("{} left", show_duration(whole_seconds(left)))
    }

    fn once_a_second(&mut self, change: impl FnOnce(&ProgressBar)) {
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < Duration::from_secs(1)) {
            return;
        }
        if let Some(bar) = &self.cell {
            change(bar);
            self.drawn = Some(Instant::now());
        }
    }

    fn remove_nodes(&mut self) {
        for bar in std::mem::take(&mut self.lines).into_values() {
            bar.finish_and_clear();
        }
    }

    fn remove_lines(&mut self) {
        self.remove_nodes();
        if let Some(bar) = self.cell.take() {
            bar.finish_and_clear();
        }
    }
}

/// Fractions of a second tell nothing here.
const fn whole_seconds(duration: Duration) -> Duration {
    Duration::from_secs(duration.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(phase: Phase) -> Event {
        Event::PhaseEnded { phase, took: Duration::ZERO }
    }

    #[test]
    fn the_bar_of_a_cell_is_there_until_measuring_ends() {
        let mut live = Live::on(ProgressDrawTarget::hidden());
        live.show(
            &Event::CellStarted {
                round: 1,
                rounds: 3,
                cell: 2,
                cells: 9,
                variant: "two".to_owned(),
                level: "24".to_owned(),
                left: Duration::from_secs(90),
            },
            None,
        );
        let doing = Event::NodeDoing { node: "web1".to_owned(), doing: "start web1.nginx".to_owned() };
        live.show(&doing, None);
        live.show(&ended(Phase::Services), None);
        assert!(live.lines.is_empty());
        live.show(&Event::CellProgress { share: 0.5, rate: 80.0, good_rate: 78.0, warming_up: false }, None);
        let bar = live.cell.as_ref().unwrap();
        assert_eq!(bar.prefix(), "round 1/3, cell 2/9: two at 24");
        assert_eq!(bar.position(), PARTS / 2);
        assert!(bar.message().ends_with(" left, 78 good/s of 80/s"), "{}", bar.message());
        live.show(&ended(Phase::Measure), None);
        assert!(live.cell.is_none());
    }
}
