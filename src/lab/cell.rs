//! One cell: services verified healthy, warm-up and window on the same connections, what happened meanwhile, drain.

use std::time::{Duration, Instant};

use indexmap::IndexMap;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::task::AbortOnDropHandle;

use crate::lab::error::{Kind, LabError};
use crate::lab::heartbeat::Heartbeat;
use crate::lab::observer::{Observer, Sample};
use crate::lab::site::Site;
use crate::lab::target::resolve;
use crate::loadgen::LoadProgress;
use crate::machine::ServiceState;
use crate::model::event::Event;
use crate::model::measurement::{Gate, REPETITION_FORMAT, Repetition, TelemetryLine};

/// Which cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub round: u32,
    pub order: u32,
    pub attempt: u32,
    pub variant: String,
    pub level: String,
}

/// Since when the run goes on, for `started_after_s`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunClock {
    pub session_started: Instant,
    pub elapsed_before_s: f64,
}

impl RunClock {
    /// Seconds of this run, earlier sessions included.
    pub(crate) fn elapsed_s(&self, at: Instant) -> f64 {
        self.elapsed_before_s + at.saturating_duration_since(self.session_started).as_secs_f64()
    }
}

impl Site<'_> {
    /// Measures one cell of the variant in force.
    pub(crate) async fn measure_cell(
        &mut self,
        observer: &Observer,
        place: &Place,
        clock: RunClock,
    ) -> Result<(Repetition, Vec<TelemetryLine>), LabError> {
        let variant = &self.variant(&place.variant)?.clone();
        let level = variant.load.levels.iter().find(|level| level.name == place.level).ok_or_else(|| {
            LabError::new(Kind::Internal, format!("variant {} lost its level {}", place.variant, place.level))
        })?;
        let spec = resolve(self, variant)?.cell(variant, level);
        let mut gates = self.heal().await?;
        // What was started again, here or by the last drain, counts only once its balancer sees it.
        self.bench.unless_cancelled(self.expect_members(variant)).await?;
        let sizes = self.log_sizes(variant).await?;
        let busy_before = observer.samples.latest("busy_workers");

        let heartbeat = Heartbeat::start();
        let began = Instant::now();
        observer.samples.forget_before(began.checked_sub(Duration::from_secs(3)).unwrap_or(began));
        let (progress, relay) = self.relay_progress();
        let loaded = self.load_and_act(variant, &spec, progress).await?;
        drop(relay);
        let ended = loaded.ended;
        let measured = loaded.measured.map_err(|source| {
            let what = format!("variant {}, level {}, round {}", place.variant, place.level, place.round);
            LabError::load(format!("the load failed ({what})"), source)
        })?;
        let window = began + Duration::from_secs_f64(measured.warm_up_s.max(0.0));
        let now = jiff::Timestamp::now();
        let started_at = now.checked_sub(ended.saturating_duration_since(window)).unwrap_or(now);

        let stalled = heartbeat.standstill(window, ended).map(|time| time.as_secs_f64());
        drop(heartbeat);
        gates.extend(stalled.map(|stalled_s| Gate::GeneratorStalled { stalled_s }));
        gates.extend(loaded.gates);
        gates.extend(self.deaths().await?);
        self.end_timed_actions(variant).await?;
        gates.extend(oom_kills(&observer.samples.since(began), window));
        let (drain, drained) = self.drain(variant, &observer.samples, &busy_before).await?;
        gates.extend(drained);
        let grown = self.log_sizes(variant).await?;
        gates.extend(self.symptoms(variant, &sizes, &grown).await?);
        let requests_logged = self.requests_logged(variant, &sizes, &grown);
        let mut seen = observer.samples.since(began);
        seen.retain(|sample| variant.topology.nodes.contains_key(&sample.node));
        let telemetry = telemetry_lines(place, &seen, window);
        let repetition = Repetition {
            format: REPETITION_FORMAT,
            run: self.identity.run.clone(),
            round: place.round,
            order: place.order,
            variant: place.variant.clone(),
            level: place.level.clone(),
            attempt: place.attempt,
            superseded: false,
            started_at: format!("{started_at:.3}"),
            started_after_s: clock.elapsed_s(window),
            drain_s: drain.as_secs_f64(),
            measurement: measured,
            gates,
            requests_logged,
        };
        self.times.warm_up_s += repetition.measurement.warm_up_s;
        self.times.windows_s += repetition.measurement.duration_s;
        self.times.cool_down_s += repetition.drain_s;
        Ok((repetition, telemetry))
    }

    /// Starts again what died since the last cell, and waits until balancers have noticed.
    async fn heal(&self) -> Result<Vec<Gate>, LabError> {
        let mut gates = Vec::new();
        for (reference, state) in self.process_states().await? {
            let stopped =
                self.state.applied.get(&reference.to_string()).is_some_and(|applied| !applied.running);
            let last_lines = match state {
                ServiceState::Running { .. } => continue,
                _ if stopped => continue,
                ServiceState::Exited { last_lines, .. } => last_lines,
                ServiceState::Stopped => String::new(),
            };
            let plan = self.plan_of(&reference)?;
            self.restart(plan).await?;
            self.wait_ready(plan).await?;
            let last_lines = self.mask(&last_lines);
            gates.push(Gate::ServiceRestarted { service: reference.to_string(), last_lines });
        }
        Ok(gates)
    }

    /// Services that died while they were measured.
    async fn deaths(&self) -> Result<Vec<Gate>, LabError> {
        let states = self.process_states().await?;
        let dead = states.into_iter().filter(|(reference, state)| {
            // What an action ended did not die by itself.
            matches!(state, ServiceState::Exited { .. }) && !self.is_kept_by_action(reference)
        });
        Ok(dead.map(|(reference, _)| Gate::ServiceDied { service: reference.to_string() }).collect())
    }

    /// Turns the engine's progress into events, for as long as the handle lives.
    fn relay_progress(&self) -> (UnboundedSender<LoadProgress>, AbortOnDropHandle<()>) {
        let (sender, mut receiver) = unbounded_channel::<LoadProgress>();
        let events = self.bench.events.clone();
        let relay = tokio::spawn(async move {
            while let Some(seen) = receiver.recv().await {
                let _ = events.send(Event::CellProgress {
                    share: seen.share,
                    rate: seen.rate,
                    good_rate: seen.good_rate,
                    warming_up: seen.warming_up,
                });
            }
        });
        (sender, AbortOnDropHandle::new(relay))
    }
}

