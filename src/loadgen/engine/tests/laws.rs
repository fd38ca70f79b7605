//! What holds for every window: time asked is time had, counts add up, latency covers what it should.

use std::io::Write as _;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use super::measure;
use super::spec;
use crate::loadgen::HttpClient;
use crate::loadgen::contract::CellSpec;
use crate::loadgen::contract::Client as _;
use crate::loadgen::engine::Window;
use crate::loadgen::engine::run::run;
use crate::loadgen::engine::run::run_on;
use crate::loadgen::error::LoadError;
use crate::loadgen::scripted::Scripted;
use crate::loadgen::scripted::answer;
use crate::loadgen::scripted::read_request;
use crate::loadgen::scripted::refusing_address;
use crate::loadgen::scripted::wait_for_close;
use crate::model::load::Extent;
use crate::model::measurement::Outcome;

const WARM_UP: Duration = Duration::from_millis(400);
const SHORT: Extent = Extent::Duration(Duration::from_millis(250));

/// Answers after a delay.
fn slow(delay: Duration) -> Scripted {
    let bytes = answer("200 OK", "x");
    Scripted::new(move |stream, _| {
        while read_request(stream) {
            thread::sleep(delay);
            if stream.write_all(bytes.as_bytes()).is_err() {
                return;
            }
        }
    })
}

#[test]
fn a_window_of_time_is_as_long_as_asked_and_stays_full() {
    let server = Scripted::answering(answer("200 OK", "x"));
    let seen = measure(&CellSpec { extent: SHORT, warm_up: WARM_UP, connections: 3, ..spec(server.address) });
    assert!((seen.duration_s - 0.25).abs() < 1e-9);
    assert_eq!(seen.per_second.len(), 1);
    assert!(seen.completed > 0);
    assert_eq!(seen.unfinished, 3);
    // After a warm-up a closed loop keeps every slot busy all the time.
    assert!((seen.generator.in_flight_mean - 3.0).abs() < 1e-9, "{}", seen.generator.in_flight_mean);
}

#[test]
fn requests_that_end_in_the_warm_up_do_not_count_and_their_connections_stay() {
    let server = slow(Duration::from_millis(5));
    let cell = CellSpec { extent: SHORT, warm_up: WARM_UP, ..spec(server.address) };
    let seen = measure(&cell);
    assert!((seen.warm_up_s - 0.4).abs() < 1e-9);
    assert_eq!(seen.generator.connections_opened, 0);
    assert_eq!(seen.reused, seen.completed);
    // Two slots, at least 5 ms a request, a quarter of a second, and one each that began before.
    assert!(seen.completed <= 102, "{}", seen.completed);
    assert_eq!(server.accepted(), 2);
}

#[test]
fn latency_is_never_below_the_servers_delay() {
    let server = slow(Duration::from_millis(20));
    let seen = measure(&spec(server.address));
    assert!(seen.latency_us_sum >= 6 * 20_000);
    assert!(seen.latency_us_max >= 20_000);
    // Little's law with the time in flight that was integrated.
    let from_latency = seen.latency_us_sum as f64 / 1.0e6 / seen.duration_s;
    assert!(from_latency <= seen.generator.in_flight_mean + 0.01);
}

#[test]
fn a_count_of_requests_is_exact_with_many_connections() {
    let server = Scripted::answering(answer("200 OK", "x"));
    for count in [0, 1, 7, 500] {
        let cell = CellSpec { extent: Extent::Requests(count), connections: 20, ..spec(server.address) };
        assert_eq!(measure(&cell).completed, count);
    }
}

#[test]
fn several_threads_count_exactly_what_one_would() {
    let server = Scripted::answering(answer("200 OK", "x"));
    let cell = CellSpec { extent: Extent::Requests(500), connections: 7, ..spec(server.address) };
    let seen = run_on(3, &cell, &Window::new(cell.warm_up, cell.extent)).unwrap();
    assert_eq!((seen.completed, seen.good, seen.generator.threads), (500, 500, 3));
    assert_eq!((seen.bytes, seen.unfinished), (500 * answer("200 OK", "x").len() as u64, 6));
    // At most the first answer of each connection came on a new one.
    assert!(seen.reused >= 493, "{}", seen.reused);
}

#[test]
fn a_version_6_address_is_an_address() {
    let cell = CellSpec { addresses: vec!["[::1]:1".parse().unwrap()], ..spec(refusing_address()) };
    assert_eq!(measure(&cell).outcomes.get(&Outcome::Refused), Some(&6));
}

#[test]
fn no_address_is_an_error_and_no_connection_is_an_empty_window() {
    let server = Scripted::answering(answer("200 OK", "x"));
    let none = CellSpec { addresses: Vec::new(), ..spec(server.address) };
    assert!(run(&none, &Window::new(none.warm_up, none.extent)).is_err());
    let idle = CellSpec { connections: 0, extent: SHORT, ..spec(server.address) };
    assert_eq!(measure(&idle).completed, 0);
}

#[test]
fn a_stopped_window_is_cancelled() {
    let server = Scripted::new(|stream, _| wait_for_close(stream));
    let cell = CellSpec { extent: Extent::Duration(Duration::from_secs(3600)), ..spec(server.address) };
    let window = Arc::new(Window::new(cell.warm_up, cell.extent));
    let of_thread = Arc::clone(&window);
    let running = thread::spawn(move || run(&cell, &of_thread));
    window.stop();
    assert!(matches!(running.join().unwrap(), Err(LoadError::Cancelled)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_client_measures_and_tells_progress_until_it_is_cancelled() {
    let server = Scripted::answering(answer("200 OK", "x"));
    let client = HttpClient::new();
    let cell = CellSpec { extent: Extent::Requests(100), ..spec(server.address) };
    let done = client.measure(&cell, unbounded_channel().0, CancellationToken::new()).await.unwrap();
    assert_eq!((done.good, done.generator.engine.as_str()), (100, "benchtop"));

    let endless = CellSpec { extent: Extent::Duration(Duration::from_secs(3600)), ..cell };
    let (progress, mut told) = unbounded_channel();
    let cancel = CancellationToken::new();
    let watching = async {
        let first = told.recv().await;
        cancel.cancel();
        first
    };
    let (result, first) = tokio::join!(client.measure(&endless, progress, cancel.clone()), watching);
    assert!(matches!(result, Err(LoadError::Cancelled)));
    let first = first.unwrap();
    assert!(!first.warming_up && first.rate > 0.0 && first.share < 0.01, "{first:?}");
}
