//! Nodes: examined, made side by side, asked for their facts. The lab's state is written before the first of them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use crate::catalog::Catalog;
use crate::lab::error::LabError;
use crate::lab::site::{LiveNode, Site};
use crate::lab::teardown::own_nodes;
use crate::machine::{Command, Connection, Demand, FileToWrite, NodeSpec, Preflight};
use crate::model::event::{Event, Phase};
use crate::model::experiment::{Experiment, Variant};
use crate::model::secret::Secret;
use crate::model::topology::Node;
use crate::plan;

/// Facts every node is asked for, whatever runs on it.
const COMMON_FACTS: [(&str, &str); 2] =
    [("os", ". /etc/os-release && printf %s \"$PRETTY_NAME\""), ("kernel", "uname -r")];

/// Every node of every variant: limits of the first variant that has it, packages of all.
pub(crate) fn node_specs(experiment: &Experiment, catalog: &Catalog) -> BTreeMap<String, NodeSpec> {
    let mut specs: BTreeMap<String, NodeSpec> = BTreeMap::new();
    for node in experiment.variants.values().flat_map(|variant| variant.topology.nodes.values()) {
        let packages = plan::packages(node, catalog);
        let spec = specs.entry(node.name.clone()).or_insert_with(|| spec_of(node));
        spec.packages.extend(packages);
        spec.packages.sort();
        spec.packages.dedup();
    }
    specs
}

fn spec_of(node: &Node) -> NodeSpec {
    NodeSpec {
        name: node.name.clone(),
        cpus: node.cpus,
        memory: node.memory,
        swap: node.swap,
        image: node.image.clone(),
        packages: Vec::new(),
        networks: node.networks.clone(),
    }
}

