//! `exec -t` on a real engine: a shell, a program with a screen, and nothing left running when it is cut short. Runs
//! only with `BENCHTOP_TEST_DOCKER=1`.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

#[path = "terminal_support/pty.rs"]
mod pty;

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use pty::Pty;

const LAB: &str = "t-terminal";
const NODE: &str = "frontend";

/// A lab that is taken down when the test ends, however it ends.
struct Up(tempfile::TempDir);

impl Up {
    fn benchtop(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_benchtop"));
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments);
        command.env("XDG_STATE_HOME", self.0.path().join("state"));
        command
    }

    fn on_terminal(&self, words: &[&str]) -> Command {
        self.benchtop(&[&["exec", "-t", NODE, "--lab", LAB, "--"], words].concat())
    }

    fn say(&self, script: &str) -> String {
        let output = self.benchtop(&["exec", NODE, "--lab", LAB, "--", "sh", "-c", script]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.benchtop(&["down", "--lab", LAB]).output();
    }
}

fn succeeded(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_shell_and_a_program_with_a_screen_have_a_terminal_of_their_own() {
    if std::env::var("BENCHTOP_TEST_DOCKER").as_deref() != Ok("1") {
        println!("skipped: BENCHTOP_TEST_DOCKER=1 is not set, so no Docker engine is touched");
        return;
    }
    let up = Up(tempfile::tempdir().unwrap());
    let scenario = ["up", "tests/data/docker_small.yaml", "--variant", "one", "--lab", LAB];
    succeeded(
        &up.benchtop(&[&scenario[..], &["--set", "nodes.frontend.packages=[hatop]"]].concat())
            .output()
            .unwrap(),
    );
    let mut pty = Pty::open(31, 97);
    let before = pty.settings();

    let mut child = pty.start(&up.on_terminal(&["sh"]));
    pty.shows("# ");
    pty.press("tty && echo size: $(stty size) on $TERM\r");
    pty.shows("/dev/pts/");
    pty.shows("size: 31 97 on xterm-256color");
    pty.resize(22, 60);
    // The new size takes a moment to get there.
    pty.press("until stty size | grep '^22 60'; do sleep 0.1; done\r");
    pty.shows("\n22 60");
    pty.press("printf '\\0\\1\\2e''nd\\n'; exit 5\r");
    pty.shows("\u{0}\u{1}\u{2}end");
    assert_eq!(child.wait().unwrap().code(), Some(5));
    assert_eq!(pty.settings(), before);

    let waiting = "trap 'echo caught; exit 3' INT; echo ready; sleep 4243";
    let mut child = pty.start(&up.on_terminal(&["sh", "-c", waiting]));
    pty.shows("ready");
    pty.press("\u{3}");
    pty.shows("caught");
    assert_eq!(child.wait().unwrap().code(), Some(3), "Ctrl-C is the program's");

    let mut child = pty.start(&up.on_terminal(&["sh", "-c", waiting]));
    pty.shows("ready");
    let ended = Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(ended.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(pty.settings(), before);
    let started = Instant::now();
    while up.say("pgrep -xfc 'sleep 4243' || true") != "0" {
        assert!(started.elapsed() < Duration::from_secs(10), "what ran on the terminal still runs");
    }

    pty.resize(40, 120);
    let socket = up.say("ls /srv/benchtop/*/*/admin.sock");
    let mut child = pty.start(&up.on_terminal(&["hatop", "-s", &socket]));
    pty.shows("HATop");
    pty.shows("web1");
    pty.press("q");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(pty.settings(), before);
}
