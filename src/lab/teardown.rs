//! Taking a lab down: by its labels, whatever the state file says. Failures do not stop the rest.

use std::time::Instant;

use serde::Serialize;

use crate::lab::error::{Kind, LabError};
use crate::lab::workbench::Workbench;
use crate::machine::{FoundLab, FoundNode};
use crate::model::event::{Event, Phase};
use crate::store::StoreError;

/// What `down` did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DownOutcome {
    /// Lab.
    pub lab: String,
    /// Nodes that were there.
    pub removed: Vec<String>,
}

/// The lab's nodes, all of this owner: another's lab of the same name on a shared engine is neither used nor removed.
pub(crate) async fn own_nodes(bench: &Workbench, lab: &str) -> Result<Vec<FoundNode>, LabError> {
    let found = bench.driver.list(Some(lab)).await;
    let found = found.map_err(|source| LabError::machine("nodes cannot be listed", source))?;
    let refusal = |owner: &str| {
        LabError::new(Kind::Provisioning, format!("lab {lab} on this engine belongs to {owner}"))
            .advise("nothing of it was touched; `--lab NAME` uses another name")
    };
    if let Some(foreign) = found.iter().find(|node| node.owner != bench.owner) {
        return Err(refusal(&foreign.owner).detail("node", &foreign.node));
    }
    // Networks without nodes have an owner too.
    match found_labs(bench).await?.iter().find(|left| left.lab == lab && left.owner != bench.owner) {
        Some(foreign) => Err(refusal(&foreign.owner)),
        None => Ok(found),
    }
}

async fn found_labs(bench: &Workbench) -> Result<Vec<FoundLab>, LabError> {
    bench.driver.labs().await.map_err(|source| LabError::machine("labs cannot be listed", source))
}

/// Names of everything of this owner's that `down` can take down: labs with a state file, and labs of which the driver
/// finds anything, also if that is only a network. Sorted.
///
/// # Errors
/// When the state directory cannot be read or the driver cannot be asked.
pub async fn labs_left(bench: &Workbench) -> Result<Vec<String>, LabError> {
    let mut labs = bench.state.labs()?;
    let found = found_labs(bench).await?;
    labs.extend(found.into_iter().filter(|left| left.owner == bench.owner).map(|left| left.lab));
    labs.sort();
    labs.dedup();
    Ok(labs)
}

/// Removes nodes, networks and the state of a lab. Not interrupted by the first signal: this is what it asks for.
pub(crate) async fn take_down(bench: &Workbench, lab: &str) -> Result<DownOutcome, LabError> {
    let started = Instant::now();
    bench.tell(Event::PhaseStarted { phase: Phase::Teardown, steps: 0 });
    let found = own_nodes(bench, lab).await?;
    bench.driver.destroy_lab(lab).await.map_err(|source| {
        LabError::new(Kind::Teardown, format!("lab {lab} could not be taken down completely"))
            .advise(format!("`benchtop down --lab {lab}` tries again"))
            .caused_by(source)
    })?;
    bench.state.remove(lab)?;
    bench.tell(Event::PhaseEnded { phase: Phase::Teardown, took: started.elapsed() });
    let mut removed: Vec<String> = found.into_iter().map(|node| node.node).collect();
    removed.sort();
    Ok(DownOutcome { lab: lab.to_owned(), removed })
}

/// Takes one lab down.
///
/// # Errors
/// When there is no such lab, another benchtop works on it, or something could not be removed.
pub async fn down(bench: &Workbench, lab: &str) -> Result<DownOutcome, LabError> {
    let _lock = bench.state.lock(lab)?;
    own_nodes(bench, lab).await?;
    if !found_labs(bench).await?.iter().any(|left| left.lab == lab) {
        match bench.state.load(lab) {
            // A file that cannot be read is no reason to keep it: labels, not the file, say what there is.
            Ok(_) | Err(StoreError::Malformed { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    take_down(bench, lab).await
}

/// Takes down every lab of this owner, with or without a state file; one busy or failing lab does not keep the others.
///
/// # Errors
/// The first failure, after all labs were tried.
pub async fn down_all(bench: &Workbench) -> Result<Vec<DownOutcome>, LabError> {
    let mut outcomes = Vec::new();
    let mut first_error = None;
    for lab in labs_left(bench).await? {
        match down(bench, &lab).await {
            Ok(outcome) => outcomes.push(outcome),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    first_error.map_or(Ok(outcomes), Err)
}
