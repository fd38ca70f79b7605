//! Each finding: an input that raises it, and the sound run that must not.

use crate::model::experiment::Order;
use crate::model::finding::FindingKind;
use crate::model::measurement::{Gate, Outcome, Repetition};
use crate::model::run::Probe;
use crate::report::finding::Finding;
use crate::report::page;
use crate::report::testing::{Lab, fail_mostly};

fn sound() -> Lab {
    Lab::measured(&["one", "two"], &[4, 16], 5)
}

/// The only finding a changed run raises beyond those that come along with it.
fn raised(lab: &Lab, kind: FindingKind) -> Finding {
    let findings = lab.analysis().findings;
    let found: Vec<&Finding> = findings.iter().filter(|finding| finding.kind == kind).collect();
    assert_eq!(found.len(), 1, "{findings:#?}");
    assert!(!found[0].evidence.is_empty() && !found[0].advice.is_empty());
    found[0].clone()
}

fn not_raised(lab: &Lab, kind: FindingKind) {
    let findings = lab.analysis().findings;
    assert!(findings.iter().all(|finding| finding.kind != kind), "{findings:#?}");
}

#[test]
fn a_sound_run_raises_nothing() {
    assert_eq!(sound().analysis().findings, []);
    let mut watched = sound();
    watched.observe("backend1", None, |at_s| {
        vec![("cpu_s_total", 0.2 * at_s), ("throttled_s_total", 0.01 * at_s)]
    });
    watched.observe("backend1", Some("php-fpm"), |_| vec![("busy_workers", 5.0)]);
    assert_eq!(watched.analysis().findings, []);
}

#[test]
fn errors_counted_as_throughput() {
    let mut lab = sound();
    lab.cell("two", 16).for_each(fail_mostly);
    let finding = raised(&lab, FindingKind::ErrorsCountedAsThroughput);
    assert_eq!((finding.variant.as_deref(), finding.levels), (Some("two"), vec!["16".to_owned()]));
    assert!(finding.evidence.contains("4000.0 answers/s, of which 12.0 good"), "{}", finding.evidence);
    assert!(finding.evidence.contains("398800 5xx"), "{}", finding.evidence);
    let mut few = sound();
    few.cell("two", 16).for_each(|r| r.measurement.good -= 10);
    not_raised(&few, FindingKind::ErrorsCountedAsThroughput);
}

#[test]
fn length_varies_only_where_nothing_failed() {
    let mut lab = sound();
    lab.cell("one", 4).take(1).for_each(|r| r.measurement.good_body_bytes_range = Some((11_000, 11_500)));
    let finding = raised(&lab, FindingKind::LengthVaries);
    assert!(
        finding.evidence.contains("11000 to 11500 bytes long, and 0 requests failed"),
        "{}",
        finding.evidence
    );
    lab.cell("one", 4).take(1).for_each(|r| r.measurement.good -= 1);
    not_raised(&lab, FindingKind::LengthVaries);
}

#[test]
fn keep_alive_not_obtained_only_where_it_was_asked_for() {
    let mut lab = sound();
    lab.cell("one", 16).for_each(|r| r.measurement.reused = 0);
    assert!(raised(&lab, FindingKind::KeepAliveNotObtained).evidence.contains("0 of 10"));
    lab.run.experiment.variants["one"].load.keep_alive = false;
    not_raised(&lab, FindingKind::KeepAliveNotObtained);
    let mut struck = sound();
    struck.cell("one", 16).for_each(|r| {
        fail_mostly(r);
        r.measurement.reused = 0;
    });
    not_raised(&struck, FindingKind::KeepAliveNotObtained);
}

#[test]
fn cold_first_repetition() {
    let mut lab = sound();
    lab.set_rates("one", 16, &[549.0, 923.3, 887.1, 872.7, 860.1]);
    let finding = raised(&lab, FindingKind::ColdFirstRepetition);
    assert!(finding.evidence.contains("549.0 good requests/s, the others 885.8"), "{}", finding.evidence);
    lab.set_rates("one", 16, &[923.3, 549.0, 887.1, 872.7, 860.1]);
    not_raised(&lab, FindingKind::ColdFirstRepetition);
    lab.set_rates("one", 16, &[840.0, 923.3, 887.1, 872.7, 860.1]);
    not_raised(&lab, FindingKind::ColdFirstRepetition);
}

