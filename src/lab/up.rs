//! `up`: a lab that stays. A second call changes nothing and says so.

use std::collections::BTreeMap;

use crate::lab::error::{Kind, LabError};
use crate::lab::run::now;
use crate::lab::site::Site;
use crate::lab::status::{LabStatus, status_of};
use crate::lab::teardown::take_down;
use crate::lab::workbench::Workbench;
use crate::machine::LabIdentity;
use crate::model::event::Event;
use crate::model::experiment::Experiment;
use crate::scenario::{self, Checked};
use crate::store::{LabState, STATE_FORMAT};

/// What `up` did.
#[derive(Debug, Clone)]
pub struct UpOutcome {
    /// In words; empty when there was nothing to do.
    pub changes: Vec<String>,
    /// The lab as it is now.
    pub status: LabStatus,
}

/// State of a lab that does not exist yet.
pub(crate) fn new_state(
    bench: &Workbench,
    checked: &Checked,
    experiment: &Experiment,
    lab: &str,
    run: &str,
) -> LabState {
    LabState {
        format: STATE_FORMAT,
        lab: lab.to_owned(),
        driver: experiment.driver,
        owner: bench.owner.clone(),
        run: run.to_owned(),
        created_at: now(),
        variant: String::new(),
        nodes: Vec::new(),
        applied: BTreeMap::new(),
        actions: Vec::new(),
        document: checked.document.clone(),
        secrets: checked
            .secrets
            .iter()
            .map(|(path, secret)| (path.clone(), secret.reveal().to_owned()))
            .collect(),
    }
}

/// Brings a lab up, or brings a lab that is up to what the scenario says.
///
/// # Errors
/// What failed first. A lab that this call created is removed again; one that was there before stays.
pub async fn up(
    bench: &Workbench,
    checked: &Checked,
    lab: Option<&str>,
    variant: Option<&str>,
) -> Result<UpOutcome, LabError> {
    let experiment = checked.experiment.clone();
    let lab = lab.unwrap_or(&experiment.name).to_owned();
    let first = experiment.variants.keys().next().cloned().unwrap_or_default();
    let variant = variant.map_or(first, str::to_owned);
    let _lock = bench.state.lock(&lab)?;
    let found = bench.state.find(&lab)?;
    let created = found.is_none();
    let mut state = match found {
        Some(state) if state.run == "up" => state,
        Some(state) => {
            return Err(LabError::new(
                Kind::Provisioning,
                format!("lab {lab} belongs to run {}, which did not end", state.run),
            )
            .advise(format!("`benchtop down --lab {lab}` removes it; `--lab NAME` uses another name")));
        }
        None => new_state(bench, checked, &experiment, &lab, "up"),
    };
    let nodes_before = state.nodes.clone();
    let fresh = new_state(bench, checked, &experiment, &lab, "up");
    state.document = fresh.document;
    state.secrets = fresh.secrets;
    let identity = LabIdentity { lab: lab.clone(), run: "up".to_owned(), owner: bench.owner.clone() };
    let mut site = Site::new(bench, experiment, checked.locator.clone(), identity, state);
    let raised = raise(&mut site, &variant, &nodes_before).await;
    match raised {
        Ok(changes) => {
            let status = status_of(&site).await?;
            Ok(UpOutcome { changes, status })
        }
        Err(error) if created => {
            drop(site);
            bench.tell(Event::Note(format!("removing what was made of lab {lab}")));
            match take_down(bench, &lab).await {
                Ok(_) => Err(error),
                Err(teardown) => {
                    let text = crate::lab::ready::in_full(&teardown);
                    Err(error.detail("teardown failed too", &text))
                }
            }
        }
        Err(error) => Err(error),
    }
}

async fn raise(site: &mut Site<'_>, variant: &str, nodes_before: &[String]) -> Result<Vec<String>, LabError> {
    site.variant(variant)?;
    let bench = site.bench;
    site.provision().await?;
    let mut changes: Vec<String> = site
        .nodes
        .keys()
        .filter(|name| !nodes_before.contains(name))
        .map(|name| format!("created node {name}"))
        .collect();
    changes.extend(bench.unless_cancelled(site.enter(variant)).await?);
    let variant = site.variant(variant)?;
    for item in bench.unless_cancelled(site.verify_items(variant)).await? {
        let who = item.user.map_or_else(|| "without a login".to_owned(), |user| format!("as {user}"));
        bench.tell(Event::Note(format!("verified: {} answers {} {who}", item.url, item.status)));
    }
    Ok(changes)
}

/// Connects to a lab that is up, as its state file says it is.
pub(crate) async fn reopen<'a>(bench: &'a Workbench, lab: &str) -> Result<Site<'a>, LabError> {
    let state = bench.state.load(lab)?;
    let checked =
        scenario::from_document(&state.document, &state.revealed(), &bench.catalog, &BTreeMap::new())
            .map_err(|source| {
                LabError::new(Kind::Internal, format!("the scenario of lab {lab} is not usable any more"))
                    .caused_by(source)
                    .advise(format!(
                        "if it was brought up with `--templates DIR`, give that here too; \
                         `benchtop down --lab {lab}` removes the lab"
                    ))
            })?;
    let identity = LabIdentity { lab: lab.to_owned(), run: state.run.clone(), owner: state.owner.clone() };
    let mut site = Site::new(bench, checked.experiment, checked.locator, identity, state);
    site.connect_all().await?;
    let variant = site.state.variant.clone();
    if let Some(variant) = site.experiment.variants.get(&variant).cloned() {
        site.plans = site.plan(&variant)?;
    }
    Ok(site)
}