/// Kernel kills between the last look before the window and the last look at all.
fn oom_kills(samples: &[Sample], window: Instant) -> Vec<Gate> {
    let mut before: IndexMap<&str, f64> = IndexMap::new();
    let mut after: IndexMap<&str, f64> = IndexMap::new();
    for sample in samples.iter().filter(|sample| sample.service.is_none()) {
        let Some(kills) = sample.values.get("oom_kills_total") else { continue };
        if sample.at < window || !before.contains_key(sample.node.as_str()) {
            before.insert(&sample.node, *kills);
        }
        after.insert(&sample.node, *kills);
    }
    let killed = after.iter().filter_map(|(node, kills)| {
        let more = kills - before.get(node).copied().unwrap_or(*kills);
        (more > 0.0).then(|| Gate::OomKill { node: (*node).to_owned(), kills: more as u64 })
    });
    killed.collect()
}

fn telemetry_lines(place: &Place, samples: &[Sample], window: Instant) -> Vec<TelemetryLine> {
    let line = |sample: &Sample| {
        let at_s = if sample.at >= window {
            (sample.at - window).as_secs_f64()
        } else {
            -(window - sample.at).as_secs_f64()
        };
        TelemetryLine {
            round: place.round,
            attempt: place.attempt,
            variant: place.variant.clone(),
            level: place.level.clone(),
            at_s: (at_s * 1_000.0).round() / 1_000.0,
            node: sample.node.clone(),
            service: sample.service.clone(),
            values: sample.values.clone(),
        }
    };
    samples.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_kills_inside_the_window_count() {
        let start = Instant::now();
        let sample = |second: u64, kills: f64| Sample {
            at: start + Duration::from_secs(second),
            node: "a".to_owned(),
            service: None,
            values: [("oom_kills_total".to_owned(), kills)].into_iter().collect(),
        };
        let window = start + Duration::from_secs(2);
        let during = [sample(0, 1.0), sample(1, 2.0), sample(3, 2.0), sample(4, 4.0)];
        assert_eq!(oom_kills(&during, window), [Gate::OomKill { node: "a".to_owned(), kills: 2 }]);
        assert!(oom_kills(&during[..3], window).is_empty());
        assert!(oom_kills(&[], window).is_empty());
    }
}
