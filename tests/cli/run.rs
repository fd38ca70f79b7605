//! Whole runs: what is written, what is printed, what thresholds decide, and reports made again.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::bench::{Bench, SMALL, record, repetitions};

#[test]
fn a_run_measures_every_cell_writes_its_report_and_leaves_nothing() {
    let mut bench = Bench::new();
    let outcome = bench.run_small(&[]).exits(0).prints("report: reports/small/");
    let run = bench.the_run();
    for file in ["run.json", "repetitions.jsonl", "telemetry.jsonl", "report.md"] {
        assert!(run.join(file).is_file(), "{file} is missing");
    }
    assert!(
        fs::read_dir(&run).unwrap().any(|entry| entry
            .unwrap()
            .path()
            .extension()
            .is_some_and(|e| e == "png"))
    );
    assert!(outcome.stdout.contains("one") && outcome.stdout.contains("two"), "{}", outcome.stdout);
    let cells = repetitions(&run);
    assert_eq!(cells.len(), 4, "two variants, one level, two rounds");
    assert!(cells.iter().all(|cell| cell["completed"].as_u64().unwrap() > 0));
    assert_eq!(record(&run)["state"], "complete");
    bench.nothing_is_left();
}

#[test]
fn every_scenario_of_the_project_runs_and_reports() {
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            let mut bench = Bench::new();
            let file = path.to_string_lossy().into_owned();
            let outcome = bench.call(&["run", &file, "--driver", "fake"]);
            // The fake client's numbers say nothing about a scenario's thresholds.
            assert!([0, 6].contains(&outcome.code), "{file}: {}\n{}", outcome.code, outcome.stderr);
            assert!(bench.the_run().join("report.md").is_file(), "{file}");
            bench.nothing_is_left();
        }
    }
}

#[test]
fn progress_off_a_terminal_is_one_line_a_phase_and_a_cell_and_none_when_quiet() {
    let bench = Bench::new();
    let outcome = bench.run_small(&[]).exits(0);
    let cells: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("good/s of")).collect();
    assert_eq!(cells.len(), 4, "{}", outcome.stderr);
    assert!(cells[3].starts_with("round 2/2, cell 4/4: "), "{}", cells[3]);
    assert!(outcome.stderr.contains("measuring …") && outcome.stderr.contains("taking down …"));
    assert!(
        !outcome.stderr.contains('\u{1b}') && !outcome.stdout.contains('\u{1b}'),
        "colour or cursor movement"
    );
    let quiet = bench.run_small(&["--quiet"]).exits(0);
    assert!(!quiet.stderr.contains("good/s") && !quiet.stderr.contains(" …"), "{}", quiet.stderr);
    assert!(quiet.stdout.contains("report: "));
}

#[test]
fn an_action_inside_the_window_is_done_in_every_cell_and_taken_back() {
    let mut bench = Bench::new();
    let timed = "two: {title: Two nodes, actions: [{node: web2, do: nginx.stop, at: 0s}]}";
    let scenario = SMALL.replace("two: {title: Two nodes}", timed).replace("warm_up: 1s", "warm_up: 0s");
    let file = bench.file("timed.yaml", &scenario);
    bench.call(&["run", &file, "--driver", "fake"]).exits(0);
    let cells = repetitions(&bench.the_run());
    assert_eq!(cells.len(), 4);
    for cell in cells {
        let gates = cell["gates"].as_array().unwrap();
        let done = gates.iter().filter(|gate| gate["gate"] == "action_done").count();
        assert_eq!(done, usize::from(cell["variant"] == "two"), "{gates:?}");
        // Stopped on purpose, started again before the next cell: neither a death nor a restart of the dead.
        assert!(
            gates.iter().all(|gate| gate["gate"] != "service_died" && gate["gate"] != "service_restarted")
        );
    }
    bench.nothing_is_left();
}

#[test]
fn parts_of_a_scenario_can_be_run_and_that_is_recorded() {
    let bench = Bench::new();
    let parts = ["--only", "two", "--levels", "4", "--repeat", "3", "--seed", "7", "--reports", "elsewhere"];
    bench.run_small(&parts).exits(0).prints("report: elsewhere/small/");
    let scenario = fs::read_dir(bench.path("elsewhere/small")).unwrap().next().unwrap().unwrap().path();
    let cells = repetitions(&scenario);
    assert_eq!(cells.len(), 3);
    assert!(cells.iter().all(|cell| cell["variant"] == "two"));
    assert_eq!(record(&scenario)["seed"], 7);
    assert!(!record(&scenario)["partial"].as_array().unwrap().is_empty());
    assert_ne!(bench.run_small(&["--only", "three"]).code, 0);
    assert_ne!(bench.run_small(&["--levels", "5"]).code, 0);
}

