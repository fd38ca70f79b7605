//! Whether a service may be used, and what it is doing.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use crate::lab::error::{Kind, LabError};
use crate::lab::site::Site;
use crate::loadgen::FetchRequest;
use crate::machine::{Command, ServiceState};
use crate::model::topology::ServiceRef;
use crate::plan::{PlannedReady, ReadyProbe, ServicePlan};

/// Between two looks at a service that is not ready yet.
const LOOK_EVERY: Duration = Duration::from_millis(60);
/// A single look may take this long.
const LOOK_AT_MOST: Duration = Duration::from_secs(2);
/// Every so many looks the process itself is examined, since a dead one never becomes ready.
const EXAMINE_EVERY: u32 = 6;

impl Site<'_> {
    /// Waits until a service is ready.
    pub(crate) async fn wait_ready(&self, plan: &ServicePlan) -> Result<(), LabError> {
        let Some(ready) = &plan.ready else { return Ok(()) };
        let started = Instant::now();
        let mut looks = 0_u32;
        loop {
            let seen = self.look(plan, ready).await;
            let Err(why) = seen else { return Ok(()) };
            looks += 1;
            if looks.is_multiple_of(EXAMINE_EVERY) {
                self.still_alive(plan).await?;
            }
            if started.elapsed() > ready.at_most {
                let seconds = ready.at_most.as_secs();
                let error = LabError::new(
                    Kind::Provisioning,
                    format!("{} was not ready within {seconds} s", plan.reference),
                )
                .detail("last look", &why)
                .detail("last lines", &self.last_lines(plan).await);
                return Err(self.located(error, &plan.reference));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// One look; the error says what was seen instead.
    async fn look(&self, plan: &ServicePlan, ready: &PlannedReady) -> Result<(), String> {
        let node = self.node(&plan.reference.node).map_err(|error| error.to_string())?;
        let address = |port| SocketAddr::new(node.connection.address(), port);
        match &ready.probe {
            ReadyProbe::Tcp { port } => {
                let answer = self.bench.client.exchange(address(*port), &[], LOOK_AT_MOST).await;
                answer.map(|_| ()).map_err(|error| in_full(&error))
            }
            ReadyProbe::Http { port, path, status, contains } => {
                let request = FetchRequest {
                    address: address(*port),
                    host: plan.reference.node.clone(),
                    path: path.clone(),
                    headers: Vec::new(),
                    at_most: LOOK_AT_MOST,
                    body_bytes_max: 8 << 20,
                };
                let answer = self.bench.client.fetch(&request).await.map_err(|error| in_full(&error))?;
                if answer.status != *status {
                    return Err(format!("{path} answered {}, not {status}", answer.status));
                }
                match contains {
                    Some(text) if !String::from_utf8_lossy(&answer.body).contains(text) => {
                        Err(format!("{path} answered without `{text}`"))
                    }
                    _ => Ok(()),
                }
            }
            ReadyProbe::Run { script } => {
                let command = Command::new(script).at_most(Duration::from_secs(10));
                let output = node.connection.run(&command).await.map_err(|error| in_full(&error))?;
                if output.succeeded() {
                    Ok(())
                } else {
                    Err(format!("status {}: {}", output.status, output.last_lines(3)))
                }
            }
        }
    }

    async fn still_alive(&self, plan: &ServicePlan) -> Result<(), LabError> {
        let Some(planned) = &plan.process else { return Ok(()) };
        let node = self.node(&plan.reference.node)?;
        match node.supervisor.state(&planned.process).await {
            Ok(ServiceState::Exited { status, last_lines }) => {
                let error = LabError::new(
                    Kind::Provisioning,
                    format!("{} ended with status {status} right after its start", plan.reference),
                )
                .detail("command", &self.mask(&planned.process.command))
                .detail("last lines", &self.mask(&last_lines));
                Err(self.located(error, &plan.reference))
            }
            _ => Ok(()),
        }
    }

    /// The last lines a service said.
    pub(crate) async fn last_lines(&self, plan: &ServicePlan) -> String {
        let Ok(node) = self.node(&plan.reference.node) else { return String::new() };
        let log = crate::machine::quote(&format!("{}/run/output.log", plan.dir));
        let output = node.connection.run(&Command::new(format!("tail -n 8 {log}"))).await;
        output.map(|output| self.mask(&output.text())).unwrap_or_default()
    }

    /// What every process of the variant in force is doing.
    pub(crate) async fn process_states(&self) -> Result<Vec<(ServiceRef, ServiceState)>, LabError> {
        let ask = |plan: &'_ ServicePlan| {
            let reference = plan.reference.clone();
            let process = plan.process.as_ref().map(|planned| planned.process.clone());
            async move {
                let (Some(process), Ok(node)) = (process, self.node(&reference.node)) else {
                    return Ok(None);
                };
                let state = node.supervisor.state(&process).await;
                state
                    .map(|state| Some((reference.clone(), state)))
                    .map_err(|source| LabError::machine(format!("{reference} cannot be examined"), source))
            }
        };
        let enabled = self.plans.iter().filter(|plan| plan.enabled);
        let states = join_all(enabled.map(ask)).await.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(states.into_iter().flatten().collect())
    }
}

/// An error with its causes in one line.
pub(crate) fn in_full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}
