//! Rounds: every cell once a round in the drawn order; what is measured is on disk before the next cell begins.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::lab::cell::{Place, RunClock};
use crate::lab::error::LabError;
use crate::lab::observer::Observer;
use crate::lab::site::Site;
use crate::model::event::{Event, Phase};
use crate::model::measurement::Repetition;
use crate::model::run::RunRecord;
use crate::plan::{self, Cell};
use crate::store::RunFolder;

/// What is still to be measured, with the attempt number of each round.
pub(crate) struct Remaining {
    pub cells: Vec<Cell>,
    pub all: usize,
    pub attempts: BTreeMap<u32, u32>,
}

/// Compares what was planned with what is on disk. A round that is not whole is measured anew.
pub(crate) fn remaining(
    planned: Vec<Cell>,
    measured: &[Repetition],
    mut supersede: impl FnMut(u32) -> Result<u32, LabError>,
) -> Result<Remaining, LabError> {
    let done: BTreeSet<(u32, &str, &str)> =
        measured.iter().map(|line| (line.round, line.variant.as_str(), line.level.as_str())).collect();
    let missing: BTreeSet<u32> = planned
        .iter()
        .filter(|cell| !done.contains(&(cell.round, cell.variant.as_str(), cell.level.as_str())))
        .map(|cell| cell.round)
        .collect();
    let all = planned.len();
    let mut attempts = BTreeMap::new();
    for round in &missing {
        attempts.insert(*round, supersede(*round)?);
    }
    let cells = planned.into_iter().filter(|cell| missing.contains(&cell.round)).collect();
    Ok(Remaining { cells, all, attempts })
}

impl Site<'_> {
    /// Measures what remains, writing each repetition down as it comes.
    pub(crate) async fn measure_all(
        &mut self,
        folder: &RunFolder,
        record: &mut RunRecord,
        remaining: Remaining,
        clock: RunClock,
    ) -> Result<(), LabError> {
        let bench = self.bench;
        let started = Instant::now();
        bench.tell(Event::PhaseStarted { phase: Phase::Measure, steps: remaining.cells.len() as u64 });
        let mut observer = Observer::start(self);
        let estimate = plan::estimate(&self.experiment) / u32::try_from(remaining.all.max(1)).unwrap_or(1);
        let mut verified = BTreeSet::new();
        let cells = remaining.cells.len();
        for (index, cell) in remaining.cells.iter().enumerate() {
            let left = left(estimate, started.elapsed(), index, cells);
            bench.tell(Event::CellStarted {
                round: cell.round,
                rounds: self.experiment.repeat,
                cell: (remaining.all - cells + index + 1) as u64,
                cells: remaining.all as u64,
                variant: cell.variant.clone(),
                level: cell.level.clone(),
                left,
            });
            let known = verified.contains(&cell.variant);
            self.switch(&cell.variant, &mut observer, known).await?;
            if verified.insert(cell.variant.clone()) {
                self.prove(folder, record, &cell.variant, &observer).await?;
            }
            let place = Place {
                round: cell.round,
                order: cell.order,
                attempt: remaining.attempts.get(&cell.round).copied().unwrap_or(1),
                variant: cell.variant.clone(),
                level: cell.level.clone(),
            };
            let (repetition, telemetry) = self.measure_cell(&observer, &place, clock).await?;
            folder.append_telemetry(&telemetry)?;
            folder.append_repetition(&repetition)?;
            record.times = self.times.clone();
            record.elapsed_s = clock.elapsed_s(Instant::now());
            bench.tell(Event::CellEnded {
                variant: cell.variant.clone(),
                level: cell.level.clone(),
                goodput: repetition.measurement.goodput(),
                throughput: repetition.measurement.throughput(),
            });
        }
        bench.tell(Event::PhaseEnded { phase: Phase::Measure, took: started.elapsed() });
        Ok(())
    }

    /// Puts a variant in force; `known` when it was before in this session.
    async fn switch(&mut self, variant: &str, observer: &mut Observer, known: bool) -> Result<(), LabError> {
        let started = Instant::now();
        let bench = self.bench;
        let switched = self.state.variant != variant;
        bench.unless_cancelled(self.enter(variant)).await?;
        observer.follow(self);
        if switched || observer.watches_nothing() {
            let variant = self.variant(variant)?.clone();
            observer.watch_services(self, &variant);
        }
        let took_s = started.elapsed().as_secs_f64();
        self.times.switching_s += took_s;
        if switched && known {
            self.times.switches += 1;
            self.times.switch_s_max = self.times.switch_s_max.max(took_s);
        }
        Ok(())
    }

    /// The first time a variant is in force: verified, probed, its configuration and evidence kept.
    async fn prove(
        &mut self,
        folder: &RunFolder,
        record: &mut RunRecord,
        name: &str,
        observer: &Observer,
    ) -> Result<(), LabError> {
        let bench = self.bench;
        let started = Instant::now();
        let variant = &self.variant(name)?.clone();
        let busy_before = observer.samples.latest("busy_workers");
        let probe = bench.unless_cancelled(self.verify(variant)).await?;
        let kept = record.probes.contains_key(name);
        record.probes.entry(name.to_owned()).or_insert(probe);
        let verified = bench.unless_cancelled(self.verify_items(variant)).await?;
        if !kept {
            record.verified.extend(verified);
            bench.unless_cancelled(self.keep_evidence(folder, record, variant)).await?;
        }
        folder.write_record(record)?;
        self.drain(variant, &observer.samples, &busy_before).await?;
        self.times.verifying_s += started.elapsed().as_secs_f64();
        Ok(())
    }
}

