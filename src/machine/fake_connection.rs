//! Pretended connections and supervisors: files are kept and read back, commands answer as the script says, services
//! are states without processes, and a sampler tells plausible numbers fifty times a second.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::AsyncWriteExt;

use crate::machine::command::Command;
use crate::machine::command::FileToWrite;
use crate::machine::command::Output;
use crate::machine::contract::Connection;
use crate::machine::contract::ServiceState;
use crate::machine::contract::Stream;
use crate::machine::contract::Supervisor;
use crate::machine::contract::Terminal;
use crate::machine::contract::TerminalKind;
use crate::machine::contract::Terminals;
use crate::machine::error::CommandFailure;
use crate::machine::error::MachineError;
use crate::machine::fake::FakeShared;
use crate::machine::fake_script::Point;
use crate::machine::fake_state::FakeNode;
use crate::machine::fake_state::FakeService;
use crate::machine::fake_state::FakeWorld;
use crate::machine::fake_terminal;
use crate::machine::sampler::sampler_command;
use crate::model::process::ServiceProcess;

/// Time between two lines of the pretended sampler.
const SAMPLE_EVERY: Duration = Duration::from_millis(20);
/// What an injected failure says.
const WORDS: &str = "injected failure";

/// A connection to a pretended machine.
pub struct FakeConnection {
    shared: Arc<FakeShared>,
    lab: String,
    node: String,
    address: IpAddr,
    client_address: IpAddr,
    image: String,
}

impl FakeConnection {
    /// To a node that exists.
    #[must_use]
    pub fn new(shared: Arc<FakeShared>, node: &FakeNode) -> Self {
        Self {
            shared,
            lab: node.lab.clone(),
            node: node.node.clone(),
            address: node.own_address(),
            client_address: node.client_address(),
            image: node.image.clone(),
        }
    }

    /// The node as it is, which another call may have removed.
    fn with_node<T>(&self, act: impl FnOnce(&mut FakeNode) -> T) -> Result<T, MachineError> {
        let key = FakeWorld::key(&self.lab, &self.node);
        let done = self.shared.store.change(|world| world.nodes.get_mut(&key).map(act))?;
        done.ok_or_else(|| MachineError::NoSuchNode { lab: self.lab.clone(), node: self.node.clone() })
    }

    fn failure(&self, command: String, last_lines: &str) -> MachineError {
        MachineError::Command(CommandFailure {
            node: self.node.clone(),
            command,
            status: 1,
            last_lines: last_lines.to_owned(),
        })
    }
}

#[async_trait]
impl Connection for FakeConnection {
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
        self.address
    }

    fn image(&self) -> String {
        self.image.clone()
    }

    async fn run(&self, command: &Command) -> Result<Output, MachineError> {
        let script = &command.script;
        let first = script.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
        self.shared.note(&format!("run {} {first}", self.node));
        self.shared.script.check(Point::Lose, script)?;
        self.with_node(|_| ())?;
        if self.shared.script.hangs(Point::Run, script) {
            tokio::time::sleep(command.at_most).await;
            let (node, seconds) = (self.node.clone(), command.at_most.as_secs());
            return Err(MachineError::TimedOut { node, command: first.to_owned(), seconds });
        }
        if self.shared.script.fails(Point::Run, script) {
            return Ok(Output { status: 1, stdout: Vec::new(), stderr: WORDS.as_bytes().to_vec() });
        }
        Ok(Output { status: 0, stdout: self.shared.script.answer(script).into_bytes(), stderr: Vec::new() })
    }

    /// The sampler runs until it is dropped; anything else says its answer and ends.
    async fn open(&self, command: &Command) -> Result<Stream, MachineError> {
        self.shared.pass(Point::Open, &self.node).await?;
        let (mut output, stdout) = tokio::io::duplex(4096);
        let (input, _) = tokio::io::duplex(4096);
        let task = if command.script == sampler_command().script {
            let (shared, key) = (self.shared.clone(), FakeWorld::key(&self.lab, &self.node));
            tokio::spawn(async move {
                for tick in 0_u64.. {
                    let line = sample(&shared, &key, tick);
                    if output.write_all(line.as_bytes()).await.is_err() {
                        break;
                    }
                    tokio::time::sleep(SAMPLE_EVERY).await;
                }
            })
        } else {
            let answer = self.shared.script.answer(&command.script);
            tokio::spawn(async move {
                // Who hung up does not want the answer.
                let _ = output.write_all(answer.as_bytes()).await;
            })
        };
        let guard = AbortOnDrop(task.abort_handle());
        Ok(Stream { input: Box::new(input), output: Box::new(stdout), guard: Box::new(guard) })
    }

    fn terminals(&self) -> Option<&dyn Terminals> {
        Some(self)
    }

    async fn write(&self, files: &[FileToWrite]) -> Result<(), MachineError> {
        for file in files {
            self.shared.pass(Point::Write, &file.path).await?;
        }
        self.with_node(|node| {
            node.files.extend(files.iter().map(|file| (file.path.clone(), file.content.reveal().to_owned())));
        })
    }

    async fn read(&self, path: &str) -> Result<Vec<u8>, MachineError> {
        match self.with_node(|node| node.files.get(path).cloned())? {
            Some(content) => Ok(content.into_bytes()),
            None => Err(self.failure(format!("read {path}"), "No such file or directory")),
        }
    }

    async fn remove_tree(&self, path: &str) -> Result<(), MachineError> {
        let path = path.trim_end_matches('/');
        let below = path.strip_prefix("/srv/benchtop/").is_some_and(|rest| !rest.is_empty());
        if !below || path.split('/').any(|part| part == "..") {
            return Err(MachineError::OutsideLab { path: path.to_owned() });
        }
        let is_inside = |found: &String| {
            found.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.with_node(|node| {
            node.files.retain(|found, _| !is_inside(found));
            node.services.retain(|dir, _| !is_inside(dir));
        })
    }
}

