//! A lab that is up: its nodes, what was applied to them, and the variant in force.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::lab::error::{Kind, LabError};
use crate::lab::workbench::Workbench;
use crate::machine::{Connection, LabIdentity, NodeSpec, Supervisor};
use crate::model::experiment::{Experiment, Variant};
use crate::model::process::ServiceProcess;
use crate::model::run::RunTimes;
use crate::model::secret::{Secret, mask_all};
use crate::model::topology::{ServiceRef, Topology};
use crate::plan::{self, Applied, NodeAddress, ServicePlan, Surroundings};
use crate::scenario::Locator;
use crate::store::LabState;

/// One node that is up.
pub(crate) struct LiveNode {
    pub connection: Arc<dyn Connection>,
    pub supervisor: Box<dyn Supervisor>,
    pub facts: BTreeMap<String, String>,
    pub spec: NodeSpec,
}

/// A lab that is up.
pub(crate) struct Site<'a> {
    pub bench: &'a Workbench,
    pub experiment: Experiment,
    pub locator: Locator,
    pub secrets: Vec<Secret>,
    pub identity: LabIdentity,
    pub root: String,
    pub nodes: BTreeMap<String, LiveNode>,
    pub state: LabState,
    /// Plans of the variant in force.
    pub plans: Vec<ServicePlan>,
    /// Where the time went so far.
    pub times: RunTimes,
}

impl<'a> Site<'a> {
    /// A site without nodes yet.
    pub(crate) fn new(
        bench: &'a Workbench,
        experiment: Experiment,
        locator: Locator,
        identity: LabIdentity,
        state: LabState,
    ) -> Self {
        let secrets = state.revealed().into_values().collect();
        let root = bench.driver.instance_root(&identity.lab);
        Self {
            bench,
            experiment,
            locator,
            secrets,
            identity,
            root,
            nodes: BTreeMap::new(),
            state,
            plans: Vec::new(),
            times: RunTimes::default(),
        }
    }

    /// A node by name.
    pub(crate) fn node(&self, name: &str) -> Result<&LiveNode, LabError> {
        self.nodes.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.nodes.keys().map(String::as_str).collect();
            LabError::new(Kind::Provisioning, format!("lab {} has no node `{name}`", self.identity.lab))
                .advise(format!("its nodes are: {}", known.join(", ")))
        })
    }

    /// A variant by name.
    pub(crate) fn variant(&self, name: &str) -> Result<&Variant, LabError> {
        self.experiment.variants.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.experiment.variants.keys().map(String::as_str).collect();
            LabError::new(Kind::Scenario, format!("there is no variant `{name}`"))
                .advise(format!("variants of this scenario: {}", known.join(", ")))
        })
    }

    /// Writes the lab's state down.
    pub(crate) fn save(&self) -> Result<(), LabError> {
        Ok(self.bench.state.save(&self.state)?)
    }

    /// Replaces every secret of the scenario in a text.
    pub(crate) fn mask(&self, text: &str) -> String {
        mask_all(text, &self.secrets)
    }

    /// What was applied, by reference.
    pub(crate) fn applied(&self) -> BTreeMap<ServiceRef, Applied> {
        let parse =
            |name: &String| name.split_once('.').map(|(node, service)| ServiceRef::new(node, service));
        self.state
            .applied
            .iter()
            .filter_map(|(name, applied)| Some((parse(name)?, applied.clone())))
            .collect()
    }

    /// The plan of a service in the variant in force.
    pub(crate) fn plan_of(&self, reference: &ServiceRef) -> Result<&ServicePlan, LabError> {
        self.plans.iter().find(|plan| &plan.reference == reference).ok_or_else(|| {
            let known: Vec<String> = self.plans.iter().map(|plan| plan.reference.to_string()).collect();
            LabError::new(Kind::Provisioning, format!("there is no service {reference}"))
                .advise(format!("services of this variant: {}", known.join(", ")))
        })
    }

    /// The process to stop for a service that the present plans may not know any more.
    pub(crate) fn process_to_stop(&self, reference: &ServiceRef) -> ServiceProcess {
        let known = self.plans.iter().find(|plan| &plan.reference == reference);
        known.and_then(|plan| plan.process.as_ref()).map_or_else(
            || ServiceProcess {
                service: reference.service.clone(),
                dir: format!("{}/{}", self.root, reference.service),
                command: String::new(),
                stop_signal: "TERM".to_owned(),
                environment: indexmap::IndexMap::new(),
            },
            |planned| planned.process.clone(),
        )
    }

    /// Runs a function with everything a template may look at.
    pub(crate) fn with_surroundings<T>(
        &self,
        topology: &Topology,
        work: impl FnOnce(&Surroundings<'_>) -> T,
    ) -> T {
        let addresses: BTreeMap<String, NodeAddress> = self
            .nodes
            .iter()
            .map(|(name, node)| {
                let address = node.connection.address();
                (name.clone(), NodeAddress { address, bind_address: node.connection.bind_address() })
            })
            .collect();
        let facts = self.nodes.iter().map(|(name, node)| (name.clone(), node.facts.clone())).collect();
        work(&Surroundings {
            lab: &self.identity.lab,
            root: &self.root,
            topology,
            catalog: &self.bench.catalog,
            addresses: &addresses,
            facts: &facts,
            unprivileged_user: None,
        })
    }

    /// Every service of a variant as it is to become, in start order.
    pub(crate) fn plan(&self, variant: &Variant) -> Result<Vec<ServicePlan>, LabError> {
        self.with_surroundings(&variant.topology, plan::services).map_err(|source| {
            LabError::new(Kind::Scenario, format!("variant {} cannot be rendered", variant.name))
                .caused_by(source)
        })
    }

    /// Adds the scenario's line to a failure of a service.
    pub(crate) fn located(&self, error: LabError, reference: &ServiceRef) -> LabError {
        let variants = self.experiment.variants.values();
        let group = variants
            .filter_map(|variant| variant.topology.nodes.get(&reference.node))
            .map(|node| node.group.clone())
            .next()
            .unwrap_or_else(|| reference.node.clone());
        let path = format!("nodes.{group}.services.{}", reference.service);
        self.at_line(error.detail("node", &reference.node).detail("service", &reference.service), &path)
    }

    /// Adds the scenario's line of a path, where there is one.
    pub(crate) fn at_line(&self, error: LabError, path: &str) -> LabError {
        match self.locator.line(path) {
            Some(line) => error.detail("scenario line", &format!("{line} ({path})")),
            None => error,
        }
    }
}