#[test]
fn drift_is_a_trend_of_all_cells() {
    let mut lab = sound();
    for (variant, level) in [("one", 4), ("one", 16), ("two", 4), ("two", 16)] {
        lab.set_rates(variant, level, &[200.0, 195.2, 190.1, 185.0, 180.2]);
    }
    assert!(raised(&lab, FindingKind::Drift).evidence.starts_with("goodput fell by "));
    not_raised(&sound(), FindingKind::Drift);
}

#[test]
fn too_noisy_says_what_would_be_noticed() {
    let mut lab = sound();
    lab.set_rates("one", 16, &[100.0, 112.0, 91.0, 105.0, 95.0]);
    let finding = raised(&lab, FindingKind::TooNoisy);
    assert!(
        finding.evidence.contains("8.2 % (CV)") && finding.evidence.contains("about 18"),
        "{}",
        finding.evidence
    );
    lab.set_rates("one", 16, &[100.0, 103.0, 99.0, 101.0, 100.0]);
    not_raised(&lab, FindingKind::TooNoisy);
}

#[test]
fn run_too_short_from_windows_and_from_probes() {
    let mut lab = sound();
    lab.set_rates("one", 16, &[3.0; 5]);
    let finding = raised(&lab, FindingKind::RunTooShort);
    assert!(
        finding.evidence.contains("are 5.33 s a response, and the window is 20 s"),
        "{}",
        finding.evidence
    );
    let mut probed = sound();
    probed.repetitions.retain(|r| !(r.variant == "one" && r.level == "16"));
    not_raised(&probed, FindingKind::RunTooShort);
    probed.run.probes.insert("one".to_owned(), Probe { completed: 10, rate: 3.5, ..Probe::default() });
    assert!(raised(&probed, FindingKind::RunTooShort).evidence.contains("probed"));
    probed.run.probes["one"].rate = 5.0;
    not_raised(&probed, FindingKind::RunTooShort);
}

#[test]
fn cpu_overpromised() {
    let mut lab = sound();
    lab.run.experiment.variants["two"].topology.nodes["backend1"].cpus = Some(2.0);
    let finding = raised(&lab, FindingKind::CpuOverpromised);
    assert!(finding.evidence.contains("promised 2.3 CPUs, and the host has 2"), "{}", finding.evidence);
    lab.run.host.cpus = 0;
    not_raised(&lab, FindingKind::CpuOverpromised);
}

#[test]
fn a_symptom_in_a_log_raises_the_finding_its_manifest_names() {
    let mut lab = sound();
    lab.cell("two", 16).for_each(|r| {
        fail_mostly(r);
        r.gates.push(Gate::Symptom {
            service: "backend1.nginx".to_owned(),
            finding: FindingKind::WebServerOutOfConnections,
            line: "[alert] 768 worker_connections are not enough".to_owned(),
            count: 7,
            parameter: Some("worker_connections = 768".to_owned()),
        });
    });
    let finding = raised(&lab, FindingKind::WebServerOutOfConnections);
    assert!(
        finding.evidence.contains("with worker_connections = 768 wrote 35 times"),
        "{}",
        finding.evidence
    );
    not_raised(&sound(), FindingKind::WebServerOutOfConnections);
}

#[test]
fn cpu_throttled_by_use_or_by_the_kernels_counter() {
    for (cpu, throttled) in [(0.38, 0.0), (0.1, 0.3)] {
        let mut lab = sound();
        lab.observe("backend1", None, |at_s| {
            vec![("cpu_s_total", cpu * at_s), ("throttled_s_total", throttled * at_s)]
        });
        let findings = lab.analysis().findings;
        assert_eq!(findings.len(), 2, "one a variant: {findings:#?}");
        assert!(findings.iter().all(|f| f.kind == FindingKind::CpuThrottled && f.levels == ["4", "16"]));
        assert!(findings[0].evidence.contains("of 0.4 CPUs"), "{}", findings[0].evidence);
    }
}

