//! The interfaces of a machine. Narrow on purpose: an ability that most drivers would refuse gets its own trait.

use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::UnboundedSender;

use crate::machine::command::{Command, FileToWrite, Output};
use crate::machine::error::MachineError;
use crate::model::event::Event;
use crate::model::process::ServiceProcess;
use crate::model::topology::Network;
use crate::model::unit::ByteSize;

/// Which lab, which run, whose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabIdentity {
    /// Lab name.
    pub lab: String,
    /// Run id, or `up` for a lab brought up to stay.
    pub run: String,
    /// The user who owns it.
    pub owner: String,
}

/// What a node must be.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeSpec {
    /// Name.
    pub name: String,
    /// CPU limit in cores.
    pub cpus: Option<f64>,
    /// Memory limit.
    pub memory: Option<ByteSize>,
    /// Swap beyond memory.
    pub swap: ByteSize,
    /// Distribution image.
    pub image: String,
    /// Packages that must be there, sorted, without repetition.
    pub packages: Vec<String>,
    /// Networks it is on. In a lab where no node is on the public one, clients are on the private one too.
    pub networks: Vec<Network>,
}

/// What the whole lab will need, for the check before anything is created.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    /// Every node of every variant (its largest form).
    pub nodes: Vec<NodeSpec>,
}

/// What the driver found of itself and its host.
#[derive(Debug, Clone, PartialEq)]
pub struct Preflight {
    /// `Docker Engine 20.10.24, API 1.41, cgroup v1`.
    pub driver: String,
    /// CPUs of the host that runs the nodes.
    pub cpus: u32,
    /// Its memory.
    pub memory: ByteSize,
}

/// A node that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundNode {
    /// Lab it belongs to.
    pub lab: String,
    /// Node name.
    pub node: String,
    /// Run label.
    pub run: String,
    /// Owner label.
    pub owner: String,
    /// Running, not stopped.
    pub running: bool,
}

/// A lab of which something exists.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundLab {
    /// Lab name.
    pub lab: String,
    /// Owner label.
    pub owner: String,
}

/// Makes, lists and destroys nodes. Every method names what failed and on which node.
#[async_trait]
pub trait Driver: Send + Sync {
    /// Checks that the engine is there, recent enough, and has room; changes nothing.
    async fn preflight(&self, demand: &Demand) -> Result<Preflight, MachineError>;

    /// Makes everything shared by the nodes: images (reported as events), then the lab's networks with their
    /// labels: the public one where one of these nodes is on it.
    async fn prepare(
        &self,
        lab: &LabIdentity,
        nodes: &[NodeSpec],
        events: &UnboundedSender<Event>,
    ) -> Result<(), MachineError>;

    /// Creates and starts one node, or finds it as wanted and leaves it alone. CPU and memory limits and networks that
    /// differ are changed in place; another image or package set recreates it.
    async fn create(&self, lab: &LabIdentity, node: &NodeSpec) -> Result<Arc<dyn Connection>, MachineError>;

    /// Connects to a node that exists.
    async fn connect(&self, lab: &str, node: &str) -> Result<Arc<dyn Connection>, MachineError>;

    /// Every node of the lab, or of all labs of this driver.
    async fn list(&self, lab: Option<&str>) -> Result<Vec<FoundNode>, MachineError>;

    /// Every lab of this driver of which anything is left, also if that is only a network; sorted, each once an owner.
    async fn labs(&self) -> Result<Vec<FoundLab>, MachineError>;

    /// Removes the node. A node that is not there is no error.
    async fn destroy(&self, lab: &str, node: &str) -> Result<(), MachineError>;

    /// Removes every node and network with the lab's label, whatever a state file says. Goes on past failures and
    /// returns the first one.
    async fn destroy_lab(&self, lab: &str) -> Result<(), MachineError>;

    /// Where instance directories live on its nodes, for a lab: `/srv/benchtop/LAB`.
    fn instance_root(&self, lab: &str) -> String;

    /// A supervisor for services on that connection's node.
    fn supervisor(&self, connection: Arc<dyn Connection>) -> Box<dyn Supervisor>;
}

