//! Help, usage errors, and verbs that need nothing but themselves.

use crate::bench::{Bench, SMALL};

const VERBS: [&str; 16] = [
    "run",
    "check",
    "plan",
    "render",
    "up",
    "status",
    "exec",
    "logs",
    "act",
    "down",
    "report",
    "images",
    "init",
    "doctor",
    "schema",
    "completions",
];

#[test]
fn help_names_every_verb_and_every_verb_has_help() {
    let bench = Bench::new();
    let help = bench.call(&["--help"]).exits(0).stdout;
    for verb in VERBS {
        assert!(help.contains(&format!("\n  {verb} ")), "{verb} is missing in:\n{help}");
        bench.call(&[verb, "--help"]).exits(0).prints("Usage: benchtop");
    }
    assert!(help.contains("Examples:") && help.contains("Exit codes:"));
    assert!(!help.contains("fake") && !help.contains("reference"), "hidden things are shown:\n{help}");
}

#[test]
fn usage_errors_exit_2_and_touch_nothing() {
    let bench = Bench::new();
    for arguments in [
        &["run"][..],
        &["walk"],
        &["run", "x.yaml", "--repeat", "0"],
        &["run", "x.yaml", "--repeat", "many"],
        &["run", "x.yaml", "--driver", "ssh"],
        &["run", "--resume", "x", "--seed", "4"],
        &["check"],
        &["exec", "web1"],
        &["act", "web1", "nginx.restart", "notapair", "--driver", "fake"],
        &["down", "--all", "--lab", "x"],
        &["report", "no-such-run"],
        &["--quiet", "--verbose", "schema"],
    ] {
        let outcome = bench.call(arguments).exits(2);
        assert!(outcome.stderr.contains("error"), "{arguments:?}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "", "{arguments:?}");
    }
    assert!(!bench.path("reports").exists() && !bench.path("engine.json").exists());
}

#[test]
fn verbs_on_a_lab_say_when_none_is_up() {
    let bench = Bench::new();
    for verb in [&["status"][..], &["down"], &["exec", "web1", "--driver", "fake", "--", "true"]] {
        let arguments = if verb.len() == 1 { [verb, &["--driver", "fake"]].concat() } else { verb.to_vec() };
        bench.call(&arguments).exits(2).complains("no lab is up").complains("hint: `benchtop up");
    }
}

#[test]
fn a_script_for_the_fakes_that_makes_no_sense_is_said_so() {
    let mut bench = Bench::new();
    bench.set("BENCHTOP_FAKE", "nonsense");
    bench.run_small(&[]).exits(2).complains("BENCHTOP_FAKE is not a script");
}

#[test]
fn init_writes_a_scenario_that_checks_and_never_overwrites() {
    let bench = Bench::new();
    bench.call(&["init"]).exits(0).prints("wrote scenario.yaml");
    bench.call(&["check", "scenario.yaml"]).exits(0);
    bench.call(&["init"]).exits(2).complains("is left alone");
    let mine = bench.file("mine.yaml", SMALL);
    bench.call(&["init", &mine]).exits(2);
    assert_eq!(std::fs::read_to_string(mine).unwrap(), SMALL);
    bench.call(&["init", "no/such/folder.yaml"]).exits(1).complains("cannot be written");
}

#[test]
fn schema_reference_and_completions_are_printed() {
    let bench = Bench::new();
    assert!(bench.call(&["schema"]).exits(0).json().is_object());
    bench.call(&["reference"]).exits(0).prints("keep_alive");
    bench.call(&["reference", "software"]).exits(0).prints("haproxy");
    bench.call(&["completions", "bash"]).exits(0).prints("_benchtop");
}

#[test]
fn a_reader_that_goes_away_is_a_success() {
    let bench = Bench::new();
    let mut child = bench.command(&["schema"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
