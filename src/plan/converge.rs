//! From what a lab has to what a variant wants: which services stop, start, reload or restart, and in which order.
//! Decides only; nothing is done here.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::model::software::OnChange;
use crate::model::topology::ServiceRef;
use crate::plan::planned::ServicePlan;

/// One change to a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Its process ends; its data stays.
    Stop(ServiceRef),
    /// Files are written and steps run; the process is not touched, or there is none.
    Set(ServiceRef),
    /// Files are written, steps run, the process starts.
    Start(ServiceRef),
    /// Files are written, the process reloads.
    Reload(ServiceRef),
    /// The process ends, files are written, steps run, it starts again.
    Restart(ServiceRef),
}

impl Change {
    /// The service that changes.
    #[must_use]
    pub const fn service(&self) -> &ServiceRef {
        match self {
            Self::Stop(service)
            | Self::Set(service)
            | Self::Start(service)
            | Self::Reload(service)
            | Self::Restart(service) => service,
        }
    }
}

/// What was last applied to a service, as `lab.json` remembers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// [`ServicePlan::hash`].
    pub hash: String,
    /// [`ServicePlan::rest_hash`].
    pub rest_hash: String,
    /// [`ServicePlan::file_hashes`].
    pub file_hashes: BTreeMap<String, String>,
    /// Its process runs; false for software without one.
    pub running: bool,
    /// Ports it was given.
    pub ports: Vec<u16>,
}

/// The changes that lead from `applied` to `wanted` (in start order): first everything that must stop, then the rest in
/// start order. A service that has to give a port to another one is stopped and started, every other changed service
/// appears once; one that is as wanted does not appear.
#[must_use]
pub fn converge(applied: &BTreeMap<ServiceRef, Applied>, wanted: &[ServicePlan]) -> Vec<Change> {
    let mut rest: Vec<Change> =
        wanted.iter().filter_map(|plan| change(applied.get(&plan.reference), plan)).collect();
    let enabled: BTreeSet<&ServiceRef> =
        wanted.iter().filter(|plan| plan.enabled).map(|plan| &plan.reference).collect();
    let giving = giving_ports_away(applied, wanted, &rest);
    let mut changes = Vec::new();
    for (reference, state) in applied {
        if state.running && (!enabled.contains(reference) || giving.contains(reference)) {
            changes.push(Change::Stop(reference.clone()));
        }
    }
    for change in &mut rest {
        if giving.contains(change.service()) {
            *change = Change::Start(change.service().clone());
        }
    }
    changes.extend(rest);
    changes
}

/// What an enabled service needs, ports aside.
fn change(applied: Option<&Applied>, plan: &ServicePlan) -> Option<Change> {
    if !plan.enabled {
        return None;
    }
    let reference = plan.reference.clone();
    let Some(process) = &plan.process else {
        let same = applied.is_some_and(|applied| applied.hash == plan.hash);
        return (!same).then_some(Change::Set(reference));
    };
    let Some(applied) = applied.filter(|applied| applied.running) else {
        return Some(Change::Start(reference));
    };
    if applied.hash == plan.hash {
        return None;
    }
    if applied.rest_hash != plan.rest_hash {
        return Some(Change::Restart(reference));
    }
    match strongest(applied, plan) {
        OnChange::None => Some(Change::Set(reference)),
        OnChange::Reload if process.reload.is_some() => Some(Change::Reload(reference)),
        OnChange::Reload | OnChange::Restart => Some(Change::Restart(reference)),
    }
}

/// The most that a changed file asks for; a file that is no longer wanted asks for a restart.
fn strongest(applied: &Applied, plan: &ServicePlan) -> OnChange {
    if applied.file_hashes.keys().any(|target| !plan.file_hashes.contains_key(target)) {
        return OnChange::Restart;
    }
    let mut strongest = OnChange::None;
    for file in &plan.files {
        if applied.file_hashes.get(&file.target) == plan.file_hashes.get(&file.target) {
            continue;
        }
        match file.on_change {
            OnChange::Restart => return OnChange::Restart,
            OnChange::Reload => strongest = OnChange::Reload,
            OnChange::None => {}
        }
    }
    strongest
}

/// Running services that lose a port which another service of their node is about to open.
fn giving_ports_away(
    applied: &BTreeMap<ServiceRef, Applied>,
    wanted: &[ServicePlan],
    changes: &[Change],
) -> BTreeSet<ServiceRef> {
    let changing: BTreeSet<&ServiceRef> = changes.iter().map(Change::service).collect();
    let opening = |node: &str, port: u16, but: &ServiceRef| {
        wanted.iter().any(|plan| {
            plan.reference.node == node
                && plan.reference != *but
                && changing.contains(&plan.reference)
                && plan.ports.contains(&port)
        })
    };
    let mut giving = BTreeSet::new();
    for plan in wanted.iter().filter(|plan| plan.enabled) {
        let Some(before) = applied.get(&plan.reference).filter(|applied| applied.running) else { continue };
        let mut lost = before.ports.iter().filter(|port| !plan.ports.contains(port));
        if lost.any(|port| opening(&plan.reference.node, *port, &plan.reference)) {
            giving.insert(plan.reference.clone());
        }
    }
    giving
}
