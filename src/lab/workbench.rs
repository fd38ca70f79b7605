//! What every verb of a lab works with, and how a run is asked for.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::catalog::Catalog;
use crate::lab::error::LabError;
use crate::loadgen::Client;
use crate::machine::Driver;
use crate::model::event::Event;
use crate::report::Analysis;
use crate::store::StateDirectory;

/// Driver, client, catalogue, places to write to, and the channels to the person.
#[derive(Clone)]
pub struct Workbench {
    /// Makes machines.
    pub driver: Arc<dyn Driver>,
    /// Asks the lab.
    pub client: Arc<dyn Client>,
    /// Software.
    pub catalog: Arc<Catalog>,
    /// Labs between calls.
    pub state: StateDirectory,
    /// Where run folders go.
    pub reports: PathBuf,
    /// To the person.
    pub events: UnboundedSender<Event>,
    /// From the person: stop, and clean up.
    pub cancel: CancellationToken,
    /// Whose labs these are.
    pub owner: String,
}

/// How a run is asked for, beyond its scenario.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// Lab name; the scenario's when absent.
    pub lab: Option<String>,
    /// Leave the lab up.
    pub keep: bool,
    /// Only these variants; all when empty.
    pub only: Vec<String>,
    /// Only these levels; all when empty.
    pub levels: Vec<String>,
    /// Another number of rounds.
    pub repeat: Option<u32>,
    /// Seed of the cell order; drawn when absent.
    pub seed: Option<u64>,
    /// Profile, for the record.
    pub profile: Option<String>,
}

/// A run that measured every cell.
#[derive(Debug)]
pub struct RunOutcome {
    /// Its folder.
    pub folder: PathBuf,
    /// What the report says.
    pub analysis: Analysis,
    /// Taking the lab down failed.
    pub teardown: Option<LabError>,
}

impl Workbench {
    /// Tells the person. A closed channel means nobody listens, which is fine.
    pub(crate) fn tell(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Runs a future unless the person ends it first.
    ///
    /// # Errors
    /// [`LabError::interrupted`] when cancelled, else the future's own.
    pub(crate) async fn unless_cancelled<T>(
        &self,
        work: impl Future<Output = Result<T, LabError>>,
    ) -> Result<T, LabError> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(LabError::interrupted()),
            result = work => result,
        }
    }
}
