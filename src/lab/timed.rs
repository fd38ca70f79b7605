//! Actions with a time: done inside the window while the load goes on, taken back when it has ended, so that every cell
//! of a variant begins alike.

use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::lab::acting::Undo;
use crate::lab::error::LabError;
use crate::lab::site::Site;
use crate::loadgen::{CellSpec, LoadError, LoadProgress};
use crate::model::experiment::{Action, Variant};
use crate::model::measurement::{Gate, Measurement};
use crate::model::topology::ServiceRef;

/// What a load gave, when it ended, and what was done meanwhile.
pub(crate) struct Loaded {
    pub measured: Result<Measurement, LoadError>,
    pub ended: Instant,
    pub gates: Vec<Gate>,
}

impl Site<'_> {
    /// Runs the load of a cell and, at their times, the variant's actions. An action that fails ends the load.
    pub(crate) async fn load_and_act(
        &mut self,
        variant: &Variant,
        spec: &CellSpec,
        progress: UnboundedSender<LoadProgress>,
    ) -> Result<Loaded, LabError> {
        let bench = self.bench;
        let window = Instant::now() + spec.warm_up;
        let (stop, over) = (bench.cancel.child_token(), CancellationToken::new());
        let load = async {
            let measured = bench.client.measure(spec, progress, stop.clone()).await;
            over.cancel();
            (measured, Instant::now())
        };
        let acting = async {
            let acted = self.act_in_time(variant, window, &over).await;
            if acted.is_err() {
                stop.cancel();
            }
            acted
        };
        let ((measured, ended), gates) = tokio::join!(load, acting);
        Ok(Loaded { measured, ended, gates: gates? })
    }

    /// An action that has begun is finished even when the window ends meanwhile.
    async fn act_in_time(
        &mut self,
        variant: &Variant,
        window: Instant,
        over: &CancellationToken,
    ) -> Result<Vec<Gate>, LabError> {
        let mut gates = Vec::new();
        for (at, action) in in_time_order(&variant.actions) {
            tokio::select! {
                biased;
                () = over.cancelled() => break,
                () = tokio::time::sleep_until((window + at).into()) => {}
            }
            let done_at = window.elapsed();
            self.do_action(variant, action).await?;
            gates.push(Gate::ActionDone {
                service: ServiceRef::new(&action.node, &action.service).to_string(),
                action: action.action.clone(),
                at_s: (done_at.as_secs_f64() * 1_000.0).round() / 1_000.0,
            });
        }
        Ok(gates)
    }

    /// Takes back what was done inside the window.
    pub(crate) async fn end_timed_actions(&mut self, variant: &Variant) -> Result<(), LabError> {
        if !self.state.actions.iter().any(|action| action.timed) {
            return Ok(());
        }
        self.undo_actions(Undo::Timed).await?;
        let plans = self.plans.clone();
        self.put_right(variant, plans).await.map(drop)
    }
}

fn in_time_order(actions: &[Action]) -> Vec<(Duration, &Action)> {
    let timed = actions.iter().filter_map(|action| {
        let at = Duration::try_from_secs_f64(action.at_s?).ok()?;
        Some((at, action))
    });
    let mut timed: Vec<(Duration, &Action)> = timed.collect();
    timed.sort_by_key(|(at, _)| *at);
    timed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_actions_with_a_time_are_taken_and_in_the_order_of_time() {
        let action = |name: &str, at_s| Action {
            node: "a".to_owned(),
            service: "b".to_owned(),
            action: name.to_owned(),
            arguments: indexmap::IndexMap::new(),
            at_s,
        };
        let actions = [
            action("late", Some(5.0)),
            action("entry", None),
            action("early", Some(0.5)),
            action("too", Some(5.0)),
        ];
        let names: Vec<&str> =
            in_time_order(&actions).iter().map(|(_, action)| action.action.as_str()).collect();
        assert_eq!(names, ["early", "late", "too"]);
    }
}