/// Time left: the plan's estimate, which weighs as much as one cell, and the cells of this session. The first cell is slow,
/// since its services start with it: alone it would promise too much.
fn left(estimate: Duration, spent: Duration, done: usize, all: usize) -> Duration {
    let one = (estimate + spent) / u32::try_from(done + 1).unwrap_or(u32::MAX);
    one * u32::try_from(all - done).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::measurement::{Measurement, REPETITION_FORMAT};

    fn cell(round: u32, variant: &str) -> Cell {
        Cell { round, order: 1, variant: variant.to_owned(), level: "4".to_owned() }
    }

    fn line(round: u32, variant: &str) -> Repetition {
        Repetition {
            format: REPETITION_FORMAT,
            run: String::new(),
            round,
            order: 1,
            variant: variant.to_owned(),
            level: "4".to_owned(),
            attempt: 1,
            superseded: false,
            started_at: String::new(),
            started_after_s: 0.0,
            drain_s: 0.0,
            measurement: Measurement::default(),
            gates: Vec::new(),
            requests_logged: indexmap::IndexMap::new(),
        }
    }

    #[test]
    fn an_interrupted_round_is_measured_whole_again_and_no_other() {
        let planned =
            vec![cell(1, "a"), cell(1, "b"), cell(2, "a"), cell(2, "b"), cell(3, "a"), cell(3, "b")];
        let measured = [line(1, "a"), line(1, "b"), line(2, "a")];
        let mut superseded = Vec::new();
        let remaining = remaining(planned, &measured, |round| {
            superseded.push(round);
            Ok(if round == 2 { 2 } else { 1 })
        })
        .unwrap();
        let rounds: Vec<u32> = remaining.cells.iter().map(|cell| cell.round).collect();
        assert_eq!(rounds, [2, 2, 3, 3]);
        assert_eq!(superseded, [2, 3]);
        assert_eq!(remaining.attempts, BTreeMap::from([(2, 2), (3, 1)]));
    }

    #[test]
    fn the_time_left_follows_the_cells_measured() {
        let second = Duration::from_secs(1);
        assert_eq!(left(second * 4, Duration::ZERO, 0, 3), second * 12);
        assert_eq!(left(second * 4, second * 10, 1, 3), second * 14);
        assert_eq!(left(second * 4, second * 86, 9, 10), second * 9);
    }
}
