//! The fake machines do what real ones do, as far as anything above can tell.

use tokio::io::AsyncBufReadExt;
use tokio::io::AsyncReadExt;
use tokio::io::BufReader;
use tokio::sync::mpsc::unbounded_channel;

use super::*;
use crate::machine::command::Command;
use crate::machine::command::FileToWrite;
use crate::machine::contract::ServiceState;
use crate::machine::sampler::parse_sample;
use crate::machine::sampler::sampler_command;
use crate::model::process::ServiceProcess;
use crate::model::secret::Secret;
use crate::model::topology::Network;

fn driver(script: &str) -> FakeDriver {
    FakeDriver::new(FakeScript::parse(script).unwrap())
}

fn lab() -> LabIdentity {
    LabIdentity { lab: "shop".to_owned(), run: "up".to_owned(), owner: "me".to_owned() }
}

fn node(name: &str) -> NodeSpec {
    NodeSpec {
        name: name.to_owned(),
        cpus: Some(0.5),
        memory: Some(ByteSize::mebibytes(64)),
        swap: ByteSize(0),
        image: "debian:bookworm".to_owned(),
        packages: vec!["thing".to_owned()],
        networks: Vec::new(),
    }
}

fn process() -> ServiceProcess {
    ServiceProcess {
        service: "nginx".to_owned(),
        dir: "/srv/benchtop/shop/nginx".to_owned(),
        command: "nginx".to_owned(),
        stop_signal: "TERM".to_owned(),
        environment: indexmap::IndexMap::new(),
    }
}

#[tokio::test]
async fn machines_live_in_their_file_across_drivers_and_leave_it_empty() {
    let folder = tempfile::tempdir().unwrap();
    let (state, log) = (folder.path().join("state.json"), folder.path().join("log"));
    let script = format!("state {}; log {}", state.display(), log.display());
    let (sender, _events) = unbounded_channel();
    let first = driver(&script);
    first.prepare(&lab(), &[node("web")], &sender).await.unwrap();
    let connection = first.create(&lab(), &node("web")).await.unwrap();
    assert!(connection.address().to_string().starts_with("127.77."));
    let file = FileToWrite {
        path: "/srv/benchtop/shop/nginx/conf".to_owned(),
        content: Secret::new("text"),
        mode: 0o644,
        owner: None,
    };
    connection.write(&[file]).await.unwrap();
    first.supervisor(connection).start(&process()).await.unwrap();
    drop(first);

    let second = driver(&script);
    let connection = second.connect("shop", "web").await.unwrap();
    assert_eq!(connection.read("/srv/benchtop/shop/nginx/conf").await.unwrap(), b"text");
    assert!(connection.remove_tree("/srv/benchtop/../x").await.is_err());
    let supervisor = second.supervisor(connection.clone());
    assert!(matches!(supervisor.state(&process()).await.unwrap(), ServiceState::Running { .. }));
    assert_eq!(second.list(None).await.unwrap().len(), 1);
    second.destroy_lab("shop").await.unwrap();
    assert!(connection.read("/srv/benchtop/shop/nginx/conf").await.is_err());
    assert!(matches!(second.connect("shop", "web").await.err().unwrap(), MachineError::NoSuchNode { .. }));
    let left: FakeWorld = serde_json::from_slice(&std::fs::read(&state).unwrap()).unwrap();
    assert_eq!(left, FakeWorld::default());
    let noted = std::fs::read_to_string(&log).unwrap();
    assert!(noted.contains("create web\n") && noted.contains("start web.nginx\n"), "{noted}");
}

#[tokio::test]
async fn limits_change_in_place_and_another_package_set_is_another_machine() {
    let driver = driver("");
    let connection = driver.create(&lab(), &node("web")).await.unwrap();
    let supervisor = driver.supervisor(connection.clone());
    supervisor.start(&process()).await.unwrap();
    driver.create(&lab(), &NodeSpec { cpus: Some(1.0), ..node("web") }).await.unwrap();
    assert!(matches!(supervisor.state(&process()).await.unwrap(), ServiceState::Running { .. }));
    let other = driver.create(&lab(), &NodeSpec { packages: Vec::new(), ..node("web") }).await.unwrap();
    assert_eq!(supervisor.state(&process()).await.unwrap(), ServiceState::Stopped);
    assert_eq!(other.address(), connection.address());
    assert_ne!(driver.create(&lab(), &node("db")).await.unwrap().address(), connection.address());
}

