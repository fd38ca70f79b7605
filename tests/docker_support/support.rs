//! What tests on a real engine share: labs that clean up after themselves, a census of the engine, a relay socket
//! that can refuse, hang or reset, and eyes on process lists.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "this is test code outside of test functions")]

use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const ENGINE_SOCKET: &str = "/var/run/docker.sock";

/// Whether tests on the real engine are asked for; says so when they are not.
pub fn enabled(what: &str) -> bool {
    let asked = std::env::var("BENCHTOP_TEST_DOCKER").is_ok_and(|value| value == "1");
    if !asked {
        println!("skipped: {what} (needs a Docker engine; set BENCHTOP_TEST_DOCKER=1)");
    }
    asked
}

/// Polls a condition, and fails with its name when it does not come true in time.
pub fn wait_until(what: &str, at_most: Duration, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < at_most, "{what} did not come within {at_most:?}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Names of everything the engine holds that a lab could leave behind.
#[derive(Debug, PartialEq, Eq)]
pub struct Census(Vec<String>);

impl Census {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What a lab that is gone holds.
pub const fn nothing() -> Census {
    Census(Vec::new())
}

/// The engine as the tests see it, through its own client.
pub struct Engine;

impl Engine {
    /// Containers and networks of a lab, by label and by name, so that other labs on the engine do not matter.
    pub fn census(lab: &str) -> Census {
        let lists: [&[&str]; 2] =
            [&["ps", "-a", "--format", "{{.Names}}"], &["network", "ls", "--format", "{{.Name}}"]];
        let mut names = Vec::new();
        for list in lists {
            for filter in [format!("label=benchtop.lab={lab}"), format!("name=benchtop-{lab}")] {
                let output = Command::new("docker").args(list).args(["--filter", &filter]).output().unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                names.extend(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned));
            }
        }
        names.sort();
        names.dedup();
        Census(names)
    }
}

/// A lab of a test: its own name, state and reports; removed by `down` when the test ends, however it ends.
pub struct Lab {
    name: &'static str,
    directory: tempfile::TempDir,
}

impl Lab {
    pub fn new(name: &'static str) -> Self {
        Self { name, directory: tempfile::tempdir().unwrap() }
    }

    /// A benchtop command on this lab. `run --resume` takes the lab from the run; everything after `--` belongs to
    /// the command on the node.
    pub fn benchtop(&self, arguments: &[&str]) -> Command {
        let mut words = arguments.to_vec();
        if arguments != ["run", "--resume"] {
            let at = words.iter().position(|word| *word == "--").unwrap_or(words.len());
            words.splice(at..at, ["--lab", self.name]);
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_benchtop"));
        command
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args(&words)
            .env("XDG_STATE_HOME", self.directory.path().join("state"))
            .env("BENCHTOP_REPORTS", self.reports());
        command
    }

    pub fn reports(&self) -> PathBuf {
        self.directory.path().join("reports")
    }

    /// The one run folder of a scenario, once it is there.
    pub fn find_run(&self, scenario: &str) -> Option<PathBuf> {
        let mut folders = fs::read_dir(self.reports().join(scenario)).ok()?;
        Some(folders.next()?.ok()?.path())
    }

    pub fn only_run(&self, scenario: &str) -> PathBuf {
        let folders: Vec<_> = fs::read_dir(self.reports().join(scenario)).unwrap().collect();
        assert_eq!(folders.len(), 1, "one run folder");
        self.find_run(scenario).unwrap()
    }

    /// Whole lines in `repetitions.jsonl` that count.
    pub fn repetitions(&self, folder: &Path) -> usize {
        let text = fs::read_to_string(folder.join("repetitions.jsonl")).unwrap_or_default();
        text.lines().filter(|line| line.ends_with('}') && !line.contains("\"superseded\":true")).count()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = self.benchtop(&["down"]).output();
    }
}

/// How a relay answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelayMode {
    /// Hands everything to the real engine.
    Pass,
    /// Nobody listens.
    Refuse,
    /// Accepts and never answers.
    Hang,
    /// Accepts and closes at once.
    Reset,
}

/// A socket between benchtop and the engine.
pub struct Relay {
    directory: tempfile::TempDir,
    mode: Arc<AtomicU8>,
    open: Arc<Mutex<Vec<UnixStream>>>,
}

impl Relay {
    pub fn start(mode: RelayMode) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("engine.sock");
        let shared = Arc::new(AtomicU8::new(mode as u8));
        let open = Arc::new(Mutex::new(Vec::new()));
        if mode != RelayMode::Refuse {
            let listener = UnixListener::bind(&path).unwrap();
            let (shared, open) = (shared.clone(), open.clone());
            thread::spawn(move || {
                for stream in listener.incoming().map_while(Result::ok) {
                    serve(stream, shared.load(Ordering::SeqCst), &open);
                }
            });
        }
        Self { directory, mode: shared, open }
    }

    /// What DOCKER_HOST must say.
    pub fn host(&self) -> String {
        format!("unix://{}", self.directory.path().join("engine.sock").display())
    }

    /// Changes the mode; connections that are open are closed.
    pub fn set(&self, mode: RelayMode) {
        self.mode.store(mode as u8, Ordering::SeqCst);
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn serve(stream: UnixStream, mode: u8, open: &Arc<Mutex<Vec<UnixStream>>>) {
    if mode == RelayMode::Hang as u8 {
        open.lock().unwrap().push(stream);
    } else if mode == RelayMode::Pass as u8 {
        let engine = UnixStream::connect(ENGINE_SOCKET).unwrap();
        let mut kept = open.lock().unwrap();
        kept.push(stream.try_clone().unwrap());
        kept.push(engine.try_clone().unwrap());
        let pairs = [(stream.try_clone().unwrap(), engine.try_clone().unwrap()), (engine, stream)];
        for (from, to) in pairs {
            thread::spawn(move || copy(from, to));
        }
    }
}

fn copy(mut from: UnixStream, mut to: UnixStream) {
    let mut buffer = [0_u8; 16 << 10];
    while let Ok(read) = from.read(&mut buffer) {
        if read == 0 || to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

/// Looks at every process's command line and environment-free title until it is dropped.
pub struct ProcessWatcher {
    stop: Arc<AtomicBool>,
    seen: Arc<Mutex<Vec<String>>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl ProcessWatcher {
    /// Command lines that held the word, own test process left out.
    pub fn seen(mut self) -> Vec<String> {
        self.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
        self.seen.lock().unwrap().clone()
    }
}

/// Starts looking for a word in process lists.
pub fn watch_process_lists(word: &str) -> ProcessWatcher {
    let (stop, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
    let (stopped, found, word) = (stop.clone(), seen.clone(), word.to_owned());
    let thread = thread::spawn(move || {
        while !stopped.load(Ordering::SeqCst) {
            let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
            for entry in entries.filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok()) {
                let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                let line = String::from_utf8_lossy(&line).replace('\0', " ");
                if line.contains(&word) {
                    found.lock().unwrap().push(line);
                }
            }
            thread::sleep(Duration::from_millis(10));
        }
    });
    ProcessWatcher { stop, seen, thread: Some(thread) }
}

/// Files below a directory that hold a word.
pub fn files_with(directory: PathBuf, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![directory];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().filter_map(Result::ok) {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if fs::read(&path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(word)) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}
