//! One builder for the tests: an own folder, state directory and reports, the program with its fakes, what came of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::fake;

/// No call of the program on fakes takes longer; one that does hangs.
const AT_MOST: Duration = Duration::from_secs(60);

/// A scenario with one level, two rounds and two variants.
pub const SMALL: &str = "\
name: small
defaults: {cpus: 0.4, memory: 192MiB}
nodes:
  frontend:
    services:
      haproxy: {bind: 80, backends: web.nginx}
  web:
    count: 2
    services:
      php-fpm: {workers: 4}
      nginx: {listen: 80, php: php-fpm}
      php-app: {web: nginx, sleep: 50ms}
target:
  url: http://www.example.org/
  node: frontend
load: {connections: [4], duration: 2s, warm_up: 1s}
repeat: 2
variants:
  one: {set: {nodes.web.count: 1}}
  two: {title: Two nodes}
questions:
  - {ask: 'Do two serve more than one?', compare: [one, two], at: 4}
";

/// The world of one test.
pub struct Bench {
    root: TempDir,
    engine: String,
    client: String,
    environment: Vec<(&'static str, String)>,
}

/// What a call gave.
#[derive(Debug)]
pub struct Outcome {
    /// Exit code.
    pub code: i32,
    /// Data.
    pub stdout: String,
    /// Everything else.
    pub stderr: String,
}

impl Outcome {
    /// Fails with everything that was said unless the exit code is this one.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Fails unless standard error holds this text.
    #[track_caller]
    pub fn complains(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "no `{text}` in:\n{}", self.stderr);
        self
    }

    /// Fails unless standard output holds this text.
    #[track_caller]
    pub fn prints(self, text: &str) -> Self {
        assert!(self.stdout.contains(text), "no `{text}` in:\n{}", self.stdout);
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}:\n{}", self.stdout))
    }
}

impl Bench {
    /// An empty world.
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let engine = fake::engine(root.path());
        Self { root, engine, client: String::new(), environment: Vec::new() }
    }

    /// From now on this of the engine fails: `create web2`, `write nginx.conf`, `start web1.nginx`, …
    pub fn engine_fails_at(&mut self, what: &str) {
        self.engine = fake::engine_failing_at(self.root.path(), what);
    }

    /// From now on the engine does this too: `answer TEXT => ANSWER`, …
    pub fn engine_also(&mut self, statement: &str) {
        self.engine = format!("{}; {statement}", self.engine);
    }

    /// From now on the n-th measurement of a call fails.
    pub fn client_fails_at(&mut self, measurement: u64) {
        self.client = fake::client_failing_at(measurement);
    }

    /// From now on the n-th measurement of a call goes on until it is cancelled.
    pub fn client_hangs_at(&mut self, measurement: u64) {
        self.client = fake::client_hanging_at(measurement);
    }

    /// From now on nothing fails.
    pub fn heal(&mut self) {
        self.engine = fake::engine(self.root.path());
        self.client = String::new();
    }

    /// Sets a variable of the environment for all calls that follow.
    pub fn set(&mut self, name: &'static str, value: &str) {
        self.environment.push((name, value.to_owned()));
    }

    /// A path in this world.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Writes a file and gives its path as an argument.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    }

    /// The program with this world's environment, working in it.
    pub fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_benchtop"));
        command
            .args(arguments)
            .current_dir(self.root.path())
            .env("XDG_STATE_HOME", self.path("state"))
            .env("BENCHTOP_FAKE", &self.engine)
            .env("BENCHTOP_FAKE_LOAD", &self.client)
            .env("NO_COLOR", "1")
            .env_remove("DOCKER_HOST")
            .envs(self.environment.iter().map(|(name, value)| (*name, value.as_str())));
        command
    }

    /// Calls the program.
    #[track_caller]
    pub fn call(&self, arguments: &[&str]) -> Outcome {
        let mut command = assert_cmd::Command::from_std(self.command(arguments));
        let output = command.timeout(AT_MOST).output().unwrap();
        Outcome {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Calls `run` on the small scenario, further arguments after it.
    #[track_caller]
    pub fn run_small(&self, further: &[&str]) -> Outcome {
        let file = self.file("small.yaml", SMALL);
        self.call(&[&["run", file.as_str(), "--driver", "fake"], further].concat())
    }

    /// The run folders, oldest first.
    pub fn runs(&self) -> Vec<PathBuf> {
        let scenarios = folders(&self.path("reports"));
        let mut runs: Vec<PathBuf> = scenarios.iter().flat_map(|scenario| folders(scenario)).collect();
        runs.sort();
        runs
    }

    /// The one run folder.
    #[track_caller]
    pub fn the_run(&self) -> PathBuf {
        let runs = self.runs();
        assert_eq!(runs.len(), 1, "{runs:?}");
        runs[0].clone()
    }

    /// Fails unless the engine has no node and the state directory no lab.
    #[track_caller]
    pub fn nothing_is_left(&mut self) {
        self.heal();
        let outcome = self.call(&["down", "--all", "--driver", "fake", "--format", "json"]).exits(0);
        let labs = outcome.json();
        let removed: Vec<&Value> = labs.as_array().unwrap().iter().map(|lab| &lab["removed"]).collect();
        assert!(removed.iter().all(|removed| removed.as_array().unwrap().is_empty()), "left behind: {labs}");
        assert_eq!(
            folders(&self.path("state/benchtop/labs")),
            Vec::<PathBuf>::new(),
            "a lab's state is left"
        );
    }
}

/// `run.json` of a run.
pub fn record(run: &Path) -> Value {
    serde_json::from_slice(&fs::read(run.join("run.json")).unwrap()).unwrap()
}

/// The lines of `repetitions.jsonl`.
pub fn repetitions(run: &Path) -> Vec<Value> {
    let text = fs::read_to_string(run.join("repetitions.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every file below a folder.
pub fn every_file(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { every_file(&path) } else { vec![path] }).collect()
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}