#[async_trait]
impl Terminals for FakeConnection {
    async fn open_terminal(&self, command: &Command, kind: &TerminalKind) -> Result<Terminal, MachineError> {
        self.shared.pass(Point::Open, &self.node).await?;
        Ok(fake_terminal::open(&self.shared, &self.shared.script.answer(&command.script), kind))
    }
}

struct AbortOnDrop(tokio::task::AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A line of the pretended sampler; each tick counts as a second of a node that has nothing to do.
fn sample(shared: &FakeShared, key: &str, tick: u64) -> String {
    let look = shared.store.look(|world| {
        let node = world.nodes.get(key)?;
        let exited =
            node.services.values().filter(|service| matches!(service, FakeService::Exited(..))).count();
        Some((node.cpus.unwrap_or(1.0), node.memory_bytes.unwrap_or(1 << 30), exited))
    });
    let (cpus, memory, exited) = look.ok().flatten().unwrap_or((1.0, 1 << 30, 0));
    let cpu_us = (tick as f64 * cpus * 0.02e6) as u64;
    format!(
        "sample cpu_us={cpu_us} cpu_user_us={} cpu_system_us={} throttled_us=0 throttled_periods_count=0 \
         memory_bytes={} memory_cache_bytes={} oom_kills_count=0 services_exited={exited} uptime_s_total={tick} \
         sampler_cpu_ticks={} end\n",
        cpu_us * 3 / 4,
        cpu_us / 4,
        memory / 2,
        memory / 8,
        tick / 10,
    )
}

/// Services as states without processes.
pub struct FakeSupervisor {
    shared: Arc<FakeShared>,
    connection: Arc<dyn Connection>,
}

impl FakeSupervisor {
    /// On that connection's node.
    #[must_use]
    pub fn new(shared: Arc<FakeShared>, connection: Arc<dyn Connection>) -> Self {
        Self { shared, connection }
    }

    fn full_name(&self, process: &ServiceProcess) -> String {
        format!("{}.{}", self.connection.node(), process.service)
    }

    fn with_services<T>(
        &self,
        act: impl FnOnce(&mut BTreeMap<String, FakeService>) -> T,
    ) -> Result<T, MachineError> {
        let (name, address) = (self.connection.node(), self.connection.address());
        let done = self.shared.store.change(|world| {
            let found = world.nodes.values_mut().find(|node| node.own_address() == address);
            found.map(|node| act(&mut node.services))
        })?;
        done.ok_or_else(|| MachineError::NoSuchNode { lab: String::new(), node: name.to_owned() })
    }

    fn injected(&self, verb: &str, process: &ServiceProcess) -> MachineError {
        MachineError::Command(CommandFailure {
            node: self.connection.node().to_owned(),
            command: format!("{verb} {}: {}", process.service, process.command),
            status: 1,
            last_lines: WORDS.to_owned(),
        })
    }
}

#[async_trait]
impl Supervisor for FakeSupervisor {
    async fn start(&self, process: &ServiceProcess) -> Result<(), MachineError> {
        let name = self.full_name(process);
        self.shared.note(&format!("start {name}"));
        if self.shared.script.fails(Point::Start, &name) {
            return Err(self.injected("start", process));
        }
        self.with_services(|services| {
            let pid = 100 + u32::try_from(services.len()).unwrap_or(0);
            let running = matches!(services.get(&process.dir), Some(FakeService::Running(_)));
            if !running {
                services.insert(process.dir.clone(), FakeService::Running(pid));
            }
        })
    }

    async fn stop(&self, process: &ServiceProcess) -> Result<(), MachineError> {
        let name = self.full_name(process);
        self.shared.note(&format!("stop {name}"));
        if self.shared.script.fails(Point::Stop, &name) {
            return Err(self.injected("stop", process));
        }
        self.with_services(|services| services.remove(&process.dir)).map(drop)
    }

    async fn signal(&self, process: &ServiceProcess, signal: &str) -> Result<(), MachineError> {
        self.shared.note(&format!("signal {} {signal}", self.full_name(process)));
        let deadly = [("KILL", 137), ("TERM", 143), ("ABRT", 134)];
        let Some((_, status)) = deadly.iter().find(|(name, _)| *name == signal) else { return Ok(()) };
        self.with_services(|services| {
            if let Some(service) = services.get_mut(&process.dir) {
                *service = FakeService::Exited(*status, format!("killed by {signal}"));
            }
        })
    }

    async fn state(&self, process: &ServiceProcess) -> Result<ServiceState, MachineError> {
        let dies = self.shared.is_last_look(&self.full_name(process));
        self.with_services(|services| match services.get_mut(&process.dir) {
            None => ServiceState::Stopped,
            Some(service) => {
                if dies {
                    *service = FakeService::Exited(137, "injected death".to_owned());
                }
                service.state()
            }
        })
    }
}
