//! A canary in every place where a secret may stand is found nowhere but where it was asked for.

use std::fs;

use crate::bench::{Bench, Outcome, SMALL, every_file};

const CANARY: &str = "canary-7f3a91";

/// The small scenario with a secret parameter and a secret header.
fn scenario() -> String {
    SMALL
        .replace(
            "{bind: 80, backends: web.nginx}",
            "{bind: 80, backends: web.nginx, stats: {uri: /stats, user: cda, password: \"${STATS_PASSWORD}\"}}",
        )
        .replace("  node: frontend\n", "  node: frontend\n  headers: {Authorization: \"Bearer ${STATS_PASSWORD}\"}\n")
}

#[track_caller]
fn silent(outcome: &Outcome, where_: &str) {
    for (stream, text) in [("standard output", &outcome.stdout), ("standard error", &outcome.stderr)] {
        assert!(!text.contains(CANARY), "the canary sings on {stream} of {where_}:\n{text}");
    }
}

#[test]
fn a_secret_is_in_no_output_no_command_and_no_file_of_a_run() {
    let mut bench = Bench::new();
    bench.set("STATS_PASSWORD", CANARY);
    let file = bench.file("small.yaml", &scenario());
    for verb in ["check", "plan", "render"] {
        silent(&bench.call(&[verb, &file]).exits(0), verb);
        silent(&bench.call(&[verb, &file, "--format", "json"]).exits(0), verb);
    }
    silent(&bench.call(&["run", &file, "--driver", "fake", "--verbose"]).exits(0), "run");
    let mut files = every_file(&bench.path("reports"));
    assert!(files.len() > 4);
    // Commands are seen in process lists.
    files.push(bench.path("engine.log"));
    for path in files {
        let text = fs::read(&path).unwrap();
        let sings = text.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
        assert!(!sings, "the canary sings in {}", path.display());
    }
    bench.nothing_is_left();
}

#[test]
fn a_secret_is_in_no_error() {
    for step in ["write haproxy.cfg", "run haproxy -c", "start frontend.haproxy"] {
        let mut bench = Bench::new();
        bench.set("STATS_PASSWORD", CANARY);
        bench.engine_fails_at(step);
        let file = bench.file("small.yaml", &scenario());
        silent(&bench.call(&["run", &file, "--driver", "fake", "--verbose"]).exits(4), step);
    }
    let mut bench = Bench::new();
    bench.set("STATS_PASSWORD", CANARY);
    let file = bench.file("small.yaml", &scenario().replace("uri: /stats", "uril: /stats"));
    silent(&bench.call(&["check", &file]).exits(3), "check");
}

#[test]
fn logins_are_shown_only_when_asked_for() {
    let mut bench = Bench::new();
    bench.set("STATS_PASSWORD", CANARY);
    let file = bench.file("small.yaml", &scenario());
    silent(&bench.call(&["up", &file, "--driver", "fake"]).exits(0), "up");
    silent(&bench.call(&["status", "--driver", "fake"]).exits(0), "status");
    silent(&bench.call(&["status", "--driver", "fake", "--format", "json"]).exits(0), "status");
    bench.call(&["status", "--logins", "--driver", "fake"]).exits(0).prints(CANARY);
    bench.call(&["down", "--driver", "fake"]).exits(0);
    bench.nothing_is_left();
}