impl Site<'_> {
    /// Makes all nodes of all variants, or finds them as wanted.
    pub(crate) async fn provision(&mut self) -> Result<Preflight, LabError> {
        let specs = node_specs(&self.experiment, &self.bench.catalog);
        let bench = self.bench;
        let preflight = bench.unless_cancelled(self.examine(&specs)).await?;
        for name in specs.keys() {
            if !self.state.nodes.contains(name) {
                self.state.nodes.push(name.clone());
            }
        }
        self.save()?;
        let started = Instant::now();
        bench.tell(Event::PhaseStarted { phase: Phase::Images, steps: 0 });
        let wanted: Vec<NodeSpec> = specs.values().cloned().collect();
        let prepared = async {
            let result = bench.driver.prepare(&self.identity, &wanted, &bench.events).await;
            result.map_err(|source| LabError::machine("the lab's images or network cannot be made", source))
        };
        bench.unless_cancelled(prepared).await?;
        self.times.images_s += started.elapsed().as_secs_f64();
        bench.tell(Event::PhaseEnded { phase: Phase::Images, took: started.elapsed() });
        let started = Instant::now();
        bench.tell(Event::PhaseStarted { phase: Phase::Nodes, steps: wanted.len() as u64 });
        let made = async {
            let results = join_all(wanted.into_iter().map(|spec| self.make(spec))).await;
            results.into_iter().collect::<Result<Vec<_>, _>>()
        };
        let made = bench.unless_cancelled(made).await?;
        for (node, kept) in made {
            let name = node.spec.name.clone();
            if !kept {
                self.state.applied.retain(|service, _| !service.starts_with(&format!("{name}.")));
            }
            self.nodes.insert(name, node);
        }
        self.save()?;
        self.times.nodes_s += started.elapsed().as_secs_f64();
        bench.tell(Event::PhaseEnded { phase: Phase::Nodes, took: started.elapsed() });
        self.recall().await?;
        Ok(preflight)
    }

    async fn examine(&self, specs: &BTreeMap<String, NodeSpec>) -> Result<Preflight, LabError> {
        own_nodes(self.bench, &self.identity.lab).await?;
        let demand = Demand { nodes: specs.values().cloned().collect() };
        let result = self.bench.driver.preflight(&demand).await;
        result.map_err(|source| LabError::machine("the lab cannot be built here", source))
    }

    /// One node: made or found, marked as ours, asked for its facts. The flag says that what was applied to it still holds.
    async fn make(&self, spec: NodeSpec) -> Result<(LiveNode, bool), LabError> {
        let name = spec.name.clone();
        self.bench.tell(Event::NodeDoing { node: name.clone(), doing: "starting the machine".to_owned() });
        let failed = |doing: &str| {
            let what = format!("node {name} cannot be {doing}");
            move |source| LabError::machine(what, source)
        };
        let driver = &self.bench.driver;
        let connection = driver.create(&self.identity, &spec).await.map_err(failed("made"))?;
        let marker = format!("{}/lab", self.root);
        let kept = connection.read(&marker).await.is_ok_and(|text| text == self.identity.lab.as_bytes());
        if !kept {
            let content = Secret::new(self.identity.lab.as_str());
            let file = FileToWrite { path: marker, content, mode: 0o644, owner: None };
            connection.write(&[file]).await.map_err(failed("written to"))?;
        }
        let facts = self.facts_of(&name, connection.as_ref()).await?;
        let supervisor = driver.supervisor(connection.clone());
        self.bench.tell(Event::NodeDone { node: name });
        Ok((LiveNode { connection, supervisor, facts, spec }, kept))
    }

    /// Asks a node what it is.
    pub(crate) async fn facts_of(
        &self,
        name: &str,
        connection: &dyn Connection,
    ) -> Result<BTreeMap<String, String>, LabError> {
        let mut facts = BTreeMap::new();
        for (fact, script) in self.fact_scripts(name) {
            let command = Command::new(script).at_most(Duration::from_secs(20));
            let output = connection.run(&command).await.map_err(|source| {
                LabError::machine(format!("node {name} cannot be asked for its facts"), source)
            })?;
            if output.succeeded() && !output.text().is_empty() {
                facts.insert(fact, output.text());
            }
        }
        Ok(facts)
    }

    fn fact_scripts(&self, name: &str) -> BTreeMap<String, String> {
        let common = COMMON_FACTS.iter().map(|(fact, script)| ((*fact).to_owned(), (*script).to_owned()));
        let mut scripts: BTreeMap<String, String> = common.collect();
        for node in self.experiment.variants.values().filter_map(|variant| variant.topology.nodes.get(name)) {
            scripts.extend(plan::fact_scripts(node, &self.bench.catalog));
        }
        scripts
    }

    /// After finding a lab that was there before: what runs is compared with what the state file says.
    async fn recall(&mut self) -> Result<(), LabError> {
        if self.state.variant.is_empty() {
            return Ok(());
        }
        let Some(variant) = self.experiment.variants.get(&self.state.variant).cloned() else {
            return Ok(());
        };
        self.plans = self.plan(&variant)?;
        for (reference, state) in self.process_states().await? {
            let running = matches!(state, crate::machine::ServiceState::Running { .. });
            if let Some(applied) = self.state.applied.get_mut(&reference.to_string()) {
                applied.running = running;
            }
        }
        Ok(())
    }

    /// Changes CPU and memory limits, or the image, of nodes whose variant asks for others.
    pub(crate) async fn adjust_limits(&mut self, variant: &Variant) -> Result<(), LabError> {
        for node in variant.topology.nodes.values() {
            let present = self.node(&node.name)?.spec.clone();
            let mut wanted = spec_of(node);
            wanted.packages.clone_from(&present.packages);
            if wanted == present {
                continue;
            }
            let (live, kept) = self.make(wanted).await?;
            if !kept {
                self.state.applied.retain(|service, _| !service.starts_with(&format!("{}.", node.name)));
            }
            self.nodes.insert(node.name.clone(), live);
        }
        Ok(())
    }
}