#[test]
fn late_lines_make_no_throttled_node() {
    let mut lab = sound();
    // Two lines of a busy host arrive almost together: by the node's own clock a second lies between them.
    lab.observe("backend1", None, |at_s| vec![("uptime_s_total", at_s), ("cpu_s_total", 0.2 * at_s)]);
    lab.telemetry.retain(|line| (3.0..5.0).contains(&line.at_s));
    lab.telemetry.iter_mut().filter(|line| line.at_s < 4.0).for_each(|line| line.at_s += 0.7);
    not_raised(&lab, FindingKind::CpuThrottled);
    lab.telemetry.iter_mut().for_each(|line| {
        line.values.insert("cpu_s_total".to_owned(), 0.39 * line.values["uptime_s_total"]);
    });
    assert!(lab.analysis().findings.iter().any(|finding| finding.kind == FindingKind::CpuThrottled));
}

#[test]
fn an_oom_kill_is_seen_by_gate_or_by_counter_and_not_counted_twice() {
    let mut lab = sound();
    let gate = Gate::OomKill { node: "backend1".to_owned(), kills: 2 };
    lab.cell("two", 16).take(1).for_each(|r| r.gates.push(gate.clone()));
    assert!(raised(&lab, FindingKind::OomKill).evidence.contains("at 16: 2 killed on backend1"));
    let mut counted = sound();
    counted.observe("backend1", None, |at_s| vec![("oom_kills_total", if at_s > 5.0 { 3.0 } else { 2.0 })]);
    let findings = counted.analysis().findings;
    assert!(findings.iter().all(|f| f.kind == FindingKind::OomKill) && findings.len() == 2, "{findings:#?}");
    assert!(findings[0].evidence.contains("at 4: 5 killed on backend1"), "{}", findings[0].evidence);
}

#[test]
fn workers_all_busy_by_parameter_or_by_telemetry() {
    let mut lab = sound();
    lab.observe("backend1", Some("php-fpm"), |at_s| {
        vec![("busy_workers", if at_s < 3.0 { 7.0 } else { 12.0 })]
    });
    let findings = lab.analysis().findings;
    assert!(findings.iter().all(|f| f.kind == FindingKind::WorkersAllBusy) && findings.len() == 2);
    assert!(findings[0].evidence.contains("all 12 workers of backend1.php-fpm"), "{}", findings[0].evidence);
    let mut roomy = sound();
    roomy.observe("backend1", Some("php-fpm"), |_| vec![("busy_workers", 12.0), ("max_workers", 16.0)]);
    not_raised(&roomy, FindingKind::WorkersAllBusy);
    let mut unknown = sound();
    unknown.observe("frontend", Some("haproxy"), |_| vec![("busy_workers", 12.0)]);
    not_raised(&unknown, FindingKind::WorkersAllBusy);
}

#[test]
fn a_log_and_telemetry_that_say_the_same_are_one_finding_of_each_variant() {
    let mut lab = sound();
    lab.cell("two", 16).for_each(|r| {
        r.gates.push(Gate::Symptom {
            service: "backend1.php-fpm".to_owned(),
            finding: FindingKind::WorkersAllBusy,
            line: "server reached max_children".to_owned(),
            count: 1,
            parameter: None,
        });
    });
    let alone = raised(&lab, FindingKind::WorkersAllBusy);
    assert_eq!(alone.levels, ["16"]);
    lab.observe("backend1", Some("php-fpm"), |_| vec![("busy_workers", 12.0)]);
    let findings = lab.analysis().findings;
    let variants: Vec<Option<&str>> = findings.iter().map(|finding| finding.variant.as_deref()).collect();
    assert_eq!(variants, [Some("one"), Some("two")], "{findings:#?}");
    assert!(findings[1].evidence.starts_with(&format!("{}; at 4: all 12 workers", alone.evidence)));
    assert_eq!(findings[1].levels, ["16", "4"]);
}

#[test]
fn generator_was_the_limit() {
    let mut lab = sound();
    lab.cell("one", 16).take(1).for_each(|r| r.measurement.generator.cpu_s_busiest_thread = 17.0);
    assert!(raised(&lab, FindingKind::GeneratorWasTheLimit).evidence.contains("85.0 % of a CPU"));
    lab.cell("one", 16).take(1).for_each(|r| r.measurement.generator.cpu_s_busiest_thread = 15.0);
    not_raised(&lab, FindingKind::GeneratorWasTheLimit);
}

