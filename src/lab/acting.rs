//! Actions on running services: of a variant, and by hand.

use std::net::SocketAddr;
use std::time::Duration;

use indexmap::IndexMap;

use crate::formats::{Member, read_members};
use crate::lab::error::{Kind, LabError};
use crate::lab::site::Site;
use crate::lab::up::reopen;
use crate::lab::workbench::Workbench;
use crate::loadgen::FetchRequest;
use crate::machine::{Command, ServiceState};
use crate::model::experiment::{Action, GENERIC_ACTIONS, Variant};
use crate::model::topology::ServiceRef;
use crate::plan::{self, PlanError, PlannedAction, ServicePlan};
use crate::store::ActionInForce;

const ACTION_AT_MOST: Duration = Duration::from_secs(30);

/// Which actions in force are taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Undo {
    /// Every one: the variant is left.
    All,
    /// Those done inside a window, which has ended.
    Timed,
}

/// Those that every service can do and that leave a process other than its variant says, until the variant is left.
const LASTING: [&str; 4] = ["stop", "start", "kill", "pause"];

impl Site<'_> {
    /// Does an action of a variant and remembers how to take it back.
    pub(crate) async fn do_action(&mut self, variant: &Variant, action: &Action) -> Result<(), LabError> {
        let reference = ServiceRef::new(&action.node, &action.service);
        if GENERIC_ACTIONS.contains(&action.action.as_str()) {
            self.do_generic(&reference, &action.action).await?;
            if LASTING.contains(&action.action.as_str()) {
                self.remember(action, String::new(), Vec::new())?;
            }
            return Ok(());
        }
        let planned = self.planned_action(variant, &reference, &action.action, &action.arguments)?;
        let plan = self.plan_of(&reference)?;
        self.script(self.node(&action.node)?, plan, &action.action, &planned.run, ACTION_AT_MOST).await?;
        match planned.undo {
            Some(undo) => self.remember(action, undo, planned.members),
            None => Ok(()),
        }
    }

    fn remember(&mut self, action: &Action, undo: String, members: Vec<String>) -> Result<(), LabError> {
        self.state.actions.push(ActionInForce {
            node: action.node.clone(),
            service: action.service.clone(),
            action: action.action.clone(),
            undo,
            members,
            timed: action.at_s.is_some(),
        });
        self.save()
    }

    /// Whether an action of the variant in force started or ended this service: then it stays so in this variant.
    pub(crate) fn is_kept_by_action(&self, reference: &ServiceRef) -> bool {
        self.state.actions.iter().any(|action| {
            action.node == reference.node
                && action.service == reference.service
                && matches!(action.action.as_str(), "stop" | "kill" | "start")
        })
    }

    /// Whether a balancer sees a server as the variant in force means it.
    pub(crate) fn is_as_meant(&self, balancer: &ServiceRef, member: &Member) -> bool {
        as_meant(&self.state.actions, balancer, member)
    }

    /// Takes back what the variant in force did, in reverse.
    pub(crate) async fn undo_actions(&mut self, which: Undo) -> Result<(), LabError> {
        let wanted = |action: &ActionInForce| which == Undo::All || action.timed;
        // After a killed session nothing is planned yet, and what it did must still be taken back.
        if self.plans.is_empty() && !self.state.actions.is_empty() {
            let in_force = self.experiment.variants.get(&self.state.variant).cloned();
            self.plans = in_force.map_or_else(|| Ok(Vec::new()), |variant| self.plan(&variant))?;
        }
        while let Some(place) = self.state.actions.iter().rposition(wanted) {
            let action = self.state.actions[place].clone();
            let reference = ServiceRef::new(&action.node, &action.service);
            if LASTING.contains(&action.action.as_str()) {
                // What was started or ended is put right by the converge that follows; only a frozen process is not.
                if action.action == "pause"
                    && let Ok(plan) = self.plan_of(&reference)
                {
                    self.generic(plan, "resume").await?;
                }
            } else if let (Ok(node), Ok(plan)) = (self.node(&action.node), self.plan_of(&reference)) {
                let doing = format!("undo {}", action.action);
                self.script(node, plan, &doing, &action.undo, ACTION_AT_MOST).await?;
            }
            self.state.actions.remove(place);
            self.save()?;
        }
        Ok(())
    }

    pub(crate) fn planned_action(
        &self,
        variant: &Variant,
        reference: &ServiceRef,
        action: &str,
        arguments: &IndexMap<String, String>,
    ) -> Result<PlannedAction, LabError> {
        let planned = self.with_surroundings(&variant.topology, |surroundings| {
            plan::action(surroundings, reference, action, arguments)
        });
        planned.map_err(|source| {
            let error = LabError::new(Kind::Scenario, format!("{reference} cannot do `{action}`"));
            let error = match &source {
                PlanError::NoSuchAction { known, .. } => {
                    let own: String = known.iter().map(|name| format!("{name}, ")).collect();
                    error.advise(format!("it can: {own}{}", GENERIC_ACTIONS.join(", ")))
                }
                _ => error,
            };
            error.caused_by(source)
        })
    }

    async fn do_generic(&mut self, reference: &ServiceRef, action: &str) -> Result<(), LabError> {
        let plan = self.plan_of(reference)?.clone();
        let running = match action {
            "stop" | "kill" => Some(false),
            "start" | "restart" => Some(true),
            _ => None,
        };
        self.generic(&plan, action).await?;
        if let (Some(running), Some(applied)) = (running, self.state.applied.get_mut(&reference.to_string()))
        {
            applied.running = running;
        }
        self.save()
    }

    async fn generic(&self, plan: &ServicePlan, action: &str) -> Result<(), LabError> {
        let reference = &plan.reference;
        let Some(planned) = &plan.process else {
            return Err(LabError::new(Kind::Scenario, format!("{reference} has no process to {action}")));
        };
        let node = self.node(&reference.node)?;
        let process = &planned.process;
        if matches!(action, "kill" | "pause" | "resume" | "reload") {
            let state = node.supervisor.state(process).await.map_err(|source| {
                self.located(LabError::machine(format!("{reference} cannot {action}"), source), reference)
            })?;
            if !matches!(state, ServiceState::Running { .. }) {
                return Err(LabError::new(
                    Kind::Scenario,
                    format!("{reference} is not running, so there is nothing to {action}"),
                )
                .advise(format!("`benchtop act {} {}.start`", reference.node, reference.service)));
            }
        }
        let done = match action {
            "stop" => node.supervisor.stop(process).await,
            "start" => node.supervisor.start(process).await,
            "kill" => node.supervisor.signal(process, "KILL").await,
            "pause" => node.supervisor.signal(process, "STOP").await,
            "resume" => node.supervisor.signal(process, "CONT").await,
            "reload" => {
                let script = planned.reload.clone().unwrap_or_default();
                self.script(node, plan, "reload", &script, ACTION_AT_MOST).await?;
                Ok(())
            }
            _ => {
                self.restart(plan).await?;
                Ok(())
            }
        };
        done.map_err(|source| {
            self.located(LabError::machine(format!("{reference} cannot {action}"), source), reference)
        })?;
        if matches!(action, "start" | "restart") {
            self.wait_ready(plan).await?;
        }
        Ok(())
    }

    /// The servers a balancer sees; none for software that is no balancer, or when it says nothing.
    pub(crate) async fn read_members(
        &self,
        variant: &Variant,
        reference: &ServiceRef,
    ) -> Result<Vec<Member>, LabError> {
        let located = |error| self.located(error, reference);
        let planned =
            self.with_surroundings(&variant.topology, |surroundings| plan::members(surroundings, reference));
        let planned = planned.map_err(|source| {
            located(
                LabError::new(Kind::Scenario, "a balancer's servers cannot be asked for").caused_by(source),
            )
        })?;
        let Some(planned) = planned else { return Ok(Vec::new()) };
        let node = self.node(&reference.node)?;
        let text = if let Some(script) = &planned.run {
            let output = node.connection.run(&Command::new(script).at_most(ACTION_AT_MOST)).await;
            let output =
                output.map_err(|source| located(LabError::machine("servers cannot be read", source)))?;
            if output.succeeded() { output.text() } else { String::new() }
        } else if let Some((port, path)) = &planned.http {
            let request = FetchRequest {
                address: SocketAddr::new(node.connection.address(), *port),
                host: reference.node.clone(),
                path: path.clone(),
                headers: Vec::new(),
                at_most: Duration::from_secs(5),
                body_bytes_max: 8 << 20,
            };
            let answer = self.bench.client.fetch(&request).await;
            answer.map(|answer| String::from_utf8_lossy(&answer.body).into_owned()).unwrap_or_default()
        } else {
            String::new()
        };
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        read_members(&planned.spec, &text).map_err(|source| {
            located(
                LabError::new(Kind::Provisioning, "a balancer's servers cannot be understood")
                    .caused_by(source),
            )
        })
    }
}

