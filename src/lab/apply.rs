//! Switching a variant is a converge: what is equal stays untouched, the rest is stopped, written, checked, started.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use crate::lab::acting::Undo;
use crate::lab::error::{Kind, LabError};
use crate::lab::site::{LiveNode, Site};
use crate::machine::{Command, CommandFailure, FileToWrite, MachineError, quote};
use crate::model::event::{Event, Phase};
use crate::model::experiment::Variant;
use crate::model::topology::{ServiceRef, Topology};
use crate::plan::{self, Applied, Change, PlannedStep, ServicePlan};

/// A checker or a reload may take this long.
const SHORT: Duration = Duration::from_secs(30);
/// A step (a database's first start, an unpacking) may take this long.
const STEP_AT_MOST: Duration = Duration::from_secs(180);

/// Whether a service's files are already as wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Files {
    InPlace,
    ToWrite,
}

impl Site<'_> {
    /// Puts a variant in force and returns what was changed; nothing when it was in force already.
    pub(crate) async fn enter(&mut self, name: &str) -> Result<Vec<String>, LabError> {
        let variant = self.variant(name)?.clone();
        let leaving = self.state.variant != name;
        // Timed ones are still there when a session was killed inside a window.
        self.undo_actions(if leaving { Undo::All } else { Undo::Timed }).await?;
        self.adjust_limits(&variant).await?;
        let plans = self.plan(&variant)?;
        let mut told = self.put_right(&variant, plans).await?;
        let mut at_entry = variant.actions.iter().filter(|action| action.at_s.is_none()).peekable();
        if leaving && at_entry.peek().is_some() {
            for action in at_entry {
                self.do_action(&variant, action).await?;
                told.push(format!("did {}.{} on {}", action.service, action.action, action.node));
            }
            self.expect_members(&variant).await?;
        }
        self.state.variant = name.to_owned();
        self.save()?;
        Ok(told)
    }

    /// Changes what is not as planned, and waits until balancers have seen it. Returns the changes in words.
    pub(crate) async fn put_right(
        &mut self,
        variant: &Variant,
        plans: Vec<ServicePlan>,
    ) -> Result<Vec<String>, LabError> {
        let bench = self.bench;
        let started = Instant::now();
        let mut changes = plan::converge(&self.applied(), &plans);
        // What an action of the variant in force ended or started stays so; nothing is in force after leaving.
        changes.retain(|change| !self.is_kept_by_action(reference_of(change)));
        if !changes.is_empty() {
            bench.tell(Event::PhaseStarted { phase: Phase::Services, steps: changes.len() as u64 });
            self.apply(&changes, &plans, &variant.topology).await?;
            bench.tell(Event::PhaseEnded { phase: Phase::Services, took: started.elapsed() });
        }
        self.plans = plans;
        if !changes.is_empty() {
            self.expect_members(variant).await?;
        }
        Ok(changes.iter().map(in_words).collect())
    }

    async fn apply(
        &mut self,
        changes: &[Change],
        plans: &[ServicePlan],
        topology: &Topology,
    ) -> Result<(), LabError> {
        let stops = changes.iter().filter(|change| matches!(change, Change::Stop(_)));
        let stopped = join_all(stops.map(|change| self.stop(reference_of(change)))).await;
        for reference in stopped.into_iter().collect::<Result<Vec<_>, _>>()? {
            if let Some(applied) = self.state.applied.get_mut(&reference.to_string()) {
                applied.running = false;
            }
        }
        self.save()?;
        let depths = depths(topology);
        let mut waves: BTreeMap<usize, Vec<&Change>> = BTreeMap::new();
        for change in changes.iter().filter(|change| !matches!(change, Change::Stop(_))) {
            waves.entry(depths.get(reference_of(change)).copied().unwrap_or(0)).or_default().push(change);
        }
        for wave in waves.into_values() {
            self.apply_wave(&wave, plans).await?;
        }
        Ok(())
    }

    /// Services that do not lead to one another, side by side. The state file never claims what is half done.
    async fn apply_wave(&mut self, wave: &[&Change], plans: &[ServicePlan]) -> Result<(), LabError> {
        let before = self.applied();
        for change in wave {
            self.state.applied.remove(&reference_of(change).to_string());
        }
        self.save()?;
        let work = wave.iter().filter_map(|change| {
            let plan = plans.iter().find(|plan| &plan.reference == reference_of(change))?;
            let installed = before.get(&plan.reference).is_some_and(|applied| applied.hash == plan.hash);
            Some(self.change(change, plan, if installed { Files::InPlace } else { Files::ToWrite }))
        });
        let results = join_all(work).await;
        let mut first_error = None;
        for result in results {
            match result {
                Ok((reference, applied)) => {
                    self.state.applied.insert(reference.to_string(), applied);
                }
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        self.save()?;
        first_error.map_or(Ok(()), Err)
    }

    async fn stop(&self, reference: &ServiceRef) -> Result<ServiceRef, LabError> {
        let process = self.process_to_stop(reference);
        if let Some(node) = self.nodes.get(&reference.node) {
            let stopped = node.supervisor.stop(&process).await;
            stopped.map_err(|source| {
                self.located(LabError::machine(format!("{reference} cannot be stopped"), source), reference)
            })?;
        }
        Ok(reference.clone())
    }

    async fn change(
        &self,
        change: &Change,
        plan: &ServicePlan,
        files: Files,
    ) -> Result<(ServiceRef, Applied), LabError> {
        let reference = &plan.reference;
        let node = self.node(&reference.node)?;
        self.bench.tell(Event::NodeDoing { node: reference.node.clone(), doing: in_words(change) });
        if files == Files::ToWrite {
            self.install(node, plan).await?;
        }
        match change {
            Change::Stop(_) | Change::Set(_) => {}
            Change::Reload(_) => {
                let script = plan.process.as_ref().and_then(|planned| planned.reload.clone());
                let script = script.unwrap_or_default();
                self.script(node, plan, "reload", &script, SHORT).await?;
            }
            Change::Start(_) => self.start(node, plan).await?,
            Change::Restart(_) => self.restart(plan).await?,
        }
        self.wait_ready(plan).await?;
        self.bench.tell(Event::NodeDone { node: reference.node.clone() });
        let applied = Applied {
            hash: plan.hash.clone(),
            rest_hash: plan.rest_hash.clone(),
            file_hashes: plan.file_hashes.clone(),
            running: plan.enabled,
            ports: plan.ports.clone(),
        };
        Ok((reference.clone(), applied))
    }

    /// Directories, files, the program's own check, steps.
    async fn install(&self, node: &LiveNode, plan: &ServicePlan) -> Result<(), LabError> {
        let failed = |source| {
            let error = LabError::machine(format!("files of {} cannot be written", plan.reference), source);
            self.located(error, &plan.reference)
        };
        let make = directories_script(plan);
        if !make.is_empty() {
            self.script(node, plan, "make directories", &make, SHORT).await?;
        }
        let files: Vec<FileToWrite> = plan
            .files
            .iter()
            .map(|file| FileToWrite {
                path: file.path.clone(),
                content: file.content.clone(),
                mode: file.mode,
                owner: file.owner.clone(),
            })
            .collect();
        if !files.is_empty() {
            node.connection.write(&files).await.map_err(failed)?;
        }
        if let Some(check) = &plan.check {
            self.script(node, plan, "check", check, SHORT).await?;
        }
        let steps = plan.steps.len();
        for (index, step) in plan.steps.iter().enumerate() {
            self.step(node, plan, step)
                .await
                .map_err(|error| error.detail("step", &format!("{} of {steps}", index + 1)))?;
        }
        Ok(())
    }

    async fn step(&self, node: &LiveNode, plan: &ServicePlan, step: &PlannedStep) -> Result<(), LabError> {
        let failed = |source| {
            let error = LabError::machine(format!("a step of {} cannot be run", plan.reference), source);
            self.located(error, &plan.reference)
        };
        if let Some(unless) = &step.unless {
            let guard = Command::new(unless).at_most(SHORT).as_user(step.as_user.as_deref());
            if node.connection.run(&guard).await.map_err(failed)?.succeeded() {
                return Ok(());
            }
        }
        let mut command = Command::new(&step.run).at_most(STEP_AT_MOST).as_user(step.as_user.as_deref());
        if let Some(stdin) = &step.stdin {
            command = command.with_stdin(stdin.clone());
        }
        let output = node.connection.run(&command).await.map_err(failed)?;
        if output.succeeded() {
            return Ok(());
        }
        Err(self.failed_command(plan, "run its step", &step.run, output.status, &output.last_lines(12)))
    }

    /// Runs a script of a service and turns a status other than 0 into an error.
    pub(crate) async fn script(
        &self,
        node: &LiveNode,
        plan: &ServicePlan,
        doing: &str,
        script: &str,
        at_most: Duration,
    ) -> Result<String, LabError> {
        let output = node.connection.run(&Command::new(script).at_most(at_most)).await.map_err(|source| {
            let error = LabError::machine(format!("{} of {} cannot be run", doing, plan.reference), source);
            self.located(error, &plan.reference)
        })?;
        if output.succeeded() {
            return Ok(output.text());
        }
        Err(self.failed_command(plan, doing, script, output.status, &output.last_lines(12)))
    }

    fn failed_command(
        &self,
        plan: &ServicePlan,
        doing: &str,
        script: &str,
        status: i32,
        last_lines: &str,
    ) -> LabError {
        let failure = CommandFailure {
            node: plan.reference.node.clone(),
            command: self.mask(script.trim()),
            status,
            last_lines: self.mask(last_lines),
        };
        let what = format!("{} could not {doing}", plan.reference);
        self.located(LabError::machine(what, MachineError::Command(failure)), &plan.reference)
    }

    async fn start(&self, node: &LiveNode, plan: &ServicePlan) -> Result<(), LabError> {
        let Some(planned) = &plan.process else { return Ok(()) };
        node.supervisor.start(&planned.process).await.map_err(|source| {
            let error = LabError::machine(format!("{} cannot be started", plan.reference), source);
            self.located(error, &plan.reference)
        })
    }

    /// Starts a service, stopping it first when it runs.
    pub(crate) async fn restart(&self, plan: &ServicePlan) -> Result<(), LabError> {
        let Some(planned) = &plan.process else { return Ok(()) };
        let node = self.node(&plan.reference.node)?;
        node.supervisor.stop(&planned.process).await.map_err(|source| {
            let error = LabError::machine(format!("{} cannot be stopped", plan.reference), source);
            self.located(error, &plan.reference)
        })?;
        self.start(node, plan).await
    }

    /// Waits until every balancer of the variant in force sees its servers as they should be: up, unless an action
    /// of the variant disabled them.
    pub(crate) async fn expect_members(&self, variant: &Variant) -> Result<(), LabError> {
        for plan in self.plans.iter().filter(|plan| plan.enabled) {
            self.expect_members_of(variant, plan).await?;
        }
        Ok(())
    }

    async fn expect_members_of(&self, variant: &Variant, plan: &ServicePlan) -> Result<(), LabError> {
        let limit = Duration::from_secs(30);
        let started = Instant::now();
        loop {
            let members = self.read_members(variant, &plan.reference).await?;
            let wrong: Vec<String> = members
                .iter()
                .filter(|member| !self.is_as_meant(&plan.reference, member))
                .map(|member| format!("{} is {}", member.server, member.state))
                .collect();
            if wrong.is_empty() {
                return Ok(());
            }
            if started.elapsed() > limit {
                let error = LabError::new(
                    Kind::Provisioning,
                    format!("{} does not see its servers as they should be", plan.reference),
                )
                .detail("servers", &wrong.join(", "))
                .detail("last lines", &self.last_lines(plan).await);
                return Err(self.located(error, &plan.reference));
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// The service a change is about.
fn reference_of(change: &Change) -> &ServiceRef {
    match change {
        Change::Stop(reference)
        | Change::Set(reference)
        | Change::Start(reference)
        | Change::Reload(reference)
        | Change::Restart(reference) => reference,
    }
}

fn in_words(change: &Change) -> String {
    let verb = match change {
        Change::Stop(_) => "stop",
        Change::Set(_) => "set up",
        Change::Start(_) => "start",
        Change::Reload(_) => "reload",
        Change::Restart(_) => "restart",
    };
    format!("{verb} {}", reference_of(change))
}

/// How many steps of relations lie below each service: what is led to comes first.
fn depths(topology: &Topology) -> BTreeMap<ServiceRef, usize> {
    let mut depths: BTreeMap<ServiceRef, usize> =
        topology.services().map(|(node, service)| (ServiceRef::new(&node.name, &service.name), 0)).collect();
    // The catalogue has refused cycles, so the longest path is shorter than the number of services.
    for _ in 0..depths.len() {
        let mut changed = false;
        for (node, service) in topology.services() {
            let below = service.relations.values().flatten().filter_map(|led_to| depths.get(led_to)).max();
            let wanted = below.map_or(0, |depth| depth + 1);
            let own = depths.entry(ServiceRef::new(&node.name, &service.name)).or_insert(0);
            if *own < wanted {
                *own = wanted;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    depths
}

fn directories_script(plan: &ServicePlan) -> String {
    let commands = plan.directories.iter().map(|directory| {
        let path = quote(&directory.path);
        let owner = directory.owner.as_ref().map_or(String::new(), |owner| {
            let owner = quote(owner);
            format!(" && chown {owner} {path}")
        });
        format!("mkdir -p {path} && chmod {:04o} {path}{owner}", directory.mode)
    });
    commands.collect::<Vec<_>>().join(" && ")
}
