//! What is wrong with a scenario is said with its line, and nothing is touched.

use std::fs;
use std::path::Path;

use crate::bench::{Bench, SMALL};

#[test]
fn a_good_file_is_summed_up_on_standard_output() {
    let bench = Bench::new();
    let file = bench.file("small.yaml", SMALL);
    bench.call(&["check", &file]).exits(0).prints("good: 2 variants (one, two), 2 rounds");
    let value = bench.call(&["check", &file, "--format", "json"]).exits(0).json();
    assert_eq!(value[0]["good"], true);
    assert_eq!(value[0]["name"], "small");
}

#[test]
fn every_scenario_of_the_project_is_good() {
    let bench = Bench::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().to_string_lossy().into_owned())
        .filter(|path| path.ends_with(".yaml"))
        .collect();
    assert!(!files.is_empty());
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    bench.call(&[&["check"][..], &files].concat()).exits(0);
}

#[test]
fn mistakes_exit_3_with_file_line_and_suggestion() {
    let bench = Bench::new();
    let mistakes = [
        (SMALL.replace("listen: 80", "lisen: 80"), "lisen", 11),
        (SMALL.replace("workers: 4", "workers: none"), "workers", 10),
        (SMALL.replace("backends: web.nginx", "backends: wbe.nginx"), "wbe", 6),
        (SMALL.replace("compare: [one, two]", "compare: [one, tow]"), "tow", 22),
        (SMALL.replace("name: small", "name: Not Small"), "name", 1),
        (SMALL.replace("{connections: [4], duration: 2s", "{connections: [4], duration: 2"), "duration", 16),
    ];
    for (text, word, line) in mistakes {
        let file = bench.file("broken.yaml", &text);
        let outcome = bench.call(&["check", &file]).exits(3).complains(word).complains("1 mistake in");
        assert!(outcome.stderr.contains(&format!("broken.yaml:{line}:")), "line {line}:\n{}", outcome.stderr);
        let problem = &bench.call(&["check", &file, "--format", "json"]).exits(3).json()[0]["problems"][0];
        assert_eq!(problem["line"], line, "{problem}");
        bench.call(&["run", &file, "--driver", "fake"]).exits(3).complains(word);
    }
    assert!(bench.runs().is_empty() && !bench.path("state").exists());
}

#[test]
fn all_mistakes_of_all_files_are_shown_at_once() {
    let bench = Bench::new();
    let twice =
        SMALL.replace("listen: 80", "lisen: 80").replace("tow", "one").replace("workers: 4", "wokers: 4");
    let (one, two) = (bench.file("a.yaml", &twice), bench.file("b.yaml", "name: [\n"));
    let good = bench.file("c.yaml", SMALL);
    let outcome = bench.call(&["check", &one, &two, &good]).exits(3).prints("c.yaml: good");
    for text in ["lisen", "wokers", "b.yaml", "in 2 files"] {
        assert!(outcome.stderr.contains(text), "no {text} in:\n{}", outcome.stderr);
    }
}

#[test]
fn files_that_are_not_there_and_options_that_fit_nothing_exit_3() {
    let bench = Bench::new();
    bench
        .call(&["check", "none.yaml"])
        .exits(3)
        .complains("none.yaml cannot be read")
        .complains("caused by:");
    let file = bench.file("small.yaml", SMALL);
    bench.call(&["check", &file, "--profile", "none"]).exits(3).complains("none");
    bench.call(&["check", &file, "--set", "load.duratoin=3s"]).exits(3).complains("duratoin");
    bench.call(&["check", &file, "--set", "load.duration=3s"]).exits(0);
}

#[test]
fn plan_and_render_show_what_would_be_and_touch_nothing() {
    let bench = Bench::new();
    let file = bench.file("small.yaml", SMALL);
    bench.call(&["plan", &file]).exits(0).prints("web1");
    assert!(bench.call(&["plan", &file, "--format", "json"]).exits(0).json()["measuring_s"].is_number());
    let text = bench.call(&["render", &file, "--variant", "two", "--node", "web2"]).exits(0).stdout;
    assert!(text.contains("==> web2.nginx") && !text.contains("web1.nginx"), "{text}");
    let group = bench.call(&["render", &file, "--variant", "two", "--node", "web"]).exits(0).stdout;
    assert!(group.contains("==> web1.nginx") && group.contains("==> web2.nginx"), "{group}");
    let files = bench.call(&["render", &file, "--format", "json"]).exits(0).json();
    assert!(files.as_array().unwrap().iter().any(|file| file["service"] == "frontend.haproxy"));
    bench.call(&["render", &file, "--variant", "none"]).exits(2).complains("one, two");
    bench.call(&["render", &file, "--node", "none"]).exits(2).complains("frontend");
    assert!(!bench.path("state").exists() && !bench.path("reports").exists());
}

#[test]
fn a_software_folder_of_ones_own_adds_to_the_built_in_ones() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("templates/quiet/config")).unwrap();
    bench.file(
        "templates/quiet/software.yaml",
        "name: quiet\nsummary: Says nothing\nfiles: [{template: config/x.j2, target: x}]\n",
    );
    bench.file("templates/quiet/config/x.j2", "hush in {{ dir }}\n");
    let text = SMALL.replace("      haproxy:", "      quiet: {}\n      haproxy:");
    let file = bench.file("quiet.yaml", &text);
    bench.call(&["check", &file]).exits(3).complains("quiet");
    bench.call(&["check", &file, "--templates", "templates"]).exits(0);
    bench
        .call(&["render", &file, "--templates", "templates/quiet", "--node", "frontend"])
        .exits(0)
        .prints("hush in");
    bench.file("templates/quiet/software.yaml", "name: quiet\nsumary: x\n");
    bench.call(&["check", &file, "--templates", "templates"]).exits(3).complains("sumary");
    bench.call(&["check", &file, "--templates", "state"]).exits(3).complains("cannot be read");
}
