//! Whole runs on a real engine: the quickstart, a killed and resumed run, an interrupted one, secrets, broken engines.
//!
//! They run when `BENCHTOP_TEST_DOCKER=1`, and say so when they do not.

#[path = "docker_support/support.rs"]
mod docker_support;

use std::fs;
use std::process::Command;
use std::time::Duration;

use docker_support::{Engine, Lab, RelayMode, enabled, wait_until};

#[test]
fn the_quickstart_shows_one_to_two_to_three_and_leaves_nothing() {
    if !enabled("quickstart") {
        return;
    }
    let lab = Lab::new("t-quick");
    let output = lab.benchtop(&["run", "scenarios/quickstart.yaml", "--profile", "ci"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}\n{}", String::from_utf8_lossy(&output.stdout));
    let folder = lab.only_run("quickstart");
    for file in ["run.json", "repetitions.jsonl", "telemetry.jsonl", "report.md", "summary.csv"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    assert_eq!(lab.repetitions(&folder), 9);
    let telemetry = fs::read_to_string(folder.join("telemetry.jsonl")).unwrap();
    for name in ["cpu_s_total", "memory_bytes", "busy_workers"] {
        assert!(telemetry.contains(name), "{name} was sampled");
    }
    assert_eq!(Engine::census("t-quick"), docker_support::nothing());
}

#[test]
fn three_wordpress_backends_beat_one_and_the_evidence_is_there() {
    if !enabled("haproxy-wordpress") {
        return;
    }
    let lab = Lab::new("t-e1");
    // Only two of the three variants: what the thresholds say of the third cannot be told (6).
    let part = ["--profile", "ci", "--only", "one-disabled,three", "--repeat", "2"];
    let scenario = ["run", "scenarios/haproxy-wordpress.yaml"];
    let output = lab.benchtop(&[&scenario[..], &part[..]].concat()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{said}\n{}", String::from_utf8_lossy(&output.stdout));
    let folder = lab.only_run("haproxy-wordpress");
    assert_eq!(lab.repetitions(&folder), 4);
    let report = fs::read_to_string(folder.join("report.md")).unwrap();
    let verdict = report.lines().find(|line| line.contains("goodput('three', 16) > 1.5"));
    assert!(
        verdict.is_some_and(|line| line.contains("pass")),
        "three beat one by more than half: {verdict:?}"
    );
    let evidence = folder.join("evidence/three");
    let text = |file: &str| fs::read_to_string(evidence.join(file)).unwrap_or_default();
    assert!(text("frontend.haproxy/server-states.txt").contains("backend3"));
    assert!(text("frontend.haproxy/haproxy-cfg.txt").contains("balance roundrobin"));
    assert!(text("frontend/statistics-page.txt").contains("backend3"));
    let listeners = text("backend1/who-listens-where.txt");
    assert!(listeners.lines().any(|line| line.contains(":80 ") && line.ends_with("nginx")), "{listeners}");
    let record: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.join("run.json")).unwrap()).unwrap();
    let verified = record["verified"].as_array().unwrap();
    let with = |variant: &str, status: u16, login: bool| {
        verified.iter().any(|seen| {
            seen["variant"] == variant && seen["status"] == status && seen["user"].is_string() == login
        })
    };
    assert!(with("three", 200, true) && with("three", 401, false), "{verified:?}");
    assert!(record["nodes"]["frontend"]["public_address"].is_string());
    assert!(record["nodes"]["backend1"]["public_address"].is_null());
    let lines = fs::read_to_string(folder.join("repetitions.jsonl")).unwrap();
    assert!(lines.contains("\"backend3.nginx\":"), "requests of the access logs are counted");
    assert_eq!(Engine::census("t-e1"), docker_support::nothing());
}

#[test]
fn a_killed_run_is_resumed_and_then_cleaned_by_down() {
    if !enabled("kill and resume") {
        return;
    }
    let lab = Lab::new("t-kill");
    let mut child = lab.benchtop(&["run", "tests/data/docker_small.yaml"]).spawn().unwrap();
    wait_until("a second round that has begun", Duration::from_secs(240), || {
        assert!(child.try_wait().unwrap().is_none(), "the run ended early");
        lab.find_run("docker-small").is_some_and(|folder| lab.repetitions(&folder) >= 3)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let folder = lab.only_run("docker-small");
    assert!(!Engine::census("t-kill").is_empty(), "a killed run leaves its lab for the resume");

    let resumed = lab.benchtop(&["run", "--resume"]).arg(&folder).arg("--keep").output().unwrap();
    assert_eq!(resumed.status.code(), Some(0), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert_eq!(lab.repetitions(&folder), 4, "every cell counts once");
    assert!(fs::read_to_string(folder.join("run.json")).unwrap().contains("\"complete\""));

    let down = lab.benchtop(&["down"]).output().unwrap();
    assert_eq!(down.status.code(), Some(0), "{}", String::from_utf8_lossy(&down.stderr));
    assert_eq!(Engine::census("t-kill"), docker_support::nothing());
}

#[test]
fn an_interrupted_run_keeps_what_it_measured_and_leaves_nothing() {
    if !enabled("interrupt") {
        return;
    }
    let lab = Lab::new("t-int");
    let mut child = lab.benchtop(&["run", "tests/data/docker_small.yaml"]).spawn().unwrap();
    wait_until("a measured cell", Duration::from_secs(240), || {
        assert!(child.try_wait().unwrap().is_none(), "the run ended early");
        lab.find_run("docker-small").is_some_and(|folder| lab.repetitions(&folder) >= 1)
    });
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(lab.repetitions(&lab.only_run("docker-small")) >= 1);
    assert_eq!(Engine::census("t-int"), docker_support::nothing());
}

#[test]
fn a_lab_stays_up_changes_nothing_twice_and_shows_no_secret() {
    if !enabled("up and secrets") {
        return;
    }
    let lab = Lab::new("t-up");
    let canary = "canary-7f3a91";
    let scenario = "tests/data/docker_small.yaml";
    let watcher = docker_support::watch_process_lists(canary);
    let up = lab.benchtop(&["up", scenario, "--variant", "two"]).env("CANARY", canary).output().unwrap();
    assert_eq!(up.status.code(), Some(0), "{}", String::from_utf8_lossy(&up.stderr));
    let again = lab.benchtop(&["up", scenario, "--variant", "two"]).env("CANARY", canary).output().unwrap();
    assert_eq!(again.status.code(), Some(0));
    let said = String::from_utf8_lossy(&again.stderr) + String::from_utf8_lossy(&again.stdout);
    assert!(said.to_lowercase().contains("nothing to do"), "{said}");

    let listed = lab.benchtop(&["act", "frontend", "haproxy.servers"]).output().unwrap();
    let states = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(states.contains("web1") && states.contains("web2"), "{states}");
    let hello = lab.benchtop(&["exec", "web1", "--", "sh", "-c", "echo $0 hello"]).output().unwrap();
    assert!(String::from_utf8_lossy(&hello.stdout).contains("hello"));
    let status = lab.benchtop(&["status"]).output().unwrap();
    let run = lab.benchtop(&["run", scenario, "--repeat", "1"]).env("CANARY", canary).output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let down = lab.benchtop(&["down"]).output().unwrap();
    assert_eq!(down.status.code(), Some(0), "{}", String::from_utf8_lossy(&down.stderr));
    for output in [&up, &again, &listed, &status, &run, &down] {
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(!text.contains(canary), "{text}");
    }
    assert_eq!(docker_support::files_with(lab.reports(), canary), Vec::<String>::new());
    assert_eq!(watcher.seen(), Vec::<String>::new(), "process lists");
    assert_eq!(Engine::census("t-up"), docker_support::nothing());
}

#[test]
fn an_engine_that_refuses_hangs_or_resets_is_a_clear_error() {
    if !enabled("broken engines") {
        return;
    }
    for mode in [RelayMode::Refuse, RelayMode::Hang, RelayMode::Reset] {
        let lab = Lab::new("t-broken");
        let relay = docker_support::Relay::start(mode);
        let output = lab
            .benchtop(&["run", "tests/data/docker_small.yaml"])
            .env("DOCKER_HOST", relay.host())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{mode:?}: {said}");
        assert!(said.contains("engine") && said.contains("hint"), "{mode:?}: {said}");
    }
}

#[test]
fn an_engine_lost_in_mid_run_keeps_the_results_and_names_the_way_back() {
    if !enabled("lost engine") {
        return;
    }
    let lab = Lab::new("t-lost");
    let relay = docker_support::Relay::start(RelayMode::Pass);
    let mut command = lab.benchtop(&["run", "tests/data/docker_small.yaml"]);
    let child = command
        .env("DOCKER_HOST", relay.host())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("a measured cell", Duration::from_secs(240), || {
        lab.find_run("docker-small").is_some_and(|folder| lab.repetitions(&folder) >= 1)
    });
    relay.set(RelayMode::Reset);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(4 | 5)), "{said}");
    for word in ["--resume", "benchtop down --lab t-lost"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(lab.repetitions(&lab.only_run("docker-small")) >= 1);
    let down = lab.benchtop(&["down"]).output().unwrap();
    assert_eq!(down.status.code(), Some(0), "{}", String::from_utf8_lossy(&down.stderr));
    assert_eq!(Engine::census("t-lost"), docker_support::nothing());
}
