//! A lab that stays up between calls: up, up again, status, act, exec, logs, down.

use crate::bench::{Bench, SMALL};

#[test]
fn a_lab_stays_up_between_calls_until_down() {
    let mut bench = Bench::new();
    let file = bench.file("small.yaml", SMALL);
    let up = ["up", file.as_str(), "--driver", "fake", "--variant", "two"];
    let first = bench.call(&up).exits(0).prints("lab small");
    assert!(!first.stdout.contains("nothing to do"));
    bench.call(&up).exits(0).prints("nothing to do");

    let status = bench.call(&["status", "--driver", "fake", "--format", "json"]).exits(0).json();
    assert_eq!((&status["lab"], &status["variant"]), (&"small".into(), &"two".into()));
    assert_eq!(status["nodes"].as_array().unwrap().len(), 3);
    bench
        .call(&["status", "--driver", "fake"])
        .exits(0)
        .prints("web2.nginx (nginx)")
        .prints("www.example.org");

    let fake = ["--driver", "fake"];
    let act = |words: &[&str]| bench.call(&[&["act", "web1"], words, &fake].concat());
    act(&["nginx.restart"]).exits(0).complains("done: web1.nginx.restart");
    act(&["nginx.explode"]).exits(3).complains("it can: stop, start");
    act(&["nginx.stop", "soon=yes"]).exits(3).complains("takes no arguments");
    act(&["nginx.stop"]).exits(0);
    act(&["nginx.pause"]).exits(3).complains("not running");
    act(&["nginx.start"]).exits(0);
    bench.call(&["exec", "web1", "--driver", "fake", "--", "true"]).exits(0);
    bench.call(&["exec", "web9", "--driver", "fake", "--", "true"]).exits(4).complains("web1");
    bench.call(&["logs", "web1.nginx", "-n", "5", "--driver", "fake"]).exits(0);
    assert_ne!(bench.call(&["logs", "web1.none", "--driver", "fake"]).code, 0);

    bench.call(&["down", "--driver", "fake"]).exits(0).prints("small: removed");
    bench.call(&["down", "--driver", "fake"]).exits(2).complains("no lab is up");
    bench.nothing_is_left();
}

#[test]
fn up_changes_what_differs_and_nothing_else() {
    let mut bench = Bench::new();
    let file = bench.file("small.yaml", SMALL);
    bench.call(&["up", &file, "--driver", "fake", "--variant", "two"]).exits(0);
    let change = ["--set", "nodes.web.services.nginx.worker_connections=512", "--format", "json"];
    let value = bench
        .call(&[&["up", &file, "--driver", "fake", "--variant", "two"][..], &change].concat())
        .exits(0)
        .json();
    let changes: Vec<&str> =
        value["changes"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    assert!(changes.iter().any(|line| line.contains("nginx")), "{changes:?}");
    assert!(!changes.iter().any(|line| line.contains("haproxy") || line.contains("php-fpm")), "{changes:?}");
    bench.call(&["down", "--driver", "fake"]).exits(0);
    bench.nothing_is_left();
}

#[test]
fn with_two_labs_up_one_must_be_named() {
    let mut bench = Bench::new();
    let file = bench.file("small.yaml", SMALL);
    for lab in ["first", "second"] {
        bench.call(&["up", &file, "--driver", "fake", "--lab", lab]).exits(0);
    }
    bench.call(&["status", "--driver", "fake"]).exits(2).complains("2 labs are up: first, second");
    bench.call(&["status", "--driver", "fake", "--lab", "second"]).exits(0).prints("lab second");
    let removed = bench.call(&["down", "--all", "--driver", "fake", "--format", "json"]).exits(0).json();
    assert_eq!(removed.as_array().unwrap().len(), 2);
    bench.nothing_is_left();
}

#[test]
fn a_lab_of_which_only_a_network_is_left_is_found_and_taken_down() {
    let bench = Bench::new();
    let owner = nix::unistd::User::from_uid(nix::unistd::Uid::effective()).unwrap().unwrap().name;
    let world = |owner: &str| format!(r#"{{"networks": {{"remains": "{owner}"}}, "nodes": {{}}}}"#);
    for arguments in [&["down", "--driver", "fake"][..], &["down", "--all", "--driver", "fake"]] {
        let engine = bench.file("engine.json", &world(&owner));
        bench.call(arguments).exits(0).prints("remains: no node was left");
        assert!(!std::fs::read_to_string(engine).unwrap().contains("remains"), "{arguments:?}");
    }
    bench.file("engine.json", &world("somebody"));
    bench.call(&["down", "--driver", "fake"]).exits(2).complains("no lab is up");
    bench.call(&["down", "--driver", "fake", "--lab", "remains"]).exits(4).complains("belongs to somebody");
}

#[test]
fn an_up_that_fails_says_how_to_go_on_and_can_be_taken_down() {
    let mut bench = Bench::new();
    bench.engine_fails_at("start web1.nginx");
    let file = bench.file("small.yaml", SMALL);
    bench.call(&["up", &file, "--driver", "fake"]).exits(4).complains("injected failure");
    bench.heal();
    bench.call(&["up", &file, "--driver", "fake"]).exits(0);
    bench.call(&["down", "--driver", "fake"]).exits(0);
    bench.nothing_is_left();
}
