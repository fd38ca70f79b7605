//! The built-in folders as running programs: HAProxy, nginx, php-fpm and the PHP application together, from instance
//! directories, on loopback. Only with `BENCHTOP_E2E=1`, since it starts processes; run as root it is done twice, once as
//! root and once as an ordinary user.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write as _};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use benchtop::catalog::{Catalog, read_value};
use benchtop::formats::{read_counters, read_members};
use benchtop::machine::quote;
use benchtop::model::topology::{Node, Service, ServiceRef, Topology};
use benchtop::model::unit::ByteSize;
use benchtop::plan::{self, NodeAddress, ServicePlan, Surroundings};
use indexmap::IndexMap;

const ADDRESS: [u8; 4] = [127, 77, 1, 2];

fn service(
    catalog: &Catalog,
    name: &str,
    software: &str,
    given: &str,
    relations: &[(&str, &[&str])],
) -> Service {
    let manifest = catalog.get(software).unwrap();
    let given: IndexMap<String, serde_yaml::Value> = serde_yaml::from_str(given).unwrap();
    let known = manifest.parameters.iter().filter_map(|(key, parameter)| {
        let value = given.get(key).or(parameter.default.as_ref())?;
        Some((key.clone(), read_value(parameter, value).unwrap()))
    });
    let ends = |names: &[&str]| names.iter().map(|name| ServiceRef::new("one", *name)).collect();
    Service {
        name: name.to_owned(),
        software: software.to_owned(),
        enabled: true,
        parameters: known.collect(),
        relations: relations.iter().map(|(name, names)| ((*name).to_owned(), ends(names))).collect(),
    }
}

fn topology(catalog: &Catalog, port: u16) -> Topology {
    let at = |offset: u16| port + offset;
    let balancer = format!(
        "{{bind: {}, stats_port: {}, check_inter: 200ms, stats: {{uri: /ha_stats, user: cda, password: \"a b'c\"}}}}",
        at(0),
        at(1)
    );
    let fpm = format!("{{status_port: {}, workers: 2, pm: dynamic}}", at(4));
    let page = "{cpu: 5ms, size: 4k, size_spread: 0.1}";
    let services = [
        service(catalog, "haproxy", "haproxy", &balancer, &[("backends", &["nginx", "second"])]),
        service(catalog, "nginx", "nginx", &format!("{{listen: {}}}", at(2)), &[("php", &["php-fpm"])]),
        service(
            catalog,
            "second",
            "nginx",
            &format!("{{listen: {}, worker_connections: 12}}", at(3)),
            &[("php", &["php-fpm"])],
        ),
        service(catalog, "php-fpm", "php-fpm", &fpm, &[]),
        service(catalog, "app", "php-app", page, &[("web", &["nginx"])]),
        service(
            catalog,
            "api",
            "php-app",
            "{path: /api/values, answer: json, size: 28}",
            &[("web", &["nginx"])],
        ),
        service(catalog, "slow", "php-app", "{path: /slow, sleep: 3s}", &[("web", &["nginx"])]),
        service(catalog, "same", "php-app", "{}", &[("web", &["second"])]),
    ];
    let node = Node {
        name: "one".to_owned(),
        group: "one".to_owned(),
        cpus: None,
        memory: None,
        swap: ByteSize(0),
        image: String::new(),
        packages: Vec::new(),
        networks: Vec::new(),
        budget: IndexMap::new(),
        services: services.into_iter().map(|service| (service.name.clone(), service)).collect(),
    };
    Topology { nodes: [("one".to_owned(), node)].into_iter().collect() }
}

/// What a machine would do to set a service up, as one shell script.
fn set_up(plan: &ServicePlan) -> String {
    let mut script = String::from("set -e\n");
    for directory in &plan.directories {
        let path = quote(&directory.path);
        writeln!(script, "mkdir -p {path}; chmod {:o} {path}", directory.mode).unwrap();
        if let Some(owner) = &directory.owner {
            writeln!(script, "chown {owner} {path}").unwrap();
        }
    }
    for file in &plan.files {
        let path = quote(&file.path);
        let content = quote(file.content.reveal());
        writeln!(
            script,
            "mkdir -p \"$(dirname {path})\"; printf %s {content} > {path}; chmod {:o} {path}",
            file.mode
        )
        .unwrap();
    }
    for script_of in plan.check.iter().chain(plan.steps.iter().map(|step| &step.run)) {
        writeln!(script, "({script_of}) >&2").unwrap();
    }
    script
}

/// Children that end with the test, whatever happens in it.
struct Running(Vec<Child>);

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = Command::new("kill").arg(child.id().to_string()).status();
        }
        for child in &mut self.0 {
            let _ = child.wait();
        }
    }
}

