//! What the nodes are doing while they are measured: one resident sampler stream a node, kept in memory until a cell
//! takes its part.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio_util::task::AbortOnDropHandle;

use crate::lab::pollers;
use crate::lab::site::Site;
use crate::machine::{Connection, parse_sample, sampler_command};
use crate::model::experiment::Variant;
use crate::model::topology::ServiceRef;
use crate::plan;

/// One look at a node or a service.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub at: Instant,
    pub node: String,
    pub service: Option<String>,
    pub values: IndexMap<String, f64>,
}

/// Samples, oldest first. Cells take what they need; the rest is forgotten.
#[derive(Debug, Default, Clone)]
pub(crate) struct Samples {
    kept: Arc<Mutex<Vec<Sample>>>,
}

/// So many samples are remembered at most: an hour of fifty nodes is not needed to know whether they are idle.
const KEPT_MAX: usize = 200_000;

impl Samples {
    /// Remembers one.
    pub(crate) fn push(&self, sample: Sample) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_MAX {
            kept.drain(..KEPT_MAX / 2);
        }
        kept.push(sample);
    }

    /// Everything since a moment.
    pub(crate) fn since(&self, moment: Instant) -> Vec<Sample> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().filter(|sample| sample.at >= moment).cloned().collect()
    }

    /// Forgets everything before a moment.
    pub(crate) fn forget_before(&self, moment: Instant) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|sample| sample.at >= moment);
    }

    /// The newest value of a name for every service.
    pub(crate) fn latest(&self, name: &str) -> BTreeMap<ServiceRef, f64> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut latest = BTreeMap::new();
        for sample in kept.iter() {
            if let (Some(service), Some(value)) = (&sample.service, sample.values.get(name)) {
                latest.insert(ServiceRef::new(&sample.node, service), *value);
            }
        }
        latest
    }
}

/// A node's sampler task, and the connection it reads through.
struct NodeWatch {
    connection: Arc<dyn Connection>,
    _task: AbortOnDropHandle<()>,
}

/// The running samplers and pollers; all end when this is dropped.
pub(crate) struct Observer {
    pub samples: Samples,
    nodes: BTreeMap<String, NodeWatch>,
    services: Vec<AbortOnDropHandle<()>>,
}

impl Observer {
    /// Starts one sampler a node.
    pub(crate) fn start(site: &Site<'_>) -> Self {
        let mut observer = Self { samples: Samples::default(), nodes: BTreeMap::new(), services: Vec::new() };
        observer.follow(site);
        observer
    }

    /// Starts a sampler for every node that is new or was connected anew; the others go on.
    pub(crate) fn follow(&mut self, site: &Site<'_>) {
        for (name, node) in &site.nodes {
            let known = self.nodes.get(name);
            if known.is_some_and(|watch| Arc::ptr_eq(&watch.connection, &node.connection)) {
                continue;
            }
            let task = tokio::spawn(watch_node(node.connection.clone(), self.samples.clone()));
            let watch =
                NodeWatch { connection: node.connection.clone(), _task: AbortOnDropHandle::new(task) };
            self.nodes.insert(name.clone(), watch);
        }
    }

    /// No service is asked for its counters yet.
    pub(crate) const fn watches_nothing(&self) -> bool {
        self.services.is_empty()
    }

    /// Asks the counters of a variant's services from now on, instead of those asked before.
    pub(crate) fn watch_services(&mut self, site: &Site<'_>, variant: &Variant) {
        self.services.clear();
        for (node, service) in variant.topology.services().filter(|(_, service)| service.enabled) {
            let reference = ServiceRef::new(&node.name, &service.name);
            let planned = site.with_surroundings(&variant.topology, |surroundings| {
                plan::telemetry(surroundings, &reference)
            });
            let Ok(live) = site.node(&node.name) else { continue };
            for source in planned.unwrap_or_default() {
                let task = pollers::poll(
                    site.bench.client.clone(),
                    live.connection.clone(),
                    source,
                    self.samples.clone(),
                );
                self.services.push(AbortOnDropHandle::new(tokio::spawn(task)));
            }
        }
    }
}

/// Reads a node's sampler for as long as the lab is up; a stream that ends is opened again.
async fn watch_node(connection: Arc<dyn Connection>, samples: Samples) {
    loop {
        if let Ok(stream) = connection.open(&sampler_command()).await {
            let mut lines = BufReader::new(stream.output).lines();
            // The program ends when its input does, so the input stays open as long as lines are read.
            let _input = stream.input;
            let _guard = stream.guard;
            while let Ok(Some(line)) = lines.next_line().await {
                if let Some(sample) = parse_sample(&line) {
                    samples.push(Sample {
                        at: Instant::now(),
                        node: connection.node().to_owned(),
                        service: None,
                        values: sample.values,
                    });
                }
            }
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}
