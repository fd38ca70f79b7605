//! A driver whose machines are pretended: for tests of everything above, with failures on demand. No process is
//! started and no network used.

use std::collections::BTreeSet;
use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;

use crate::machine::contract::Connection;
use crate::machine::contract::Demand;
use crate::machine::contract::Driver;
use crate::machine::contract::FoundLab;
use crate::machine::contract::FoundNode;
use crate::machine::contract::LabIdentity;
use crate::machine::contract::NodeSpec;
use crate::machine::contract::Preflight;
use crate::machine::contract::Supervisor;
use crate::machine::error::MachineError;
use crate::machine::fake_connection::FakeConnection;
use crate::machine::fake_connection::FakeSupervisor;
use crate::machine::fake_script::FakeScript;
use crate::machine::fake_script::Point;
use crate::machine::fake_state::FakeStore;
use crate::machine::fake_state::FakeWorld;
use crate::model::event::Event;
use crate::model::unit::ByteSize;

/// Pretended machines.
pub struct FakeDriver {
    shared: Arc<FakeShared>,
}

/// What driver, connections and supervisors have in common.
pub struct FakeShared {
    /// What is to happen.
    pub script: FakeScript,
    /// What exists.
    pub store: FakeStore,
    looks: Mutex<HashMap<String, u32>>,
}

impl FakeShared {
    /// Whether this look at a service (`node.service`) is the one that finds it dead; that happens once.
    pub fn is_last_look(&self, service: &str) -> bool {
        let Some(after) = self.script.dies_after(service) else { return false };
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = looks.entry(service.to_owned()).or_default();
        *seen = seen.saturating_add(1);
        *seen == after.saturating_add(1)
    }

    /// Notes a call where the script wants it.
    pub fn note(&self, line: &str) {
        if let Some(path) = &self.script.log {
            let opened = std::fs::OpenOptions::new().create(true).append(true).open(path);
            // A test that reads the log notices what is missing.
            let _ = opened.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        }
    }

    /// Notes a call, then hangs or fails when the script says so.
    ///
    /// # Errors
    /// [`MachineError::Injected`].
    pub async fn pass(&self, point: Point, subject: &str) -> Result<(), MachineError> {
        self.note(format!("{point:?} {subject}").to_lowercase().trim());
        if self.script.hangs(point, subject) {
            std::future::pending::<()>().await;
        }
        self.script.check(point, subject)
    }
}

impl FakeDriver {
    /// Machines that do as the script says.
    #[must_use]
    pub fn new(script: FakeScript) -> Self {
        let store = FakeStore::new(script.state.clone());
        Self { shared: Arc::new(FakeShared { script, store, looks: Mutex::default() }) }
    }

    fn connection(&self, lab: &str, node: &str) -> Result<Arc<dyn Connection>, MachineError> {
        let found = self.shared.store.look(|world| world.nodes.get(&FakeWorld::key(lab, node)).cloned())?;
        let found =
            found.ok_or_else(|| MachineError::NoSuchNode { lab: lab.to_owned(), node: node.to_owned() })?;
        Ok(Arc::new(FakeConnection::new(self.shared.clone(), &found)))
    }
}

#[async_trait]
impl Driver for FakeDriver {
    async fn preflight(&self, _demand: &Demand) -> Result<Preflight, MachineError> {
        self.shared.pass(Point::Preflight, "").await?;
        Ok(Preflight { driver: "fake machines".to_owned(), cpus: 4, memory: ByteSize::mebibytes(16 * 1024) })
    }

    async fn prepare(
        &self,
        lab: &LabIdentity,
        nodes: &[NodeSpec],
        events: &UnboundedSender<Event>,
    ) -> Result<(), MachineError> {
        self.shared.pass(Point::Prepare, "").await?;
        let images: BTreeSet<&str> = nodes.iter().map(|node| node.image.as_str()).collect();
        for image in images {
            let _ = events.send(Event::ImageStep { image: image.to_owned(), doing: "pretending".to_owned() });
        }
        self.shared.store.change(|world| world.networks.insert(lab.lab.clone(), lab.owner.clone())).map(drop)
    }

    async fn create(&self, lab: &LabIdentity, node: &NodeSpec) -> Result<Arc<dyn Connection>, MachineError> {
        self.shared.pass(Point::Create, &node.name).await?;
        self.shared.store.change(|world| world.create(lab, node))?;
        self.connection(&lab.lab, &node.name)
    }

    async fn connect(&self, lab: &str, node: &str) -> Result<Arc<dyn Connection>, MachineError> {
        self.shared.pass(Point::Connect, node).await?;
        self.connection(lab, node)
    }

    async fn list(&self, lab: Option<&str>) -> Result<Vec<FoundNode>, MachineError> {
        self.shared.store.look(|world| {
            let nodes = world.nodes.values().filter(|node| lab.is_none_or(|lab| node.lab == lab));
            nodes
                .map(|node| FoundNode {
                    lab: node.lab.clone(),
                    node: node.node.clone(),
                    run: node.run.clone(),
                    owner: node.owner.clone(),
                    running: true,
                })
                .collect()
        })
    }

    async fn labs(&self) -> Result<Vec<FoundLab>, MachineError> {
        let labs: BTreeSet<FoundLab> = self.shared.store.look(|world| {
            let of_nodes = world.nodes.values().map(|node| (&node.lab, &node.owner));
            let found = of_nodes.chain(&world.networks);
            found.map(|(lab, owner)| FoundLab { lab: lab.clone(), owner: owner.clone() }).collect()
        })?;
        Ok(labs.into_iter().collect())
    }

    async fn destroy(&self, lab: &str, node: &str) -> Result<(), MachineError> {
        self.shared.pass(Point::Destroy, node).await?;
        self.shared.store.change(|world| world.nodes.remove(&FakeWorld::key(lab, node))).map(drop)
    }

    async fn destroy_lab(&self, lab: &str) -> Result<(), MachineError> {
        let mut first = Ok(());
        for node in self.list(Some(lab)).await? {
            first = first.and(self.destroy(lab, &node.node).await);
        }
        if first.is_ok() {
            self.shared.store.change(|world| world.networks.remove(lab))?;
        }
        first
    }

    fn instance_root(&self, lab: &str) -> String {
        format!("/srv/benchtop/{lab}")
    }

    fn supervisor(&self, connection: Arc<dyn Connection>) -> Box<dyn Supervisor> {
        Box::new(FakeSupervisor::new(self.shared.clone(), connection))
    }
}

#[cfg(test)]
#[path = "fake_tests.rs"]
mod tests;
