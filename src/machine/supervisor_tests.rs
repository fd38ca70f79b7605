//! The supervisor against real processes of this machine, through a connection that is only a local shell.

use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::path::Path;

use indexmap::IndexMap;

use super::*;
use crate::machine::command::FileToWrite;
use crate::machine::contract::Stream;

struct LocalShell;

#[async_trait]
impl Connection for LocalShell {
    fn node(&self) -> &str {
        "here"
    }
    fn address(&self) -> IpAddr {
        IpAddr::V4(Ipv4Addr::LOCALHOST)
    }
    fn bind_address(&self) -> IpAddr {
        self.address()
    }
    fn image(&self) -> String {
        String::new()
    }
    async fn run(&self, command: &Command) -> Result<Output, MachineError> {
        let ended = tokio::process::Command::new("sh").arg("-c").arg(&command.script).output().await.unwrap();
        Ok(Output { status: ended.status.code().unwrap_or(255), stdout: ended.stdout, stderr: ended.stderr })
    }
    async fn open(&self, _: &Command) -> Result<Stream, MachineError> {
        Err(MachineError::Injected("no streams here".to_owned()))
    }
    async fn write(&self, _: &[FileToWrite]) -> Result<(), MachineError> {
        Err(MachineError::Injected("no files here".to_owned()))
    }
    async fn read(&self, _: &str) -> Result<Vec<u8>, MachineError> {
        Err(MachineError::Injected("no files here".to_owned()))
    }
    async fn remove_tree(&self, _: &str) -> Result<(), MachineError> {
        Err(MachineError::Injected("no files here".to_owned()))
    }
}

struct Bench {
    folder: tempfile::TempDir,
    supervisor: ShellSupervisor,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("a dir's ").tempdir().unwrap();
        Self { folder, supervisor: ShellSupervisor::new(Arc::new(LocalShell)) }
    }

    fn process(&self, command: &str) -> ServiceProcess {
        ServiceProcess {
            service: "thing".to_owned(),
            dir: self.folder.path().to_str().unwrap().to_owned(),
            command: command.to_owned(),
            stop_signal: "TERM".to_owned(),
            environment: IndexMap::from([("GREETING".to_owned(), "it's me".to_owned())]),
        }
    }

    async fn until(&self, process: &ServiceProcess, wanted: impl Fn(&ServiceState) -> bool) -> ServiceState {
        for _ in 0..100 {
            let state = self.supervisor.state(process).await.unwrap();
            if wanted(&state) {
                return state;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the awaited state did not come");
    }

    async fn number_in(&self, file: &str) -> u32 {
        for _ in 0..100 {
            let text = std::fs::read_to_string(self.folder.path().join(file)).unwrap_or_default();
            if let Ok(number) = text.trim().parse() {
                return number;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{file} was not written");
    }
}

fn is_gone(pid: u32) -> bool {
    !std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|text| !text.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

#[tokio::test]
async fn a_service_starts_once_and_stops_for_good() {
    let bench = Bench::new();
    let process = bench.process("sleep 600");
    assert_eq!(bench.supervisor.state(&process).await.unwrap(), ServiceState::Stopped);
    bench.supervisor.stop(&process).await.unwrap();
    bench.supervisor.start(&process).await.unwrap();
    let ServiceState::Running { pid } = bench.supervisor.state(&process).await.unwrap() else {
        panic!("not running")
    };
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap();
    assert_eq!(name.trim(), "sleep", "the noted process is the server itself");
    bench.supervisor.start(&process).await.unwrap();
    assert_eq!(bench.supervisor.state(&process).await.unwrap(), ServiceState::Running { pid });
    bench.supervisor.stop(&process).await.unwrap();
    assert!(is_gone(pid));
    assert_eq!(bench.supervisor.state(&process).await.unwrap(), ServiceState::Stopped);
    assert!(!Path::new(&process.dir).join("run/exit").exists());
}

#[tokio::test]
async fn an_end_of_its_own_is_kept_with_status_and_last_words() {
    let bench = Bench::new();
    let process = bench.process("echo \"$GREETING\"; echo failing >&2; exit 3");
    bench.supervisor.start(&process).await.unwrap();
    let state = bench.until(&process, |state| !matches!(state, ServiceState::Running { .. })).await;
    assert_eq!(state, ServiceState::Exited { status: 3, last_lines: "it's me\nfailing".to_owned() });
    bench.supervisor.stop(&process).await.unwrap();
    assert_eq!(bench.supervisor.state(&process).await.unwrap(), ServiceState::Stopped);
}

#[tokio::test]
async fn stopping_takes_children_along_also_those_that_left_the_session() {
    let bench = Bench::new();
    let process =
        bench.process("setsid sh -c 'echo $$ >child; trap \"\" TERM; while :; do sleep 1; done' & wait");
    bench.supervisor.start(&process).await.unwrap();
    let child = bench.number_in("child").await;
    assert!(!is_gone(child));
    bench.supervisor.stop(&process).await.unwrap();
    assert!(is_gone(child), "the child ignores TERM and must be killed");
}

#[tokio::test]
async fn a_signal_reaches_the_service_and_a_paused_one_can_be_stopped() {
    let bench = Bench::new();
    let process = bench.process("sleep 600");
    bench.supervisor.start(&process).await.unwrap();
    bench.supervisor.signal(&process, "STOP").await.unwrap();
    bench.supervisor.stop(&process).await.unwrap();
    bench.supervisor.start(&process).await.unwrap();
    bench.supervisor.signal(&process, "SIGKILL").await.unwrap();
    let state = bench.until(&process, |state| !matches!(state, ServiceState::Running { .. })).await;
    assert!(matches!(state, ServiceState::Exited { status: 137, .. }), "{state:?}");
    bench.supervisor.start(&process).await.unwrap();
    assert!(matches!(bench.supervisor.state(&process).await.unwrap(), ServiceState::Running { .. }));
    bench.supervisor.stop(&process).await.unwrap();
}

#[tokio::test]
async fn the_stop_signal_is_the_services_own_and_is_not_ignored() {
    let bench = Bench::new();
    let mut process =
        bench.process("trap 'echo interrupted >got; exit 0' INT; echo 1 >up; while :; do sleep 0.05; done");
    process.stop_signal = "INT".to_owned();
    bench.supervisor.start(&process).await.unwrap();
    bench.number_in("up").await;
    bench.supervisor.stop(&process).await.unwrap();
    let got = std::fs::read_to_string(bench.folder.path().join("got")).unwrap();
    assert_eq!(got.trim(), "interrupted");
}

#[test]
fn only_plain_commands_take_the_shells_place() {
    assert_eq!(replacing_the_shell("nginx -p '/a b' -c x"), "exec nginx -p '/a b' -c x");
    for command in ["A=b nginx", "cd /x && y", "exec nginx", "nginx -g 'daemon off;'", "x | y", ""] {
        assert_eq!(replacing_the_shell(command), command);
    }
}

#[test]
fn only_the_scripts_own_words_are_a_state() {
    assert_eq!(read_state("stopped\n"), Some(ServiceState::Stopped));
    assert_eq!(read_state("running 12\n"), Some(ServiceState::Running { pid: 12 }));
    for text in ["", "running", "running x", "exited\n", "sh: not found"] {
        assert_eq!(read_state(text), None, "{text}");
    }
}