#[test]
fn little_does_not_hold_in_most_repetitions() {
    let mut lab = sound();
    lab.cell("one", 16).for_each(|r| r.measurement.latency_us_sum /= 2);
    assert!(raised(&lab, FindingKind::LittleDoesNotHold).evidence.contains("is 0.500 of the connections"));
    let mut once = sound();
    once.cell("one", 16).take(1).for_each(|r| r.measurement.latency_us_sum /= 2);
    not_raised(&once, FindingKind::LittleDoesNotHold);
    let mut counted_twice = sound();
    counted_twice.cell("one", 16).for_each(|r| r.measurement.latency_us_sum *= 2);
    raised(&counted_twice, FindingKind::LittleDoesNotHold);
}

#[test]
fn little_is_not_doubted_for_what_a_short_windows_edges_explain() {
    let mut lab = sound();
    // 16 connections at 100/s are 160 ms a response; in a window of a second, 5 % too much may come from its edges.
    let shorten = |r: &mut Repetition| {
        let measurement = &mut r.measurement;
        let second = |count: u64| count / 20;
        (measurement.completed, measurement.good) = (second(measurement.completed), second(measurement.good));
        measurement.latency_us_sum = measurement.latency_us_sum / 20 * 105 / 100;
        measurement.duration_s = 1.0;
    };
    lab.cell("one", 16).for_each(shorten);
    not_raised(&lab, FindingKind::LittleDoesNotHold);
}

#[test]
fn redirects_measured_unless_they_are_what_was_asked() {
    let mut lab = sound();
    lab.cell("one", 16).for_each(|r| {
        let completed = r.measurement.completed;
        r.measurement.good = 0;
        r.measurement.outcomes = [(Outcome::Redirect, completed)].into_iter().collect();
    });
    assert!(raised(&lab, FindingKind::RedirectsMeasured).evidence.contains("status 200 was expected"));
    lab.cell("one", 16).for_each(|r| r.measurement.good = r.measurement.completed);
    lab.run.experiment.variants["one"].target.expect.status = 301;
    not_raised(&lab, FindingKind::RedirectsMeasured);
}

#[test]
fn order_confounded_needs_something_to_confound() {
    let mut lab = sound();
    lab.run.experiment.order = Order::Sequential;
    assert!(raised(&lab, FindingKind::OrderConfounded).variant.is_none());
    let mut single = Lab::measured(&["one"], &[4], 5);
    single.run.experiment.order = Order::Sequential;
    not_raised(&single, FindingKind::OrderConfounded);
}

#[test]
fn service_died_inside_or_between() {
    let mut lab = sound();
    let died = Gate::ServiceDied { service: "backend1.php-fpm".to_owned() };
    let restarted = Gate::ServiceRestarted {
        service: "backend1.php-fpm".to_owned(),
        last_lines: "a\nsegfault\n".to_owned(),
    };
    lab.cell("two", 16).zip([died, restarted]).for_each(|(r, gate)| r.gates.push(gate));
    let evidence = raised(&lab, FindingKind::ServiceDied).evidence;
    assert!(evidence.contains("died in round 1") && evidence.contains("last line: “segfault”"), "{evidence}");
    let mut drained = sound();
    let gate = Gate::DrainedByRestart { node: "backend1".to_owned(), waited_s: 120.0 };
    drained.cell("two", 16).for_each(|r| r.gates.push(gate.clone()));
    not_raised(&drained, FindingKind::ServiceDied);
}

#[test]
fn broken_telemetry_and_impossible_numbers_never_crash() {
    let mut lab = sound();
    lab.observe("ghost", None, |_| vec![("cpu_s_total", f64::NAN)]);
    lab.observe("backend1", None, |at_s| vec![("cpu_s_total", 100.0 - at_s), ("memory_bytes", f64::NAN)]);
    lab.observe("backend1", Some("php-fpm"), |_| vec![("busy_workers", f64::NAN)]);
    lab.cell("one", 4).for_each(|r| {
        r.measurement.duration_s = 0.0;
        r.measurement.histograms.good_latency_us = "rubbish".to_owned();
        r.measurement.per_second.clear();
    });
    lab.cell("two", 4).for_each(|r| {
        r.measurement.duration_s = f64::NAN;
        r.measurement.completed = 0;
    });
    lab.run.host.cpus = 0;
    let analysis = lab.analysis();
    assert!(!page::report(&lab.input(), &analysis).contains("NaN"));
    assert!(!crate::report::terminal(&analysis, Some(80)).contains("NaN"));
}
