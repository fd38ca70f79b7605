//! After a window: one cell must never leave work for the next.
//!
//! A node is idle when it used under 5 % of its CPU limit (of one core without a limit) in two looks in a row, the
//! sampler's own share left out, and no service has had more busy workers than before warm-up in its last two answers. An
//! answer from before the drain says nothing: a service that was asked and does not answer is not idle.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::lab::error::LabError;
use crate::lab::observer::{Sample, Samples};
use crate::lab::site::Site;
use crate::model::event::Event;
use crate::model::experiment::Variant;
use crate::model::measurement::Gate;
use crate::model::software::Drain;
use crate::model::topology::ServiceRef;

/// Share of the CPU limit below which a node counts as idle.
const IDLE_SHARE_MAX: f64 = 0.05;
/// So many looks in a row.
const IDLE_LOOKS: usize = 2;

impl Site<'_> {
    /// Waits until every node is idle; restarts the services of those that are not in time. Returns the time taken
    /// and what happened.
    pub(crate) async fn drain(
        &self,
        variant: &Variant,
        samples: &Samples,
        busy_before: &BTreeMap<ServiceRef, f64>,
    ) -> Result<(Duration, Vec<Gate>), LabError> {
        let started = Instant::now();
        self.restart_where_said(variant).await?;
        let at_most = variant.load.cool_down_at_most;
        loop {
            let busy = self.busy_nodes(variant, &samples.since(started), busy_before);
            if busy.is_empty() {
                return Ok((started.elapsed(), Vec::new()));
            }
            if started.elapsed() >= at_most {
                return self.drain_by_restart(&busy, started).await;
            }
            self.bench.tell(Event::CellDraining { waited: started.elapsed() });
            let look = async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                Ok(())
            };
            self.bench.unless_cancelled(look).await?;
        }
    }

    async fn restart_where_said(&self, variant: &Variant) -> Result<(), LabError> {
        for plan in self.plans.iter().filter(|plan| plan.enabled) {
            let said = plan.process.as_ref().is_some_and(|planned| planned.drain == Drain::Restart);
            if said && variant.topology.service(&plan.reference).is_some() {
                self.restart(plan).await?;
                self.wait_ready(plan).await?;
            }
        }
        Ok(())
    }

    async fn drain_by_restart(
        &self,
        busy: &[String],
        started: Instant,
    ) -> Result<(Duration, Vec<Gate>), LabError> {
        let waited = started.elapsed();
        for plan in self.plans.iter().filter(|plan| plan.enabled && busy.contains(&plan.reference.node)) {
            self.restart(plan).await?;
            self.wait_ready(plan).await?;
        }
        let gate =
            |node: &String| Gate::DrainedByRestart { node: node.clone(), waited_s: waited.as_secs_f64() };
        Ok((started.elapsed(), busy.iter().map(gate).collect()))
    }

    /// Nodes that are not idle by what was seen since the drain began.
    fn busy_nodes(
        &self,
        variant: &Variant,
        seen: &[Sample],
        busy_before: &BTreeMap<ServiceRef, f64>,
    ) -> Vec<String> {
        let more_workers = |node: &str| {
            let own = busy_before.iter().filter(|(reference, _)| reference.node == node);
            own.into_iter().any(|(reference, before)| {
                let enabled = variant.topology.service(reference).is_some_and(|service| service.enabled);
                enabled && !self.is_kept_by_action(reference) && !workers_are_back(seen, reference, *before)
            })
        };
        let node_is_busy = |name: &String| {
            let cpus = self.nodes.get(name).and_then(|node| node.spec.cpus).unwrap_or(1.0);
            let own = seen.iter().filter(|sample| &sample.node == name && sample.service.is_none());
            !is_quiet(&own.collect::<Vec<_>>(), cpus) || more_workers(name)
        };
        variant.topology.nodes.keys().filter(|name| node_is_busy(name)).cloned().collect()
    }
}

/// Whether a service's last answers all told of no more busy workers than before.
fn workers_are_back(seen: &[Sample], reference: &ServiceRef, before: f64) -> bool {
    let of_service = |sample: &&Sample| {
        sample.node == reference.node && sample.service.as_ref() == Some(&reference.service)
    };
    let busy: Vec<f64> = seen
        .iter()
        .filter(of_service)
        .filter_map(|sample| sample.values.get("busy_workers").copied())
        .collect();
    busy.len() >= IDLE_LOOKS && busy[busy.len() - IDLE_LOOKS..].iter().all(|busy| *busy <= before)
}

/// Whether the last looks all used less than the idle share.
fn is_quiet(samples: &[&Sample], cpus: f64) -> bool {
    if samples.len() < IDLE_LOOKS + 1 {
        return false;
    }
    samples[samples.len() - IDLE_LOOKS - 1..].windows(2).all(|pair| {
        let grown = |name: &str| {
            let value = |sample: &Sample| sample.values.get(name).copied().unwrap_or(0.0);
            (value(pair[1]) - value(pair[0])).max(0.0)
        };
        // The node's own clock: lines that arrive late arrive in bursts.
        let seconds = grown("uptime_s_total");
        if seconds <= 0.0 {
            return false;
        }
        let used = (grown("cpu_s_total") - grown("sampler_cpu_s_total")).max(0.0);
        used / seconds < IDLE_SHARE_MAX * cpus
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(cpu_s: &[f64]) -> Vec<Sample> {
        let start = Instant::now();
        let sample = |(index, cpu_s): (usize, &f64)| Sample {
            at: start + Duration::from_secs(index as u64),
            node: "a".to_owned(),
            service: None,
            values: [("cpu_s_total".to_owned(), *cpu_s), ("uptime_s_total".to_owned(), index as f64)]
                .into_iter()
                .collect(),
        };
        cpu_s.iter().enumerate().map(sample).collect()
    }

    fn quiet(cpu_s: &[f64], cpus: f64) -> bool {
        is_quiet(&samples(cpu_s).iter().collect::<Vec<_>>(), cpus)
    }

    #[test]
    fn workers_are_back_when_two_answers_of_the_drain_say_so() {
        let reference = ServiceRef::new("a", "php-fpm");
        let answers = |busy: &[f64]| -> Vec<Sample> {
            let sample = |busy: &f64| Sample {
                at: Instant::now(),
                node: "a".to_owned(),
                service: Some("php-fpm".to_owned()),
                values: [("busy_workers".to_owned(), *busy)].into_iter().collect(),
            };
            busy.iter().map(sample).collect()
        };
        assert!(workers_are_back(&answers(&[4.0, 0.0, 0.0]), &reference, 0.0));
        assert!(!workers_are_back(&answers(&[0.0, 4.0, 0.0]), &reference, 0.0), "busy a second ago");
        assert!(!workers_are_back(&answers(&[0.0]), &reference, 0.0), "one answer is too few");
        assert!(!workers_are_back(&[], &reference, 0.0), "no answer is no idleness");
        assert!(!workers_are_back(&answers(&[0.0, 0.0]), &ServiceRef::new("b", "php-fpm"), 0.0));
    }

    #[test]
    fn two_quiet_seconds_in_a_row_are_idle() {
        assert!(quiet(&[0.0, 0.4, 0.41, 0.42], 0.4));
        assert!(!quiet(&[0.0, 0.4, 0.41], 0.4), "only the last second was quiet");
        assert!(!quiet(&[0.0, 0.01], 0.4), "one look is too few");
        assert!(!quiet(&[0.0, 0.03, 0.06], 0.4), "7 % of the limit is busy");
        assert!(quiet(&[0.0, 0.03, 0.06], 1.0));
    }
}
