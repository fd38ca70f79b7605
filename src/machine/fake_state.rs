//! The fake machines themselves: nodes with their files and services, in memory, and in a JSON file when several
//! processes share them.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::io::Write;
use std::net::IpAddr;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;

use serde::Deserialize;
use serde::Serialize;

use crate::machine::contract::LabIdentity;
use crate::machine::contract::NodeSpec;
use crate::machine::contract::ServiceState;
use crate::machine::error::MachineError;
use crate::model::topology::Network;

/// Everything that exists.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FakeWorld {
    /// Labs that have networks, with their owner.
    pub networks: BTreeMap<String, String>,
    /// Nodes by `LAB/NODE`.
    pub nodes: BTreeMap<String, FakeNode>,
}

/// One machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FakeNode {
    /// Lab.
    pub lab: String,
    /// Name.
    pub node: String,
    /// Run label.
    pub run: String,
    /// Owner label.
    pub owner: String,
    /// Networks it is on; none means the private one.
    pub networks: Vec<Network>,
    /// `127.77.x.y`, its address on the private network.
    pub address: [u8; 4],
    /// Image it was made from.
    pub image: String,
    /// Packages it has.
    pub packages: Vec<String>,
    /// CPU limit.
    pub cpus: Option<f64>,
    /// Memory limit, bytes.
    pub memory_bytes: Option<u64>,
    /// Content by path.
    pub files: BTreeMap<String, String>,
    /// Services by instance directory; stopped ones are not here.
    pub services: BTreeMap<String, FakeService>,
}

impl FakeNode {
    /// Address for the other nodes.
    #[must_use]
    pub fn own_address(&self) -> IpAddr {
        if self.networks.is_empty() || self.networks.contains(&Network::Private) {
            return IpAddr::from(self.address);
        }
        self.client_address()
    }

    /// Address for the client: `10.77.x.y` on the public network.
    #[must_use]
    pub fn client_address(&self) -> IpAddr {
        let [_, second, third, last] = self.address;
        let is_public = self.networks.contains(&Network::Public);
        IpAddr::from(if is_public { [10, second, third, last] } else { self.address })
    }
}

/// A service that runs or has ended by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FakeService {
    /// Running.
    Running(u32),
    /// Ended with this status and words.
    Exited(i32, String),
}

impl FakeService {
    /// As the contract says it.
    #[must_use]
    pub fn state(&self) -> ServiceState {
        match self {
            Self::Running(pid) => ServiceState::Running { pid: *pid },
            Self::Exited(status, words) => {
                ServiceState::Exited { status: *status, last_lines: words.clone() }
            }
        }
    }
}

impl FakeWorld {
    /// The key of a node.
    #[must_use]
    pub fn key(lab: &str, node: &str) -> String {
        format!("{lab}/{node}")
    }

    /// Makes the node, or brings the one that is there to what is wanted; another image or package set loses its
    /// files and services.
    pub fn create(&mut self, lab: &LabIdentity, node: &NodeSpec) {
        let key = Self::key(&lab.lab, &node.name);
        let (cpus, memory_bytes) = (node.cpus, node.memory.map(|memory| memory.bytes()));
        if let Some(there) = self.nodes.get_mut(&key)
            && there.image == node.image
            && there.packages == node.packages
        {
            (there.cpus, there.memory_bytes) = (cpus, memory_bytes);
            there.networks.clone_from(&node.networks);
            return;
        }
        let address = self.nodes.get(&key).map_or_else(|| self.free_address(&lab.lab), |there| there.address);
        let made = FakeNode {
            lab: lab.lab.clone(),
            node: node.name.clone(),
            run: lab.run.clone(),
            owner: lab.owner.clone(),
            networks: node.networks.clone(),
            address,
            image: node.image.clone(),
            packages: node.packages.clone(),
            cpus,
            memory_bytes,
            files: BTreeMap::new(),
            services: BTreeMap::new(),
        };
        self.nodes.insert(key, made);
    }

    /// `127.77.x.y`: x from the lab's name, y the first free one.
    fn free_address(&self, lab: &str) -> [u8; 4] {
        let third = lab.bytes().fold(0_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte));
        let taken: BTreeSet<[u8; 4]> = self.nodes.values().map(|node| node.address).collect();
        (1..=254)
            .map(|last| [127, 77, third, last])
            .find(|address| !taken.contains(address))
            .unwrap_or([127, 77, third, 255])
    }
}

/// The world behind a lock, saved after every change when it has a file.
pub struct FakeStore {
    path: Option<PathBuf>,
    world: Mutex<FakeWorld>,
}

impl FakeStore {
    /// Opens the file, or begins with an empty world.
    #[must_use]
    pub fn new(path: Option<PathBuf>) -> Self {
        Self { path, world: Mutex::default() }
    }

    /// Looks at the world as it is now.
    ///
    /// # Errors
    /// [`MachineError::FakeState`].
    pub fn look<T>(&self, look: impl FnOnce(&FakeWorld) -> T) -> Result<T, MachineError> {
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        self.load(&mut world)?;
        Ok(look(&world))
    }

    /// Changes the world and saves it.
    ///
    /// # Errors
    /// [`MachineError::FakeState`].
    pub fn change<T>(&self, change: impl FnOnce(&mut FakeWorld) -> T) -> Result<T, MachineError> {
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        self.load(&mut world)?;
        let result = change(&mut world);
        if let Some(path) = &self.path {
            save(path, &world).map_err(|source| unusable(path, source))?;
        }
        Ok(result)
    }

    /// Another process may have written since.
    fn load(&self, world: &mut FakeWorld) -> Result<(), MachineError> {
        let Some(path) = &self.path else { return Ok(()) };
        *world = match std::fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| unusable(path, error))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => FakeWorld::default(),
            Err(error) => return Err(unusable(path, error)),
        };
        Ok(())
    }
}

fn save(path: &Path, world: &FakeWorld) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec_pretty(world)?)?;
    file.persist(path)?;
    Ok(())
}

fn unusable(path: &Path, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> MachineError {
    MachineError::FakeState { path: path.display().to_string(), source: source.into() }
}
