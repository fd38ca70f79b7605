//! A lab of a test on the machine floor alone: a driver on the real engine, nodes, and nothing left afterwards.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "this is test code outside of test functions")]

use std::sync::Arc;
use std::time::Instant;

use benchtop::machine::Command;
use benchtop::machine::Connection;
use benchtop::machine::Demand;
use benchtop::machine::DockerDriver;
use benchtop::machine::DockerOptions;
use benchtop::machine::Driver;
use benchtop::machine::LabIdentity;
use benchtop::machine::NodeSpec;
use benchtop::model::event::Event;
use benchtop::model::unit::ByteSize;
use futures_util::future::try_join_all;
use tokio::sync::mpsc::unbounded_channel;

/// One lab that is gone when this is, also after a failed assertion.
pub struct Bench {
    pub driver: Arc<DockerDriver>,
    pub lab: LabIdentity,
}

impl Bench {
    /// None, with the reason printed, unless the engine may be used.
    pub async fn open(name: &str) -> Option<Self> {
        if std::env::var("BENCHTOP_TEST_DOCKER").as_deref() != Ok("1") {
            println!("skipped: BENCHTOP_TEST_DOCKER=1 is not set, so no Docker engine is touched");
            return None;
        }
        let cache = std::env::temp_dir().join("benchtop-test-cache");
        let driver =
            DockerDriver::connect(DockerOptions { cache, ..DockerOptions::default() }).await.unwrap();
        let lab = LabIdentity {
            lab: format!("t-docker-{name}"),
            run: "test".to_owned(),
            owner: "tests".to_owned(),
        };
        driver.destroy_lab(&lab.lab).await.unwrap();
        Some(Self { driver: Arc::new(driver), lab })
    }

    pub async fn up(&self, nodes: &[NodeSpec]) -> Vec<Arc<dyn Connection>> {
        let (sender, mut events) = unbounded_channel();
        self.driver.preflight(&Demand { nodes: nodes.to_vec() }).await.unwrap();
        let begun = Instant::now();
        self.driver.prepare(&self.lab, nodes, &sender).await.unwrap();
        println!("images: {:.1} s", begun.elapsed().as_secs_f64());
        drop(sender);
        let mut steps = 0;
        while let Some(event) = events.recv().await {
            assert!(matches!(event, Event::ImageStep { .. }));
            steps += 1;
        }
        println!("image steps told: {steps}");
        let begun = Instant::now();
        let connections =
            try_join_all(nodes.iter().map(|node| self.driver.create(&self.lab, node))).await.unwrap();
        println!("{} nodes: {:.1} s", nodes.len(), begun.elapsed().as_secs_f64());
        connections
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let lab = self.lab.lab.clone();
        let ended = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let driver = DockerDriver::connect(DockerOptions::default()).await.unwrap();
                driver.destroy_lab(&lab).await.unwrap();
                assert!(driver.list(Some(&lab)).await.unwrap().is_empty());
            });
        })
        .join();
        assert!(ended.is_ok() || std::thread::panicking(), "the lab could not be removed");
    }
}

/// A small node with these packages, on the private network.
pub fn node(name: &str, packages: &[&str]) -> NodeSpec {
    NodeSpec {
        name: name.to_owned(),
        cpus: Some(0.5),
        memory: Some(ByteSize::mebibytes(128)),
        swap: ByteSize(0),
        image: "debian:bookworm".to_owned(),
        packages: packages.iter().map(|&package| package.to_owned()).collect(),
        networks: Vec::new(),
    }
}

/// What a script says that must succeed.
pub async fn say(connection: &Arc<dyn Connection>, script: &str) -> String {
    let output = connection.run(&Command::new(script)).await.unwrap();
    assert!(output.succeeded(), "{script}: {output:?}");
    output.text()
}