struct Lab {
    user: Option<&'static str>,
    port: u16,
}

impl Lab {
    fn shell(&self, script: &str) -> Command {
        let mut command = match self.user {
            Some(user) => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid", user, "--regid", "nogroup", "--clear-groups", "sh", "-c", script]);
                command
            }
            None => {
                let mut command = Command::new("sh");
                command.args(["-c", script]);
                command
            }
        };
        command.stdin(Stdio::null());
        command
    }

    fn run(&self, script: &str) -> String {
        let output = self.shell(script).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "`{script}`: {said}{}", String::from_utf8_lossy(&output.stderr));
        said
    }

    /// Sends bytes and reads until the peer closes.
    fn ask(&self, port: u16, request: &[u8]) -> std::io::Result<Vec<u8>> {
        let address = SocketAddr::new(IpAddr::from(ADDRESS), port);
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(2))?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        stream.write_all(request)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(answer)
    }

    fn get(&self, offset: u16, path: &str) -> String {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let answer = self.ask(self.port + offset, request.as_bytes()).unwrap_or_default();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

/// Polls until the condition holds.
fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what} did not happen within 20 s");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_folders_run_together_from_their_instance_directories() {
    if std::env::var_os("BENCHTOP_E2E").is_none() {
        println!("skipped: it starts haproxy, nginx and php-fpm; BENCHTOP_E2E=1 runs it");
        return;
    }
    let own = Command::new("id").arg("-u").output().unwrap().stdout;
    if own.starts_with(b"0\n") {
        play(&Lab { user: Some("nobody"), port: 18_180 }, Some("nobody"));
        play(&Lab { user: None, port: 18_190 }, None);
    } else {
        let name = Command::new("id").arg("-un").output().unwrap().stdout;
        play(&Lab { user: None, port: 18_180 }, Some(String::from_utf8(name).unwrap().trim()));
    }
}

fn play(lab: &Lab, unprivileged_user: Option<&str>) {
    let catalog = Catalog::builtin().unwrap();
    let place = tempfile::Builder::new().prefix("it's a lab").tempdir().unwrap();
    let everybody = if lab.user.is_some() { 0o777 } else { 0o755 };
    fs::set_permissions(place.path(), fs::Permissions::from_mode(everybody)).unwrap();
    let address = NodeAddress { address: ADDRESS.into(), bind_address: ADDRESS.into() };
    let topology = topology(&catalog, lab.port);
    let scripts = plan::fact_scripts(&topology.nodes["one"], &catalog);
    let facts =
        scripts.iter().map(|(name, script)| (name.clone(), lab.run(script).trim().to_owned())).collect();
    let surroundings = Surroundings {
        lab: "try",
        root: place.path().to_str().unwrap(),
        topology: &topology,
        catalog: &catalog,
        addresses: &BTreeMap::from([("one".to_owned(), address)]),
        facts: &BTreeMap::from([("one".to_owned(), facts)]),
        unprivileged_user,
    };
    let mut running = Running(Vec::new());
    for plan in plan::services(&surroundings).unwrap() {
        lab.run(&set_up(&plan));
        if let Some(process) = &plan.process {
            let command = format!("cd {}; exec {}", quote(&plan.dir), process.process.command);
            running.0.push(lab.shell(&command).stdout(Stdio::null()).spawn().unwrap());
        }
    }
    until("an answer through the balancer", || lab.get(0, "/").starts_with("HTTP/1.1 200"));
    answers(lab);
    counters(lab, &surroundings);
    busy_workers(lab, &surroundings);
    balancer(lab, &surroundings);
    out_of_connections(lab, &surroundings);
    reloads(lab, &surroundings);
}

