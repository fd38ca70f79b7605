//! `exec -t`: keys, size and status go through, and the person's terminal is as it was, however it ends.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::bench::{Bench, SMALL};
use crate::pty::Pty;

const ON_TERMINAL: &[&str] = &["exec", "-t", "web1", "--driver", "fake", "--", "top"];

fn bench_with_a_lab() -> Bench {
    let mut bench = Bench::new();
    let file = bench.file("small.yaml", SMALL);
    bench.call(&["up", &file, "--driver", "fake"]).exits(0);
    bench.engine_also("answer top => load");
    bench
}

#[test]
fn keys_size_and_status_go_through_and_the_terminal_is_put_back() {
    let bench = bench_with_a_lab();
    let mut pty = Pty::open(33, 111);
    let before = pty.settings();
    let mut child = pty.start(&bench.command(ON_TERMINAL));
    pty.shows("xterm-256color 33x111\r\nload");
    pty.press("typed");
    pty.shows("typed");
    assert_ne!(pty.settings(), before, "every key goes through as it is");
    pty.resize(20, 70);
    pty.shows("20x70");
    pty.press("\u{4}");
    assert_eq!(child.wait().unwrap().code(), Some(7));
    assert_eq!(pty.settings(), before);

    let mut child = pty.start(&bench.command(ON_TERMINAL));
    pty.shows("load");
    pty.press("\u{3}");
    assert_eq!(child.wait().unwrap().code(), Some(42), "Ctrl-C is the program's");
    assert_eq!(pty.settings(), before);
}

#[test]
fn a_signal_ends_the_program_and_puts_the_terminal_back() {
    let bench = bench_with_a_lab();
    for signal in [Signal::SIGTERM, Signal::SIGHUP] {
        let pty = Pty::open(24, 80);
        let before = pty.settings();
        let mut child = pty.start(&bench.command(ON_TERMINAL));
        pty.shows("load");
        kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        assert_eq!(pty.settings(), before, "{signal}");
    }
    let noted = std::fs::read_to_string(bench.path("engine.log")).unwrap();
    assert_eq!(noted.lines().filter(|line| *line == "end terminal").count(), 2, "{noted}");
}

#[test]
fn an_error_on_a_terminal_is_shown_on_one_that_is_as_it_was() {
    let mut bench = bench_with_a_lab();
    bench.engine_fails_at("open web1");
    let pty = Pty::open(24, 80);
    let before = pty.settings();
    let mut child = pty.start(&bench.command(ON_TERMINAL));
    pty.shows("error: the command on web1 cannot be run\r\n");
    assert_eq!(child.wait().unwrap().code(), Some(4));
    assert_eq!(pty.settings(), before);
}

#[test]
fn without_a_terminal_the_option_is_refused_before_anything_is_done() {
    let bench = bench_with_a_lab();
    bench.call(ON_TERMINAL).exits(2).complains("standard input is no terminal").complains("leave out `-t`");
}
