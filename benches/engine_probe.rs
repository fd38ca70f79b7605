//! Runs one measurement of the load engine against a URL and prints it as one line of JSON with the CPU per request.
//! Called by `engine.sh`; without a URL it does nothing.
//!
//! `cargo bench --bench engine_probe -- http://127.0.0.1:8080/file CONNECTIONS SECONDS`

use std::io::Write as _;
use std::net::ToSocketAddrs as _;
use std::time::Duration;

use anyhow::Context as _;
use benchtop::loadgen::CellSpec;
use benchtop::loadgen::Client as _;
use benchtop::loadgen::HttpClient;
use benchtop::model::load::Expect;
use benchtop::model::load::Extent;
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    // Cargo adds words of its own, a test run its filter: the URL is where ours begin.
    let mut words = std::env::args().skip_while(|word| !word.starts_with("http://"));
    let Some(url) = words.next() else { return Ok(()) };
    let connections = words.next().map_or(Ok(100), |word| word.parse()).context("CONNECTIONS")?;
    let seconds = words.next().map_or(Ok(5.0), |word| word.parse()).context("SECONDS")?;
    let (authority, path) = url
        .strip_prefix("http://")
        .and_then(|rest| rest.split_once('/'))
        .context("the URL must look like http://127.0.0.1:8080/file")?;
    let spec = CellSpec {
        addresses: authority.to_socket_addrs().context("HOST:PORT")?.collect(),
        host: authority.to_owned(),
        path: format!("/{path}"),
        headers: Vec::new(),
        connections,
        keep_alive: true,
        warm_up: Duration::ZERO,
        extent: Extent::Duration(Duration::from_secs_f64(seconds)),
        timeout: Duration::from_secs(10),
        expect: Expect::default(),
    };
    let seen = HttpClient::new().measure(&spec, unbounded_channel().0, CancellationToken::new()).await?;
    let line = serde_json::json!({
        "completed": seen.completed,
        "good": seen.good,
        "requests_per_s": seen.throughput(),
        "cpu_us_per_request": seen.generator.cpu_s * 1.0e6 / seen.completed.max(1) as f64,
        "in_flight_mean": seen.generator.in_flight_mean,
        "peak_rss_bytes": seen.generator.peak_rss_bytes,
        "outcomes": seen.outcomes,
    });
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}