#[tokio::test]
async fn a_node_on_the_public_network_has_an_address_there_for_the_client() {
    let driver = driver("");
    let on = |networks: &[Network]| NodeSpec { networks: networks.to_vec(), ..node("web") };
    let inside = driver.create(&lab(), &on(&[Network::Private])).await.unwrap();
    assert_eq!(inside.client_address(), inside.address());
    let front = driver.create(&lab(), &on(&[Network::Public, Network::Private])).await.unwrap();
    assert_eq!(front.address(), inside.address());
    assert!(front.client_address().to_string().starts_with("10.77."));
    let outside = driver.create(&lab(), &on(&[Network::Public])).await.unwrap();
    assert_eq!(
        (outside.address(), outside.client_address()),
        (front.client_address(), front.client_address())
    );
    let supervisor = driver.supervisor(outside);
    assert_eq!(supervisor.state(&process()).await.unwrap(), ServiceState::Stopped);
}

#[tokio::test]
async fn a_lab_is_known_as_long_as_a_network_is_left() {
    let driver = driver("");
    let (sender, _events) = unbounded_channel();
    driver.prepare(&lab(), &[node("web")], &sender).await.unwrap();
    let known = [FoundLab { lab: "shop".to_owned(), owner: "me".to_owned() }];
    assert_eq!(driver.labs().await.unwrap(), known);
    driver.create(&lab(), &node("web")).await.unwrap();
    assert_eq!(driver.labs().await.unwrap(), known);
    driver.destroy_lab("shop").await.unwrap();
    assert_eq!(driver.labs().await.unwrap(), []);
}

#[tokio::test]
async fn failures_happen_where_they_are_asked_for() {
    let driver = driver(
        "fail create bad; fail destroy web; fail run nginx -t; lose reboot; fail start web.nginx; hang run sleep; \
         answer show stat => a,b\\n; fail write secret",
    );
    assert!(matches!(driver.create(&lab(), &node("bad")).await.err().unwrap(), MachineError::Injected(_)));
    let connection = driver.create(&lab(), &node("web")).await.unwrap();
    let run = async |script: &str| connection.run(&Command::new(script)).await;
    let failed = run("cd / && nginx -t").await.unwrap();
    assert_eq!((failed.status, failed.last_lines(1).as_str()), (1, "injected failure"));
    assert!(matches!(run("reboot").await.unwrap_err(), MachineError::Injected(_)));
    assert_eq!(run("echo show stat").await.unwrap().text(), "a,b");
    assert!(run("true").await.unwrap().stdout.is_empty());
    let slow = Command::new("sleep 5").at_most(std::time::Duration::from_millis(10));
    assert!(matches!(connection.run(&slow).await.unwrap_err(), MachineError::TimedOut { .. }));
    let refused = driver.supervisor(connection.clone()).start(&process()).await.unwrap_err();
    assert_eq!(refused.command_failure().unwrap().last_lines, "injected failure");
    assert!(driver.destroy_lab("shop").await.is_err());
    assert_eq!(driver.list(Some("shop")).await.unwrap().len(), 1, "what could not be removed is still there");
}

#[tokio::test]
async fn a_service_dies_once_when_told_and_the_sampler_counts_it() {
    let driver = driver("die web.nginx after 2");
    let connection = driver.create(&lab(), &node("web")).await.unwrap();
    let supervisor = driver.supervisor(connection.clone());
    supervisor.start(&process()).await.unwrap();
    for _ in 0..2 {
        assert!(matches!(supervisor.state(&process()).await.unwrap(), ServiceState::Running { .. }));
    }
    assert!(matches!(supervisor.state(&process()).await.unwrap(), ServiceState::Exited { status: 137, .. }));
    let stream = connection.open(&sampler_command()).await.unwrap();
    let mut lines = BufReader::new(stream.output).lines();
    let mut values = Vec::new();
    for _ in 0..3 {
        values.push(parse_sample(&lines.next_line().await.unwrap().unwrap()).unwrap().values);
    }
    assert_eq!(values[0]["services_exited"], 1.0);
    assert_eq!(values[2]["cpu_s_total"] - values[0]["cpu_s_total"], 0.02);
    drop(stream.guard);
    supervisor.start(&process()).await.unwrap();
    for _ in 0..5 {
        assert!(matches!(supervisor.state(&process()).await.unwrap(), ServiceState::Running { .. }));
    }
}

#[tokio::test]
async fn any_other_stream_says_its_answer_and_ends() {
    let driver = driver("answer tail => one\\ntwo");
    let connection = driver.create(&lab(), &node("web")).await.unwrap();
    let mut stream = connection.open(&Command::new("tail -f x")).await.unwrap();
    let mut text = String::new();
    stream.output.read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "one\ntwo");
}
