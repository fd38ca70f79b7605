//! A terminal of a test's own: a program is started on it as a login would, keys are typed, and what it shows is read.

#![expect(clippy::unwrap_used, reason = "this is test code outside of test functions")]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};
use nix::sys::termios::tcgetattr;

/// Nothing that a test waits for takes longer.
const AT_MOST: Duration = Duration::from_secs(60);

/// Both sides of it.
pub struct Pty {
    keys: File,
    programs: OwnedFd,
    shown: Arc<Mutex<String>>,
}

impl Pty {
    pub fn open(rows: u16, columns: u16) -> Self {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let both = openpty(Some(&size), None).unwrap();
        let (keys, shown) = (File::from(both.master), Arc::new(Mutex::new(String::new())));
        let (mut from, into) = (keys.try_clone().unwrap(), shown.clone());
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = from.read(&mut buffer) {
                into.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..read]));
            }
        });
        Self { keys, programs: both.slave, shown }
    }

    fn side(&self) -> Stdio {
        Stdio::from(self.programs.try_clone().unwrap())
    }

    /// Starts a command in a session of its own, with this as its terminal.
    pub fn start(&self, command: &Command) -> Child {
        let mut whole = Command::new("setsid");
        whole.arg("--ctty").arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => whole.env(name, value),
                None => whole.env_remove(name),
            };
        }
        if let Some(folder) = command.get_current_dir() {
            whole.current_dir(folder);
        }
        whole.env("TERM", "xterm-256color");
        whole.stdin(self.side()).stdout(self.side()).stderr(self.side()).spawn().unwrap()
    }

    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until it has shown a text, and forgets everything up to it.
    #[track_caller]
    pub fn shows(&self, text: &str) {
        let started = Instant::now();
        loop {
            let mut shown = self.shown.lock().unwrap();
            if let Some(at) = shown.find(text) {
                shown.drain(..at + text.len());
                return;
            }
            assert!(started.elapsed() < AT_MOST, "no {text:?} in {shown:?}");
            drop(shown);
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Gives it another size, as when a window is dragged.
    pub fn resize(&self, rows: u16, columns: u16) {
        let (rows, columns) = (rows.to_string(), columns.to_string());
        let mut change = Command::new("stty");
        assert!(
            change.args(["rows", &rows, "cols", &columns]).stdin(self.side()).status().unwrap().success()
        );
    }

    /// Its settings, to be compared.
    pub fn settings(&self) -> String {
        let settings = tcgetattr(self.programs.as_fd()).unwrap();
        format!(
            "{:?} {:?} {:?} {:?}",
            settings.input_flags, settings.output_flags, settings.control_flags, settings.local_flags
        )
    }
}
