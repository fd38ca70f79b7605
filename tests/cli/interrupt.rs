//! Signals while measuring: the lab is taken down, results stay, the exit code says so.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::bench::{Bench, SMALL, record, repetitions};

#[test]
fn a_signal_while_measuring_exits_130_takes_the_lab_down_and_keeps_results() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let mut bench = Bench::new();
        // Far enough for a result, whether or not the probes of the two variants count as measurements.
        bench.client_hangs_at(5);
        let file = bench.file("small.yaml", SMALL);
        let mut child = bench
            .command(&["run", &file, "--driver", "fake", "--repeat", "4"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut words = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains("good/s of") {
            assert!(words.read_line(&mut said).unwrap() > 0, "ended before it measured:\n{said}");
        }
        kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
        words.read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}:\n{said}");
        assert!(said.contains("interrupted"), "{signal}:\n{said}");
        let run = bench.the_run();
        let measured = repetitions(&run).len();
        assert!((1..8).contains(&measured), "{measured} of 8 cells");
        assert_eq!(record(&run)["state"], "interrupted", "{signal}");
        bench.nothing_is_left();
    }
}