fn answers(lab: &Lab) {
    let page = lab.get(0, "/");
    // HAProxy writes header names in lower case.
    assert!(page.ends_with("</html>") && page.contains("x-benchtop-node: one"), "{page}");
    let values = lab.get(2, "/api/values");
    let body = values.split("\r\n\r\n").nth(1).unwrap();
    assert!(values.starts_with("HTTP/1.1 200"), "{values}");
    assert_eq!(body.len(), 28, "{body}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(body).unwrap()["benchtop"], "one");
    assert!(lab.get(2, "/nothing").starts_with("HTTP/1.1 404"));
    assert!(!lab.get(2, "/api/values.php").contains("<?php"));
    assert!(lab.get(0, "/ha_stats").starts_with("HTTP/1.1 401"));
}

fn counters(lab: &Lab, surroundings: &Surroundings<'_>) {
    for name in ["haproxy", "nginx", "php-fpm"] {
        for source in plan::telemetry(surroundings, &ServiceRef::new("one", name)).unwrap() {
            let request = match source.send.as_slice() {
                [] => format!("GET {} HTTP/1.0\r\n\r\n", source.path).into_bytes(),
                bytes => bytes.to_vec(),
            };
            let answer = lab.ask(source.port, &request).unwrap();
            // HTTP heads are in front of the first column's name and of no other line.
            let start = answer.windows(4).position(|four| four == b"\r\n\r\n").map_or(0, |at| at + 4);
            let body = if source.send.is_empty() { &answer[start..] } else { &answer[..] };
            let found = read_counters(source.format, &source.values, body);
            let text = String::from_utf8_lossy(&answer);
            assert_eq!(found.len(), source.values.len(), "{name} gives {found:?} of {text}");
        }
    }
}

/// The status answers while every worker is busy, and counts the pool's workers and not its own.
fn busy_workers(lab: &Lab, surroundings: &Surroundings<'_>) {
    let fpm = ServiceRef::new("one", "php-fpm");
    let source = &plan::telemetry(surroundings, &fpm).unwrap()[0];
    std::thread::scope(|scope| {
        let slow: Vec<_> = (0..4).map(|_| scope.spawn(|| lab.get(2, "/slow"))).collect();
        until("all workers busy and the status still answered", || {
            let answer = lab.ask(source.port, &source.send).unwrap();
            let found = read_counters(source.format, &source.values, &answer);
            found["busy_workers"] == 2.0 && found["idle_workers"] == 0.0
        });
        for answer in slow {
            assert!(answer.join().unwrap().starts_with("HTTP/1.1 200"));
        }
    });
    let symptom =
        regex::Regex::new(&surroundings.catalog.get("php-fpm").unwrap().symptoms[0].pattern).unwrap();
    let log = lab.run(&format!("cat {}", quote(&format!("{}/php-fpm/logs/php-fpm.log", surroundings.root))));
    assert!(symptom.is_match(&log), "{log}");
}

fn balancer(lab: &Lab, surroundings: &Surroundings<'_>) {
    let haproxy = ServiceRef::new("one", "haproxy");
    let read = plan::members(surroundings, &haproxy).unwrap().unwrap();
    let state = || read_members(&read.spec, &lab.run(read.run.as_ref().unwrap())).unwrap();
    until("both servers up", || state().iter().filter(|member| member.up).count() == 2);
    let names: Vec<String> = state().into_iter().map(|member| member.server).collect();
    assert_eq!(names, ["one-nginx", "one-second"]);
    for name in ["disable", "drain"] {
        let given = IndexMap::from([("server".to_owned(), "one-second".to_owned())]);
        let action = plan::action(surroundings, &haproxy, name, &given).unwrap();
        lab.run(&action.run);
        until("one server out", || state()[1].disabled && !state()[1].up && state()[0].up);
        lab.run(&action.undo.unwrap());
        until("it is back", || state()[1].up);
    }
    let list = plan::action(surroundings, &haproxy, "servers", &IndexMap::new()).unwrap();
    assert!(lab.run(&list.run).contains("one-second"));
    let wrong = IndexMap::from([("server".to_owned(), "nobody".to_owned())]);
    let wrong = plan::action(surroundings, &haproxy, "disable", &wrong).unwrap();
    let refused = lab.shell(&wrong.run).output().unwrap();
    assert!(!refused.status.success() && !refused.stderr.is_empty());
}

/// A server with fewer connections than clients says so in its log, in the words the manifest looks for. Each client has
/// begun a request: the server closes idle connections to make room, and turns nobody away then.
fn out_of_connections(lab: &Lab, surroundings: &Surroundings<'_>) {
    let symptom = &surroundings.catalog.get("nginx").unwrap().symptoms[0];
    let pattern = regex::Regex::new(&symptom.pattern).unwrap();
    let log = quote(&format!("{}/second/{}", surroundings.root, symptom.log));
    let address = SocketAddr::new(IpAddr::from(ADDRESS), lab.port + 3);
    let begin = || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
        stream
    };
    // One more client at each look, so that the server has read what the others began.
    let mut open = Vec::new();
    until("a line about connections", || {
        open.push(begin());
        pattern.is_match(&lab.run(&format!("cat {log}")))
    });
}

/// After a reload the same services answer, and the processes the supervisor knows still live.
fn reloads(lab: &Lab, surroundings: &Surroundings<'_>) {
    for name in ["php-fpm", "nginx", "haproxy"] {
        let plan = plan::service(surroundings, &ServiceRef::new("one", name)).unwrap();
        lab.run(&plan.process.unwrap().reload.unwrap());
        until("an answer after the reload", || lab.get(0, "/").ends_with("</html>"));
    }
}
