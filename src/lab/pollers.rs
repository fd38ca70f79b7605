//! Counters of services: asked once a second by benchtop itself, or read from a resident stream on the node.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::formats::read_counters;
use crate::lab::observer::{Sample, Samples};
use crate::loadgen::{Client, FetchRequest};
use crate::machine::{Command, Connection, quote};
use crate::model::software::TelemetrySource;
use crate::plan::PlannedTelemetry;

const EVERY: Duration = Duration::from_secs(1);
const AT_MOST: Duration = Duration::from_millis(900);
/// Ends each block of a resident stream.
const END: &str = "--benchtop-end--";

/// Asks one source for as long as the task lives.
pub(crate) async fn poll(
    client: Arc<dyn Client>,
    connection: Arc<dyn Connection>,
    source: PlannedTelemetry,
    samples: Samples,
) {
    match source.source {
        TelemetrySource::Http | TelemetrySource::Tcp => ask(client, connection, source, samples).await,
        TelemetrySource::Run => {
            let script = source.run.clone();
            stream(connection, script, source, samples).await;
        }
        TelemetrySource::File => {
            let script = format!("cat {}", quote(&source.path));
            stream(connection, script, source, samples).await;
        }
    }
}

async fn ask(
    client: Arc<dyn Client>,
    connection: Arc<dyn Connection>,
    source: PlannedTelemetry,
    samples: Samples,
) {
    let address = SocketAddr::new(connection.address(), source.port);
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    loop {
        ticks.tick().await;
        let text = if source.source == TelemetrySource::Tcp {
            client.exchange(address, &source.send, AT_MOST).await.ok()
        } else {
            let request = FetchRequest {
                address,
                host: source.reference.node.clone(),
                path: source.path.clone(),
                headers: Vec::new(),
                at_most: AT_MOST,
                body_bytes_max: 1 << 20,
            };
            client.fetch(&request).await.ok().filter(|answer| answer.status == 200).map(|answer| answer.body)
        };
        // A service too busy to answer leaves a gap, which is itself what happened.
        if let Some(text) = text {
            remember(&source, &text, &samples);
        }
    }
}

async fn stream(connection: Arc<dyn Connection>, script: String, source: PlannedTelemetry, samples: Samples) {
    let looped = format!("while :; do {{ {script}\n}}; echo; echo '{END}'; sleep 1; done");
    loop {
        if let Ok(stream) = connection.open(&Command::new(&looped)).await {
            let mut lines = BufReader::new(stream.output).lines();
            let _input = stream.input;
            let _guard = stream.guard;
            let mut block = String::new();
            while let Ok(Some(line)) = lines.next_line().await {
                if line == END {
                    remember(&source, block.as_bytes(), &samples);
                    block.clear();
                } else if block.len() < 1 << 20 {
                    block.push_str(&line);
                    block.push('\n');
                }
            }
        }
        tokio::time::sleep(EVERY).await;
    }
}

fn remember(source: &PlannedTelemetry, text: &[u8], samples: &Samples) {
    let values: IndexMap<String, f64> = read_counters(source.format, &source.values, text);
    if values.is_empty() {
        return;
    }
    samples.push(Sample {
        at: Instant::now(),
        node: source.reference.node.clone(),
        service: Some(source.reference.service.clone()),
        values,
    });
}
