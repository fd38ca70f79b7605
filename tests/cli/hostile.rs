//! Hostile names, damaged files and services that die: told, healed, and never followed out of the own directories.

use std::fs;

use crate::bench::{Bench, SMALL, repetitions};

#[test]
fn a_lab_name_that_is_a_path_touches_nothing() {
    let mut bench = Bench::new();
    let file = bench.file("small.yaml", SMALL);
    fs::create_dir_all(bench.path("precious")).unwrap();
    let absolute = bench.path("precious").to_string_lossy().into_owned();
    for lab in ["../../../precious", absolute.as_str(), "..", "", "a b"] {
        for verb in [&["up", file.as_str()][..], &["run", file.as_str()], &["down"], &["status"]] {
            let named = [verb, &["--driver", "fake", "--lab", lab]].concat();
            bench.call(&named).exits(2).complains("a lab's name has a-z, 0-9 and -");
        }
    }
    assert!(bench.path("precious").is_dir() && !bench.path("state/benchtop/locks").exists());
    bench.nothing_is_left();
}

#[test]
fn a_lab_whose_state_file_is_damaged_says_how_to_end_it_and_ends() {
    let mut bench = Bench::new();
    let file = bench.file("small.yaml", SMALL);
    for damage in ["", "{\"format\":1", "\0\0\0"] {
        bench.call(&["up", &file, "--driver", "fake"]).exits(0);
        fs::write(bench.path("state/benchtop/labs/small/lab.json"), damage).unwrap();
        bench.call(&["status", "--driver", "fake"]).exits(3).complains("`benchtop down --lab small` removes");
        bench.call(&["down", "--driver", "fake"]).exits(0).prints("small: removed");
        bench.nothing_is_left();
    }
}

#[test]
fn a_damaged_state_file_without_nodes_is_removed_too() {
    let mut bench = Bench::new();
    fs::create_dir_all(bench.path("state/benchtop/labs/small")).unwrap();
    fs::write(bench.path("state/benchtop/labs/small/lab.json"), "{").unwrap();
    bench.call(&["down", "--driver", "fake"]).exits(0).prints("small: no node was left");
    bench.nothing_is_left();
}

#[test]
fn a_run_that_was_killed_before_it_had_a_folder_is_not_said_to_be_resumable() {
    let mut bench = Bench::new();
    let file = bench.file("small.yaml", SMALL);
    bench.call(&["up", &file, "--driver", "fake"]).exits(0);
    let state = bench.path("state/benchtop/labs/small/lab.json");
    let text = fs::read_to_string(&state).unwrap();
    fs::write(&state, text.replace("\"run\": \"up\"", "\"run\": \"20260101-000000-aaaa\"")).unwrap();
    let refused = bench.run_small(&[]).exits(4).complains("`benchtop down --lab small` removes it");
    assert!(!refused.stderr.contains("--resume"), "{}", refused.stderr);
    bench.call(&["down", "--driver", "fake"]).exits(0);
    bench.nothing_is_left();
}

#[test]
fn control_characters_of_a_scenario_never_reach_the_terminal() {
    let bench = Bench::new();
    for (from, to) in [("title: Two nodes", "title: \"\\e[31mred\""), ("  two:", "  \"\\e[31m\":")] {
        let file = bench.file("evil.yaml", &SMALL.replace(from, to));
        let outcome = bench.call(&["check", &file]).exits(3);
        assert!(!outcome.stderr.contains('\u{1b}') && !outcome.stdout.contains('\u{1b}'), "{outcome:?}");
    }
}

#[test]
fn after_a_dead_service_was_started_again_the_balancer_is_asked_before_the_next_window() {
    let mut healed = 0;
    // Which look at the service falls between two cells is for the program to decide.
    for looks in 1..8 {
        let mut bench = Bench::new();
        let (machines, log) = (bench.path("machines.json"), bench.path("engine.log"));
        let script =
            format!("state {}; log {}; die web1.nginx after {looks}", machines.display(), log.display());
        bench.set("BENCHTOP_FAKE", &script);
        if bench.run_small(&["--only", "one", "--seed", "1"]).code != 0 {
            continue;
        }
        let restarted = |line: &serde_json::Value| line["gates"].to_string().contains("service_restarted");
        if !repetitions(&bench.the_run()).iter().any(restarted) {
            continue;
        }
        healed += 1;
        let text = fs::read_to_string(&log).unwrap();
        let started = text.rfind("start web1.nginx").unwrap();
        assert!(text[started..].contains("servers"), "{}", &text[started..]);
    }
    assert!(healed > 0, "the service was never found dead between cells");
}
