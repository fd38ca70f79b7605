//! Two networks a lab on a real engine: who reaches whom, and that both are gone afterwards. Runs only with
//! `BENCHTOP_TEST_DOCKER=1`.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

#[path = "docker_support/bench.rs"]
mod docker_bench;

use std::process::Command as Program;
use std::sync::Arc;

use benchtop::machine::Command;
use benchtop::machine::Connection;
use benchtop::machine::Driver;
use benchtop::machine::FoundLab;
use benchtop::machine::NodeSpec;
use benchtop::model::topology::Network;
use docker_bench::{Bench, node, say};
use tokio::sync::mpsc::unbounded_channel;

const PORT: u16 = 7777;

fn on(name: &str, networks: &[Network]) -> NodeSpec {
    NodeSpec { networks: networks.to_vec(), ..node(name, &["netcat-openbsd"]) }
}

/// Starts a listener, and waits until it is reached from where it is.
async fn listen(connection: &Arc<dyn Connection>) {
    let script = format!(
        "nc -lk {PORT} >/dev/null 2>&1 </dev/null & \
         for try in $(seq 50); do nc -z 127.0.0.1 {PORT} && exit 0; sleep 0.1; done; exit 1"
    );
    say(connection, &script).await;
}

async fn reaches(connection: &Arc<dyn Connection>, host: &str) -> bool {
    let output = connection.run(&Command::new(format!("nc -z -w 2 {host} {PORT}"))).await;
    output.unwrap().succeeded()
}

/// Names of the engine's networks that begin so.
fn networks(prefix: &str) -> Vec<String> {
    let filter = format!("name=^{prefix}");
    let arguments = ["network", "ls", "--format", "{{.Name}}", "--filter", &filter];
    let listed = Program::new("docker").args(arguments).output().unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    let mut names: Vec<String> = text.lines().map(str::to_owned).collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_only_outside_reaches_the_front_and_nothing_behind_it() {
    let Some(bench) = Bench::open("networks").await else { return };
    let lab = bench.lab.lab.clone();
    let (public, private) = (Network::Public, Network::Private);
    let nodes = [
        on("front", &[public, private]),
        on("back", &[private]),
        on("outsider", &[public]),
        node("plain", &[]),
    ];
    let connections = bench.up(&nodes).await;
    let [front, back, outsider, plain] = connections.as_slice() else { panic!("four nodes") };
    assert_eq!(
        networks(&format!("benchtop-{lab}")),
        [format!("benchtop-{lab}"), format!("benchtop-{lab}-public")]
    );
    assert_ne!(front.address(), front.client_address());
    for one in [back, outsider, plain] {
        assert_eq!(one.address(), one.client_address(), "{}", one.node());
    }

    listen(front).await;
    listen(back).await;
    let (hidden, own) = (back.address().to_string(), front.address().to_string());
    assert!(reaches(front, &hidden).await && reaches(front, "back").await);
    assert!(reaches(outsider, &front.client_address().to_string()).await && reaches(outsider, "front").await);
    assert!(!reaches(outsider, &hidden).await && !reaches(outsider, "back").await);
    assert!(!reaches(outsider, &own).await, "not even the front's own address among the nodes");
    assert_eq!(say(back, "getent hosts front | cut -d' ' -f1").await, own);

    let again = bench.driver.connect(&lab, "front").await.unwrap();
    assert_eq!((again.address(), again.client_address()), (front.address(), front.client_address()));

    let start = say(outsider, "cut -d' ' -f22 /proc/1/stat").await;
    let moved = bench.driver.create(&bench.lab, &on("outsider", &[private])).await.unwrap();
    assert_eq!(say(&moved, "cut -d' ' -f22 /proc/1/stat").await, start, "networks change in place");
    assert_ne!(moved.address(), outsider.address());
    assert!(reaches(&moved, &hidden).await);
    assert!(!reaches(&moved, &front.client_address().to_string()).await, "it is not outside any more");

    bench.driver.destroy_lab(&lab).await.unwrap();
    assert_eq!(networks(&format!("benchtop-{lab}")), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lab_of_private_nodes_has_one_network_and_is_known_by_it_alone() {
    let Some(bench) = Bench::open("private").await else { return };
    let lab = bench.lab.lab.clone();
    let (sender, _events) = unbounded_channel();
    let nodes = [node("one", &[]), NodeSpec { networks: vec![Network::Private], ..node("two", &[]) }];
    bench.driver.prepare(&bench.lab, &nodes, &sender).await.unwrap();
    assert_eq!(networks(&format!("benchtop-{lab}")), [format!("benchtop-{lab}")]);
    let known = FoundLab { lab: lab.clone(), owner: bench.lab.owner.clone() };
    assert!(bench.driver.labs().await.unwrap().contains(&known), "without any node");

    // The public network's name is taken by somebody else, who keeps it.
    let name = format!("benchtop-{lab}-public");
    assert!(Program::new("docker").args(["network", "create", &name]).output().unwrap().status.success());
    let refused = bench.driver.prepare(&bench.lab, &[on("one", &[Network::Public])], &sender).await;
    bench.driver.destroy_lab(&lab).await.unwrap();
    let kept = networks(&format!("benchtop-{lab}"));
    assert!(Program::new("docker").args(["network", "rm", &name]).output().unwrap().status.success());
    assert!(refused.unwrap_err().to_string().contains(&name));
    assert_eq!(kept, [name]);
    assert!(!bench.driver.labs().await.unwrap().contains(&known));
}