#[test]
fn the_same_seed_gives_the_same_order_and_another_seed_another_one() {
    let order = |seed: &str| {
        let bench = Bench::new();
        bench.run_small(&["--seed", seed, "--repeat", "12"]).exits(0);
        let cells = repetitions(&bench.the_run());
        cells.iter().map(|cell| cell["variant"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let first = order("7");
    assert_eq!(first, order("7"));
    assert_ne!(first, order("8"));
}

#[test]
fn a_report_is_made_again_byte_for_byte() {
    let bench = Bench::new();
    bench.run_small(&[]).exits(0);
    let run = bench.the_run();
    let report = fs::read(run.join("report.md")).unwrap();
    fs::remove_file(run.join("report.md")).unwrap();
    let id = run.file_name().unwrap().to_str().unwrap();
    for name in [run.to_str().unwrap(), id, "small"] {
        bench.call(&["report", name]).exits(0).prints("report: ");
        assert_eq!(fs::read(run.join("report.md")).unwrap(), report, "by {name}");
    }
    let value = bench.call(&["report", "small", "--format", "json"]).exits(0).json();
    assert!(value["analysis"]["cells"].is_array());
    fs::write(run.join("run.json"), "{}").unwrap();
    bench.call(&["report", "small"]).exits(3).complains("run.json");
}

#[test]
fn thresholds_decide_the_exit_code_and_hide_no_result() {
    let cases = [
        ("goodput('one', 4) > 0", 0, ""),
        ("goodput('one', 4) < 0", 6, "1 threshold failed"),
        ("goodput('one', 4) > 0 and error_ratio('two', 4) > 1", 6, "1 threshold failed"),
    ];
    for (threshold, code, words) in cases {
        let mut bench = Bench::new();
        let file = bench.file("small.yaml", &format!("{SMALL}thresholds:\n  - {threshold}\n"));
        let outcome = bench.call(&["run", &file, "--driver", "fake"]).exits(code).complains(words);
        assert!(outcome.stdout.contains("report: "), "{}", outcome.stdout);
        assert_eq!(record(&bench.the_run())["state"], "complete");
        bench.call(&["report", "small"]).exits(code);
        bench.nothing_is_left();
    }
}

#[test]
fn a_threshold_that_cannot_be_told_is_no_pass() {
    let bench = Bench::new();
    let file = bench.file("small.yaml", &format!("{SMALL}thresholds:\n  - goodput('two', 4) > 0\n"));
    let outcome = bench.call(&["run", &file, "--driver", "fake", "--only", "one"]).exits(6);
    outcome.complains("1 threshold cannot be told").complains("cannot tell: goodput('two', 4) > 0");
}

#[test]
fn json_of_a_run_holds_folder_and_analysis_and_nothing_else_is_on_standard_output() {
    let bench = Bench::new();
    let value = bench.run_small(&["--format", "json"]).exits(0).json();
    assert!(bench.path(value["report"].as_str().unwrap()).is_file());
    assert_eq!(value["analysis"]["cells"].as_array().unwrap().len(), 2);
}

#[test]
fn a_kept_lab_stays_up() {
    let mut bench = Bench::new();
    bench.run_small(&["--keep", "--lab", "kept"]).exits(0);
    bench.call(&["status", "--driver", "fake"]).exits(0).prints("lab kept");
    bench.call(&["down", "--lab", "kept", "--driver", "fake"]).exits(0).prints("kept: removed");
    bench.nothing_is_left();
}

#[test]
fn what_a_run_writes_is_what_its_schema_says() {
    let schema_file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/run-folder.schema.json");
    let schema: Value = serde_json::from_slice(&fs::read(schema_file).unwrap()).unwrap();
    let bench = Bench::new();
    bench.run_small(&[]).exits(0);
    let run = bench.the_run();
    let telemetry = fs::read_to_string(run.join("telemetry.jsonl")).unwrap();
    let telemetry: Value = serde_json::from_str(telemetry.lines().next().unwrap()).unwrap();
    let documents = [
        ("RunRecord", record(&run)),
        ("Repetition", repetitions(&run).remove(0)),
        ("TelemetryLine", telemetry),
    ];
    for (name, document) in documents {
        let (known, document) = (&schema["$defs"][name], document.as_object().unwrap());
        for key in document.keys() {
            assert!(known["properties"][key].is_object(), "{name} does not describe `{key}`");
        }
        for key in known["required"].as_array().unwrap() {
            assert!(
                document.contains_key(key.as_str().unwrap()),
                "{name} demands {key}, which is not written"
            );
        }
    }
}
