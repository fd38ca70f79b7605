//! The machine floor against a real engine. Runs only with `BENCHTOP_TEST_DOCKER=1`: it makes images, which takes
//! minutes the first time. `BENCHTOP_TEST_DOCKER_PRUNE=1` besides lets them be removed again.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

#[path = "docker_support/bench.rs"]
mod docker_bench;

use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use benchtop::machine::Command;
use benchtop::machine::Connection;
use benchtop::machine::Demand;
use benchtop::machine::DockerDriver;
use benchtop::machine::DockerOptions;
use benchtop::machine::Driver;
use benchtop::machine::FileToWrite;
use benchtop::machine::MachineError;
use benchtop::machine::NodeSpec;
use benchtop::machine::ServiceState;
use benchtop::machine::Stream;
use benchtop::machine::parse_sample;
use benchtop::machine::sampler_command;
use benchtop::model::process::ServiceProcess;
use benchtop::model::secret::Secret;
use benchtop::model::unit::ByteSize;
use docker_bench::{Bench, node, say};
use indexmap::IndexMap;
use tokio::io::AsyncBufReadExt;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::io::BufReader;
use tokio::sync::mpsc::unbounded_channel;

/// Polls for at most ten seconds.
async fn until_says(connection: &Arc<dyn Connection>, script: &str, wanted: &str) {
    let mut said = String::new();
    for _ in 0..100 {
        said = connection.run(&Command::new(script)).await.unwrap().text();
        if said == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("`{script}` says {said:?}, not {wanted:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lab_comes_up_is_changed_in_place_and_goes_without_a_trace() {
    let Some(bench) = Bench::open("lab").await else { return };
    let web = ["nginx-light", "php-fpm"];
    let nodes =
        [node("front", &["haproxy", "socat"]), node("web1", &web), node("web2", &web), node("web3", &web)];
    let connections = bench.up(&nodes).await;
    assert_eq!(say(&connections[0], "hostname; haproxy -v | head -c 7").await, "front\nHAProxy");
    let resolved = say(&connections[0], "getent hosts web2 | cut -d' ' -f1").await;
    assert_eq!(resolved, connections[2].address().to_string());
    assert!(connections[1].image().starts_with("benchtop/set:"));
    let cgroup = say(
        &connections[1],
        "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null || true",
    );
    assert_eq!(cgroup.await, (128 << 20).to_string());

    let start = say(&connections[1], "cut -d' ' -f22 /proc/1/stat").await;
    let mut changed = node("web1", &web);
    (changed.cpus, changed.memory) = (Some(0.25), Some(ByteSize::mebibytes(96)));
    let same = bench.driver.create(&bench.lab, &changed).await.unwrap();
    assert_eq!(say(&same, "cut -d' ' -f22 /proc/1/stat").await, start, "limits change in place");
    (changed.cpus, changed.memory) = (None, None);
    bench.driver.create(&bench.lab, &changed).await.unwrap();
    bench.driver.create(&bench.lab, &changed).await.unwrap();
    changed.packages = vec!["haproxy".to_owned(), "socat".to_owned()];
    let other = bench.driver.create(&bench.lab, &changed).await.unwrap();
    assert_ne!(
        say(&other, "cut -d' ' -f22 /proc/1/stat").await,
        start,
        "other packages mean another container"
    );

    let listed = bench.driver.list(Some(&bench.lab.lab)).await.unwrap();
    assert_eq!(
        listed.iter().map(|node| node.node.as_str()).collect::<Vec<_>>(),
        ["front", "web1", "web2", "web3"]
    );
    assert!(listed.iter().all(|node| node.running && node.run == "test" && node.owner == "tests"));
    bench.driver.destroy(&bench.lab.lab, "web3").await.unwrap();
    bench.driver.destroy(&bench.lab.lab, "web3").await.unwrap();
    let gone = bench.driver.connect(&bench.lab.lab, "web3").await.err().unwrap();
    assert!(matches!(gone, MachineError::NoSuchNode { .. }), "{gone:?}");
    let images = bench.driver.images().await.unwrap();
    assert!(
        images.iter().any(|image| image.packages == ["haproxy", "socat"] && image.size.bytes() > 1 << 20)
    );
    let begun = Instant::now();
    bench.driver.destroy_lab(&bench.lab.lab).await.unwrap();
    println!("down: {:.1} s", begun.elapsed().as_secs_f64());
    assert!(bench.driver.list(Some(&bench.lab.lab)).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_have_input_status_user_and_a_limit() {
    let Some(bench) = Bench::open("run").await else { return };
    let connection = bench.up(&[node("one", &[])]).await.remove(0);
    let command =
        Command::new("cat; echo to error >&2; exit 7").with_stdin(Secret::new("a\0b\n".repeat(50_000)));
    let output = connection.run(&command).await.unwrap();
    assert_eq!((output.status, output.stdout.len()), (7, 200_000));
    assert_eq!(output.stderr, b"to error\n");
    let output = connection.run(&Command::new("id -un; cat").as_user(Some("www-data"))).await.unwrap();
    assert_eq!(output.text(), "www-data");
    let output = connection.run(&Command::new("kill -TERM $$")).await.unwrap();
    assert_eq!(output.status, 143);
    let slow = Command::new("sleep 4321 & sleep 4321; echo never").at_most(Duration::from_secs(1));
    for user in [None, Some("www-data")] {
        let error = connection.run(&slow.clone().as_user(user)).await.unwrap_err();
        assert!(matches!(error, MachineError::TimedOut { seconds: 1, .. }), "{error:?}");
        assert_eq!(say(&connection, "pgrep -xfc 'sleep 4321' || true").await, "0");
    }
    let endless = Command::new("exec sleep 98765");
    let dropped = tokio::time::timeout(Duration::from_secs(1), connection.run(&endless)).await;
    assert!(dropped.is_err());
    until_says(&connection, "pgrep -xfc 'sleep 98765'", "0").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_goes_both_ways_and_takes_its_program_along() {
    let Some(bench) = Bench::open("open").await else { return };
    let connection = bench.up(&[node("one", &[])]).await.remove(0);
    let command = Command::new("while read -r line; do echo \"got $line\"; done; echo over");
    let Stream { mut input, output, guard } = connection.open(&command).await.unwrap();
    input.write_all(b"one\ntwo\n").await.unwrap();
    let mut lines = BufReader::new(output).lines();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "got one");
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "got two");
    input.shutdown().await.unwrap();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "over");
    assert_eq!(lines.next_line().await.unwrap(), None, "the end of the program ends the stream");
    drop(guard);

    let stream = connection.open(&Command::new("echo up; sleep 7654; echo never")).await.unwrap();
    until_says(&connection, "pgrep -xfc 'sleep 7654'", "1").await;
    drop(stream);
    until_says(&connection, "pgrep -xfc 'sleep 7654'", "0").await;
    until_says(&connection, "pgrep -c cat", "0").await;

    let Stream { mut input, mut output, guard: _guard } =
        connection.open(&Command::new("sleep 8765; echo never")).await.unwrap();
    until_says(&connection, "pgrep -xfc 'sleep 8765'", "1").await;
    input.shutdown().await.unwrap();
    let mut rest = String::new();
    output.read_to_string(&mut rest).await.unwrap();
    assert_eq!(say(&connection, "pgrep -xfc 'sleep 8765' || true").await, "0", "no input, no program");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_keep_owner_and_mode_and_only_our_own_trees_go() {
    let Some(bench) = Bench::open("files").await else { return };
    let connection = bench.up(&[node("one", &[])]).await.remove(0);
    let file = |path: &str, content: &str, mode: u32, owner: Option<&str>| FileToWrite {
        path: path.to_owned(),
        content: Secret::new(content),
        mode,
        owner: owner.map(str::to_owned),
    };
    let files = [
        file("/srv/benchtop/lab/one thing/conf/it's.conf", "first", 0o640, Some("www-data")),
        file("/srv/benchtop/lab/two", "second", 0o755, None),
    ];
    say(&connection, "mkdir -m 700 -p /srv/benchtop/lab && chown www-data /srv/benchtop/lab").await;
    let begun = Instant::now();
    connection.write(&files).await.unwrap();
    println!("write: {:.0} ms", begun.elapsed().as_secs_f64() * 1000.0);
    connection.write(&files).await.unwrap();
    let listed = say(
        &connection,
        "cd /srv/benchtop/lab; stat -c '%a %U %G' . 'one thing' 'one thing/conf' 'one thing/conf/'* two",
    );
    assert_eq!(
        listed.await,
        "700 www-data root\n755 root root\n755 root root\n640 www-data www-data\n755 root root",
        "directories that were there are left alone"
    );
    assert_eq!(connection.read("/srv/benchtop/lab/one thing/conf/it's.conf").await.unwrap(), b"first");
    say(&connection, "head -c 17000000 /dev/zero >/tmp/big; echo end >>/tmp/big").await;
    let big = connection.read("/tmp/big").await.unwrap();
    assert_eq!(big.len(), 16 << 20);
    assert!(big.ends_with(b"end\n"));
    let missing = connection.read("/srv/none").await.unwrap_err();
    assert!(missing.command_failure().unwrap().last_lines.contains("No such file"), "{missing:?}");
    let nobody =
        connection.write(&[file("/srv/benchtop/x", "", 0o600, Some("no-such-user"))]).await.unwrap_err();
    assert!(nobody.command_failure().unwrap().last_lines.contains("no-such-user"), "{nobody:?}");
    let refused = connection.remove_tree("/srv/benchtop/../../etc").await.unwrap_err();
    assert!(matches!(refused, MachineError::OutsideLab { .. }));
    connection.remove_tree("/srv/benchtop/lab").await.unwrap();
    assert_eq!(say(&connection, "ls -A /srv/benchtop; ls /etc/passwd").await, "/etc/passwd");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_is_kept_watched_and_ended_and_the_sampler_sees_its_death() {
    let Some(bench) = Bench::open("service").await else { return };
    let connection = bench.up(&[node("one", &["nginx-light", "php-fpm"])]).await.remove(0);
    let dir = "/srv/benchtop/t-docker-service/web";
    let process = ServiceProcess {
        service: "web".to_owned(),
        dir: dir.to_owned(),
        command: format!("nginx -p {dir} -c conf/nginx.conf"),
        stop_signal: "QUIT".to_owned(),
        environment: IndexMap::new(),
    };
    let config = "daemon off; pid nginx.pid; worker_processes 2; error_log stderr; events {}\n\
                  http { access_log off; server { listen 8080; return 200 hello; } }\n";
    let file = FileToWrite {
        path: format!("{dir}/conf/nginx.conf"),
        content: Secret::new(config),
        mode: 0o644,
        owner: None,
    };
    connection.write(&[file]).await.unwrap();
    let supervisor = bench.driver.supervisor(connection.clone());
    let begun = Instant::now();
    supervisor.start(&process).await.unwrap();
    println!("service start: {:.0} ms", begun.elapsed().as_secs_f64() * 1000.0);
    assert!(matches!(supervisor.state(&process).await.unwrap(), ServiceState::Running { .. }));
    let mut answer = String::new();
    for _ in 0..50 {
        if let Ok(mut stream) = tokio::net::TcpStream::connect((connection.address(), 8080)).await {
            stream.write_all(b"GET / HTTP/1.0\r\n\r\n").await.unwrap();
            stream.read_to_string(&mut answer).await.unwrap();
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(answer.ends_with("hello"), "{answer}");
    let begun = Instant::now();
    supervisor.stop(&process).await.unwrap();
    println!("service stop: {:.0} ms", begun.elapsed().as_secs_f64() * 1000.0);
    assert_eq!(say(&connection, "pgrep -c nginx || true").await, "0");

    supervisor.start(&process).await.unwrap();
    let stream = connection.open(&sampler_command()).await.unwrap();
    let mut lines = BufReader::new(stream.output).lines();
    let first = parse_sample(&lines.next_line().await.unwrap().unwrap()).unwrap().values;
    for name in
        ["cpu_s_total", "throttled_s_total", "throttled_periods_total", "memory_bytes", "oom_kills_total"]
    {
        assert!(first.contains_key(name), "{name} is missing");
    }
    assert_eq!(first["services_exited"], 0.0);
    supervisor.signal(&process, "KILL").await.unwrap();
    let seen = async {
        while parse_sample(&lines.next_line().await.unwrap().unwrap()).unwrap().values["services_exited"]
            < 1.0
        {}
    };
    tokio::time::timeout(Duration::from_secs(10), seen).await.unwrap();
    assert!(matches!(supervisor.state(&process).await.unwrap(), ServiceState::Exited { status: 137, .. }));
    supervisor.stop(&process).await.unwrap();
    assert_eq!(supervisor.state(&process).await.unwrap(), ServiceState::Stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_installation_says_why_and_leaves_nothing() {
    let Some(bench) = Bench::open("broken").await else { return };
    let (sender, _events) = unbounded_channel();
    let nodes = [node("one", &["no-such-package-here"])];
    let error = bench.driver.prepare(&bench.lab, &nodes, &sender).await.unwrap_err();
    assert!(error.to_string().contains("no-such-package-here"), "{error}");
    let images = bench.driver.images().await.unwrap();
    assert!(images.iter().all(|image| image.packages != ["no-such-package-here"]));
    let foreign = NodeSpec { image: "no-such-image:1".to_owned(), ..node("one", &[]) };
    let error = bench.driver.prepare(&bench.lab, &[foreign], &sender).await.unwrap_err();
    assert!(error.to_string().contains("neither local, nor pullable, nor bootstrappable"), "{error}");
    let big = NodeSpec { memory: Some(ByteSize::mebibytes(1 << 30)), ..node("one", &[]) };
    let error = bench.driver.preflight(&Demand { nodes: vec![big] }).await.unwrap_err();
    assert!(matches!(error, MachineError::TooLittle { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn images_in_use_stay_and_the_others_go() {
    if std::env::var("BENCHTOP_TEST_DOCKER_PRUNE").as_deref() != Ok("1") {
        println!("skipped: BENCHTOP_TEST_DOCKER_PRUNE=1 is not set, so no image is removed");
        return;
    }
    let Some(bench) = Bench::open("prune").await else { return };
    let begun = Instant::now();
    let (used, unused) = (node("one", &["netcat-openbsd"]), node("two", &["bc", "netcat-openbsd"]));
    let connections = bench.up(&[used]).await;
    println!("first set, base included if it was not there: {:.1} s", begun.elapsed().as_secs_f64());
    let (sender, _events) = unbounded_channel();
    // Two at once, who know nothing of each other, must not spoil each other's image.
    let other_cache = std::env::temp_dir().join("benchtop-test-cache-2");
    let other = DockerDriver::connect(DockerOptions { cache: other_cache, ..DockerOptions::default() })
        .await
        .unwrap();
    let nodes = [unused.clone()];
    let (mine, theirs) = tokio::join!(
        bench.driver.prepare(&bench.lab, &nodes, &sender),
        other.prepare(&bench.lab, &nodes, &sender)
    );
    mine.unwrap();
    theirs.unwrap();
    assert_eq!(say(&bench.driver.create(&bench.lab, &unused).await.unwrap(), "echo 1+1 | bc").await, "2");
    bench.driver.destroy(&bench.lab.lab, "two").await.unwrap();
    let removed = bench.driver.prune_images().await.unwrap();
    assert!(removed.iter().any(|image| image.packages == ["bc", "netcat-openbsd"]), "{removed:?}");
    let left = bench.driver.images().await.unwrap();
    assert!(left.iter().any(|image| image.name == connections[0].image()), "{left:?}");
    assert!(left.iter().any(|image| image.name.starts_with("benchtop/base:")), "{left:?}");
    bench.driver.destroy_lab(&bench.lab.lab).await.unwrap();
    bench.driver.prune_images().await.unwrap();
    assert_eq!(bench.driver.images().await.unwrap(), []);
}
