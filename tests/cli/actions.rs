//! Actions of variants: in force as long as their variant, and taken back when it is left.

use std::fs;

use crate::bench::{Bench, SMALL};

/// The small scenario with these variants instead of its own, four rounds, and one question less.
fn scenario(variants: &str) -> String {
    let (before, _) = SMALL.split_once("variants:").unwrap();
    format!("{}variants:\n{variants}", before.replace("repeat: 2", "repeat: 4"))
}

/// The lines of the engine's log that begin so.
fn noted(bench: &Bench, beginning: &str) -> usize {
    let log = fs::read_to_string(bench.path("engine.log")).unwrap();
    log.lines().filter(|line| line.starts_with(beginning)).count()
}

#[test]
fn a_service_that_its_variant_stops_stays_stopped_from_cell_to_cell() {
    for action in ["stop", "kill"] {
        let bench = Bench::new();
        let text = scenario(&format!("  cut: {{actions: [{{node: web2, do: nginx.{action}}}]}}\n"));
        let file = bench.file("small.yaml", &text);
        bench.call(&["run", &file, "--driver", "fake"]).exits(0);
        assert_eq!(noted(&bench, "start web2.nginx"), 1, "{action} was taken back by the next cell");
        assert_eq!(noted(&bench, "start web1.nginx"), 1);
    }
}

#[test]
fn a_variant_that_stops_a_service_is_left_with_it_running() {
    let bench = Bench::new();
    let text = scenario("  cut: {actions: [{node: web2, do: nginx.stop}]}\n  whole: {title: Both}\n");
    let file = bench.file("small.yaml", &text);
    bench.call(&["run", &file, "--driver", "fake"]).exits(0);
    // The stop that `start` begins with is noted too: what was stopped and not started again would show here.
    assert!(noted(&bench, "start web2.nginx") >= 2);
}

#[test]
fn a_paused_service_goes_on_when_its_variant_is_left() {
    let bench = Bench::new();
    let text = scenario("  frozen: {actions: [{node: web2, do: nginx.pause}]}\n  whole: {title: Both}\n");
    let file = bench.file("small.yaml", &text);
    bench.call(&["run", &file, "--driver", "fake"]).exits(0);
    let (paused, resumed) =
        (noted(&bench, "signal web2.nginx STOP"), noted(&bench, "signal web2.nginx CONT"));
    assert!(paused >= 1);
    // The lab goes down in one of the two: what is frozen then is removed with it.
    assert!(resumed == paused || resumed + 1 == paused, "paused {paused} times, resumed {resumed} times");
    assert!(resumed >= 1);
}

#[test]
fn the_balancers_servers_are_looked_at_before_every_cell() {
    let mut bench = Bench::new();
    bench.engine_also("answer servers' csv => # pxname,svname,status\\nnodes,web1,UP\\nnodes,web2,UP\\n");
    let file = bench.file("small.yaml", &scenario("  whole: {title: Both}\n"));
    bench.call(&["run", &file, "--driver", "fake"]).exits(0);
    let log = fs::read_to_string(bench.path("engine.log")).unwrap();
    let looks =
        log.lines().filter(|line| line.starts_with("run frontend sh") && line.ends_with("servers' csv"));
    // Once when the services are up, once to verify, and once before each of four cells.
    assert_eq!(looks.count(), 6, "{log}");
}
