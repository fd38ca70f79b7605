//! Talking to one container: commands, streams, files. What runs there is not known here.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use async_trait::async_trait;
use bollard::body_full;
use bollard::query_parameters::UploadToContainerOptionsBuilder;

use crate::machine::command::Command;
use crate::machine::command::FileToWrite;
use crate::machine::command::Output;
use crate::machine::command::quote;
use crate::machine::contract::Connection;
use crate::machine::contract::Stream;
use crate::machine::contract::Terminal;
use crate::machine::contract::TerminalKind;
use crate::machine::contract::Terminals;
use crate::machine::docker::archive;
use crate::machine::docker::archive::Owner;
use crate::machine::docker::engine::Engine;
use crate::machine::docker::exec;
use crate::machine::docker::terminal;
use crate::machine::error::CommandFailure;
use crate::machine::error::MachineError;

/// Where instance directories live on a node; nothing outside is ever removed.
pub const INSTANCE_ROOT: &str = "/srv/benchtop";
/// Most that is read of one file.
const READ_BYTES: u64 = 16 << 20;
/// Limit of sending files.
const UPLOAD: Duration = Duration::from_secs(120);

/// A connection to one container.
pub struct DockerConnection {
    engine: Engine,
    container: String,
    node: String,
    address: IpAddr,
    client_address: IpAddr,
    image: String,
    owners: Mutex<BTreeMap<String, Owner>>,
}

impl DockerConnection {
    /// Connects to a running container, known by its id; addresses for the other nodes and for the client.
    #[must_use]
    pub fn new(
        engine: Engine,
        container: String,
        node: String,
        (address, client_address): (IpAddr, IpAddr),
        image: String,
    ) -> Self {
        Self { engine, container, node, address, client_address, image, owners: Mutex::default() }
    }

    /// Runs a command of our own, for which a status that is not 0 is an error.
    async fn must(&self, command: Command, shown: &str) -> Result<Output, MachineError> {
        let output = self.run(&command).await?;
        if output.succeeded() {
            return Ok(output);
        }
        Err(MachineError::Command(CommandFailure {
            node: self.node.clone(),
            command: shown.to_owned(),
            status: output.status,
            last_lines: output.last_lines(10),
        }))
    }

    fn known_owners(&self) -> BTreeMap<String, Owner> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Connection for DockerConnection {
    fn node(&self) -> &str {
        &self.node
    }

    fn address(&self) -> IpAddr {
        self.address
    }

    fn client_address(&self) -> IpAddr {
        self.client_address
    }

    fn bind_address(&self) -> IpAddr {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED)
    }

    fn image(&self) -> String {
        self.image.clone()
    }

    async fn run(&self, command: &Command) -> Result<Output, MachineError> {
        exec::run(&self.engine, &self.container, &self.node, command).await
    }

    async fn open(&self, command: &Command) -> Result<Stream, MachineError> {
        exec::open(&self.engine, &self.container, &self.node, command).await
    }

    fn terminals(&self) -> Option<&dyn Terminals> {
        Some(self)
    }

    async fn write(&self, files: &[FileToWrite]) -> Result<(), MachineError> {
        if files.is_empty() {
            return Ok(());
        }
        let first = files.first().map_or("", |file| file.path.as_str());
        let shown = format!("prepare to write {first}");
        let prepared =
            self.must(Command::new(archive::preparation(files, &self.known_owners())), &shown).await?;
        let mut owners = self.known_owners();
        owners.extend(archive::read_owners(&String::from_utf8_lossy(&prepared.stdout)));
        let doing = format!("write {first} and {} more to {}", files.len() - 1, self.node);
        let packed = archive::pack(files, &owners)
            .map_err(|error| MachineError::Engine { doing: doing.clone(), source: error.into() })?;
        *self.owners.lock().unwrap_or_else(PoisonError::into_inner) = owners;
        let options = UploadToContainerOptionsBuilder::new().path("/").build();
        let upload =
            self.engine.docker.upload_to_container(&self.container, Some(options), body_full(packed.into()));
        self.engine.call(&doing, UPLOAD, upload).await
    }

    async fn read(&self, path: &str) -> Result<Vec<u8>, MachineError> {
        let command = Command::new(format!("exec tail -c {READ_BYTES} -- {}", quote(path)));
        Ok(self.must(command.at_most(UPLOAD), &format!("read {path}")).await?.stdout)
    }

    async fn remove_tree(&self, path: &str) -> Result<(), MachineError> {
        if !is_inside_root(path) {
            return Err(MachineError::OutsideLab { path: path.to_owned() });
        }
        self.must(Command::new(format!("exec rm -rf -- {}", quote(path))), &format!("remove {path}"))
            .await
            .map(drop)
    }
}

#[async_trait]
impl Terminals for DockerConnection {
    async fn open_terminal(&self, command: &Command, kind: &TerminalKind) -> Result<Terminal, MachineError> {
        terminal::open(&self.engine, &self.container, &self.node, command, kind).await
    }
}

/// Whether the path is strictly below the instance root, without any way out.
#[must_use]
pub fn is_inside_root(path: &str) -> bool {
    path.strip_prefix(INSTANCE_ROOT).and_then(|rest| rest.strip_prefix('/')).is_some_and(|rest| {
        let rest = rest.trim_end_matches('/');
        !rest.is_empty() && rest.split('/').all(|part| !matches!(part, "" | "." | ".."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_below_the_instance_root_may_go() {
        for path in ["/srv/benchtop/lab", "/srv/benchtop/lab/web.nginx/", "/srv/benchtop/a b"] {
            assert!(is_inside_root(path), "{path}");
        }
        for path in [
            "/",
            "",
            "/srv",
            "/srv/benchtop",
            "/srv/benchtop/",
            "/srv/benchtop//",
            "/srv/benchtop/..",
            "/srv/benchtop/a/../../x",
            "/srv/benchtopx/a",
            "srv/benchtop/a",
            "/srv/benchtop/./a",
            "/etc",
        ] {
            assert!(!is_inside_root(path), "{path}");
        }
    }
}
