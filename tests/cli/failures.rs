//! A failure at every step: the right exit code, the first error shown, results kept, nothing left behind.

use std::collections::BTreeSet;

use crate::bench::{Bench, SMALL, record, repetitions};

#[test]
fn a_failing_step_of_provisioning_exits_4_and_leaves_nothing() {
    let steps = [
        ("preflight", "injected failure"),
        ("prepare", "injected failure"),
        ("create web2", "injected failure"),
        ("write nginx.conf", "injected failure"),
        ("run nginx -t", "status 1"),
        ("start web1.nginx", "injected failure"),
    ];
    for (step, words) in steps {
        let mut bench = Bench::new();
        bench.engine_fails_at(step);
        let outcome = bench.run_small(&[]);
        assert_eq!(outcome.code, 4, "{step}:\n{}", outcome.stderr);
        let errors: Vec<&str> = outcome.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(errors.len(), 1, "{step}: one error and its causes:\n{}", outcome.stderr);
        assert!(outcome.stderr.contains(words), "{step}:\n{}", outcome.stderr);
        assert!(!outcome.stdout.contains("report: "), "{step}: there is nothing to report");
        bench.nothing_is_left();
    }
}

#[test]
fn a_failing_measurement_exits_5_keeps_what_was_measured_and_can_be_resumed() {
    let mut bench = Bench::new();
    bench.client_fails_at(6);
    bench.run_small(&["--repeat", "4"]).exits(5).complains("error: ").complains("--resume");
    let run = bench.the_run();
    let kept = repetitions(&run).len();
    assert!((1..8).contains(&kept), "{kept} of 8 cells were kept");
    assert_eq!(record(&run)["state"], "interrupted");
    bench.nothing_is_left();

    bench.call(&["run", "--resume", run.to_str().unwrap()]).exits(0).prints("report: ");
    let cells = repetitions(&bench.the_run());
    let (superseded, counted): (Vec<_>, Vec<_>) = cells.iter().partition(|cell| cell["superseded"] == true);
    let cell_of = |cell: &serde_json::Value| format!("{} {}", cell["round"], cell["variant"]);
    let different: BTreeSet<String> = counted.iter().map(|cell| cell_of(cell)).collect();
    assert_eq!((counted.len(), different.len()), (8, 8), "two variants in four rounds, each once");
    assert!(superseded.len() <= 1, "at most the one cell of the interrupted round");
    for old in superseded {
        let new = counted.iter().find(|cell| cell_of(cell) == cell_of(old)).unwrap();
        assert_eq!((&old["attempt"], &new["attempt"]), (&1.into(), &2.into()));
    }
    assert_eq!(record(&run)["state"], "complete");
    bench.nothing_is_left();
}

#[test]
fn a_run_is_resumed_from_its_record_and_never_from_an_edited_scenario() {
    let mut bench = Bench::new();
    bench.client_fails_at(3);
    bench.run_small(&[]).exits(5);
    bench.heal();
    let broken = bench.file("small.yaml", "name: [");
    let outcome = bench.call(&["run", &broken, "--resume", "small"]).exits(0);
    outcome.complains("is not read");
    assert_eq!(bench.runs().len(), 1);
}

#[test]
fn a_complete_run_cannot_be_made_longer_by_resuming() {
    let bench = Bench::new();
    bench.run_small(&[]).exits(0);
    bench.call(&["run", "--resume", "small"]);
    assert_eq!(repetitions(&bench.the_run()).len(), 4);
}

#[test]
fn a_teardown_that_fails_exits_7_after_the_result_and_names_the_way_out() {
    let mut bench = Bench::new();
    bench.engine_fails_at("destroy web1");
    let outcome = bench.run_small(&[]).exits(7).prints("report: ");
    outcome.complains("injected failure").complains("benchtop down --lab small");
    bench.heal();
    bench.call(&["down", "--lab", "small", "--driver", "fake"]).exits(0).prints("small: removed");
    bench.nothing_is_left();
}

#[test]
fn a_teardown_that_fails_does_not_hide_the_first_error() {
    let mut bench = Bench::new();
    bench.engine_fails_at("destroy web1");
    bench.client_fails_at(1);
    let outcome = bench.run_small(&[]).exits(5);
    let first = outcome.stderr.lines().find(|line| line.starts_with("error: ")).unwrap();
    assert!(!first.contains("destroy") && !first.contains("taken down"), "{first}");
    assert!(outcome.stderr.contains("benchtop down"), "{}", outcome.stderr);
    bench.heal();
    bench.call(&["down", "--all", "--driver", "fake"]).exits(0);
    bench.nothing_is_left();
}

#[test]
fn labs_are_found_by_their_labels_when_the_state_is_lost() {
    let mut bench = Bench::new();
    bench.engine_fails_at("destroy web1");
    bench.run_small(&[]).exits(7);
    bench.heal();
    std::fs::remove_dir_all(bench.path("state")).unwrap();
    bench.call(&["down", "--all", "--driver", "fake"]).exits(0).prints("small: removed");
    bench.nothing_is_left();
}

#[test]
fn anothers_lab_of_the_same_name_is_neither_used_nor_removed() {
    let mut bench = Bench::new();
    bench.file("small.yaml", SMALL);
    bench.call(&["up", "small.yaml", "--driver", "fake"]).exits(0);
    let world = bench.path("engine.json");
    let ours = std::fs::read_to_string(&world).unwrap();
    let owner = ours.split("\"owner\":").nth(1).unwrap().split('"').nth(1).unwrap().to_owned();
    let name = format!("\"{owner}\"");
    std::fs::write(&world, ours.replace(&name, "\"somebody\"")).unwrap();
    for verb in
        [&["down", "--lab", "small", "--driver", "fake"][..], &["up", "small.yaml", "--driver", "fake"]]
    {
        bench.call(verb).exits(4).complains("lab small on this engine belongs to somebody");
    }
    let theirs = std::fs::read_to_string(&world).unwrap();
    std::fs::write(&world, theirs.replace("\"somebody\"", &name)).unwrap();
    bench.call(&["down", "--lab", "small", "--driver", "fake"]).exits(0);
    bench.nothing_is_left();
}