/// A server must be up, unless an action in force took it out; on a node where an action ended or froze a service the
/// server may look as it likes.
fn as_meant(actions: &[ActionInForce], balancer: &ServiceRef, member: &Member) -> bool {
    let taken_out = actions.iter().any(|action| {
        action.node == balancer.node
            && action.service == balancer.service
            && action.members.contains(&member.server)
    });
    if taken_out {
        return member.disabled;
    }
    let cuts_off = |action: &ActionInForce| {
        matches!(action.action.as_str(), "stop" | "kill" | "pause") && action.node == member.server
    };
    member.up || actions.iter().any(cuts_off)
}

/// Does `SERVICE.ACTION` on a node of a running lab and returns what it printed.
///
/// # Errors
/// When lab, node, service or action do not exist, an argument is wrong, or the action fails.
pub async fn act(
    bench: &Workbench,
    lab: &str,
    node: &str,
    action: &str,
    arguments: &IndexMap<String, String>,
) -> Result<String, LabError> {
    let _lock = bench.state.lock(lab)?;
    let Some((service, action)) = action.rsplit_once('.') else {
        return Err(LabError::new(Kind::Scenario, format!("`{action}` is no SERVICE.ACTION"))
            .advise("write for example `benchtop act frontend haproxy.disable server=backend2`"));
    };
    let mut site = reopen(bench, lab).await?;
    let reference = ServiceRef::new(node, service);
    site.plan_of(&reference)?;
    if GENERIC_ACTIONS.contains(&action) {
        if let Some(argument) = arguments.keys().next() {
            let what = format!("`{action}` takes no arguments, and `{argument}` is given");
            return Err(LabError::new(Kind::Scenario, what));
        }
        site.do_generic(&reference, action).await?;
        return Ok(String::new());
    }
    let variant = site.variant(&site.state.variant)?;
    let planned = site.planned_action(variant, &reference, action, arguments)?;
    let plan = site.plan_of(&reference)?;
    site.script(site.node(node)?, plan, action, &planned.run, ACTION_AT_MOST).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(node: &str, service: &str, action: &str, members: &[&str]) -> ActionInForce {
        ActionInForce {
            node: node.to_owned(),
            service: service.to_owned(),
            action: action.to_owned(),
            undo: String::new(),
            members: members.iter().map(|member| (*member).to_owned()).collect(),
            timed: false,
        }
    }

    #[test]
    fn a_server_is_up_unless_an_action_took_it_out_or_cut_it_off() {
        let balancer = ServiceRef::new("frontend", "haproxy");
        let member = |state: &str| Member {
            server: "web2".to_owned(),
            state: state.to_owned(),
            up: state == "UP",
            disabled: state == "MAINT",
        };
        let meant = |actions: &[ActionInForce], state| as_meant(actions, &balancer, &member(state));
        assert!(meant(&[], "UP") && !meant(&[], "DOWN") && !meant(&[], "MAINT"));
        let disabled = [action("frontend", "haproxy", "disable", &["web2"])];
        assert!(meant(&disabled, "MAINT") && !meant(&disabled, "UP"));
        let stopped = [action("web2", "nginx", "stop", &[])];
        assert!(meant(&stopped, "DOWN"));
        let another = [action("web1", "nginx", "stop", &[])];
        assert!(!meant(&another, "DOWN"));
    }
}