/// A bidirectional stream to a program on a node; the program is killed when this is dropped.
pub struct Stream {
    /// To its standard input.
    pub input: Box<dyn AsyncWrite + Send + Unpin>,
    /// From its standard output (and error).
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    /// Kept alive as long as the stream is; dropping it ends the program.
    pub guard: Box<dyn std::any::Any + Send>,
}

/// Talks to one node.
#[async_trait]
pub trait Connection: Send + Sync {
    /// Node name.
    fn node(&self) -> &str;

    /// Address that the other nodes use: on the private network where the node has one there.
    fn address(&self) -> IpAddr;

    /// Address the client uses: on the public network where the node has one there, else [`Connection::address`].
    fn client_address(&self) -> IpAddr {
        self.address()
    }

    /// Address services bind: `0.0.0.0` where the node has its own network.
    fn bind_address(&self) -> IpAddr;

    /// What the driver calls the node's image, for the report; empty when it has none.
    fn image(&self) -> String;

    /// Runs a command to its end. A non-zero status is a result, not an error.
    async fn run(&self, command: &Command) -> Result<Output, MachineError>;

    /// Starts a program and leaves it running with its streams open.
    async fn open(&self, command: &Command) -> Result<Stream, MachineError>;

    /// Opens terminals, where the driver can.
    fn terminals(&self) -> Option<&dyn Terminals> {
        None
    }

    /// Puts files there, all or none as far as the transport allows.
    async fn write(&self, files: &[FileToWrite]) -> Result<(), MachineError>;

    /// Reads a whole file, at most 16 MiB (its end).
    async fn read(&self, path: &str) -> Result<Vec<u8>, MachineError>;

    /// Makes a directory tree go away. Refused for anything not below an instance root.
    async fn remove_tree(&self, path: &str) -> Result<(), MachineError>;
}

/// Size of a terminal in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    /// Lines.
    pub rows: u16,
    /// Characters a line.
    pub columns: u16,
}

/// What a terminal is like for the program on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalKind {
    /// What `TERM` says, `xterm-256color`.
    pub name: String,
    /// Its size at first.
    pub size: TerminalSize,
}

/// A program on a node with a terminal of its own.
pub struct Terminal {
    /// What is typed.
    pub input: Box<dyn AsyncWrite + Send + Unpin>,
    /// What is shown; ends with the program.
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    /// The rest of it; dropping it ends the program.
    pub control: Box<dyn TerminalControl>,
}

/// What can be done to a [`Terminal`] besides typing.
#[async_trait]
pub trait TerminalControl: Send + Sync {
    /// Gives it another size.
    async fn resize(&self, size: TerminalSize) -> Result<(), MachineError>;

    /// The program's exit status (128 + signal when killed), once the output has ended.
    async fn status(&self) -> Result<i32, MachineError>;

    /// Ends the program with everything it started, as dropping this does, and waits for it.
    async fn end(&self);
}

/// Opens terminals on one node: not every way to a machine can.
#[async_trait]
pub trait Terminals: Send + Sync {
    /// Starts a program on a new terminal. The command's limit and standard input do not count here.
    async fn open_terminal(&self, command: &Command, kind: &TerminalKind) -> Result<Terminal, MachineError>;
}

/// What a supervised service is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServiceState {
    /// Never started, or stopped on purpose.
    Stopped,
    /// Running.
    Running {
        /// Its main process in the node's own numbering.
        pid: u32,
    },
    /// Ended by itself.
    Exited {
        /// Exit status (128 + signal).
        status: i32,
        /// The last lines it said.
        last_lines: String,
    },
}

/// Keeps services of one node running.
#[async_trait]
pub trait Supervisor: Send + Sync {
    /// Starts it; already running is fine.
    async fn start(&self, process: &ServiceProcess) -> Result<(), MachineError>;

    /// Stops it with its signal, then (10 s later) for good, with everything it started; not running is fine.
    async fn stop(&self, process: &ServiceProcess) -> Result<(), MachineError>;

    /// Sends a signal (`KILL`, `STOP`, `CONT`, …) to all processes of the service.
    async fn signal(&self, process: &ServiceProcess, signal: &str) -> Result<(), MachineError>;

    /// What it is doing.
    async fn state(&self, process: &ServiceProcess) -> Result<ServiceState, MachineError>;
}
