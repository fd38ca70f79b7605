//! Runs one measurement: shares the connections among threads, joins them, and makes one measurement of their counts.

use std::io;
use std::thread;
use std::time::Duration;

use crate::loadgen::contract::CellSpec;
use crate::loadgen::engine::slot::Slot;
use crate::loadgen::engine::tally::Tally;
use crate::loadgen::engine::usage;
use crate::loadgen::engine::window::Window;
use crate::loadgen::engine::worker::Common;
use crate::loadgen::engine::worker::Worker;
use crate::loadgen::error::LoadError;
use crate::loadgen::request::Persistence;
use crate::loadgen::request::request_bytes;
use crate::model::measurement::Measurement;

/// Most threads: beyond that the generator competes with what it measures.
const THREADS_MAX: usize = 4;

/// Threads for so many connections on this machine: one core is left to others, and no thread is without work.
#[must_use]
fn threads_for(connections: u32) -> u32 {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.saturating_sub(1).clamp(1, THREADS_MAX);
    // At most four: it fits.
    (threads as u32).min(connections.max(1))
}

/// Measures, blocking the calling thread until the window is over or stopped.
pub fn run(spec: &CellSpec, window: &Window) -> Result<Measurement, LoadError> {
    run_on(threads_for(spec.connections), spec, window)
}

/// The same with a given number of threads, at least one.
pub fn run_on(threads: u32, spec: &CellSpec, window: &Window) -> Result<Measurement, LoadError> {
    let persistence = if spec.keep_alive { Persistence::KeepAlive } else { Persistence::Close };
    let request = request_bytes(&spec.host, &spec.path, &spec.headers, persistence);
    let common = Common {
        window,
        request: &request,
        expect: &spec.expect,
        timeout: spec.timeout,
        keep_alive: spec.keep_alive,
    };
    let shares = shares(spec, threads)?;
    let tallies = thread::scope(|scope| {
        let handles: Vec<_> = shares
            .into_iter()
            .enumerate()
            .map(|(place, slots)| spawn(scope, place, &common, slots))
            .collect();
        handles.into_iter().map(|handle| handle.and_then(join)).collect::<Vec<_>>()
    });
    let mut sum = Tally::new();
    for tally in tallies {
        sum.add(&tally?);
    }
    if window.is_stopped() {
        return Err(LoadError::Cancelled);
    }
    let length = Duration::from_nanos(window.end_ns().saturating_sub(window.start_ns()));
    let rss = usage::peak_rss_bytes()?;
    Ok(sum.into_measurement(spec.warm_up, length, threads, spec.connections, rss))
}

/// The slots of each thread; connection i goes to address i modulo n, and to thread i modulo the threads.
fn shares(spec: &CellSpec, threads: u32) -> Result<Vec<Vec<Slot>>, LoadError> {
    let mut shares: Vec<Vec<Slot>> = (0..threads).map(|_| Vec::new()).collect();
    for (address, place) in spec.addresses.iter().cycle().zip(0..spec.connections) {
        shares[(place % threads) as usize].push(Slot::new(*address));
    }
    if spec.connections > 0 && spec.addresses.is_empty() {
        return Err(LoadError::Engine {
            doing: "begin without an address",
            source: io::Error::from(io::ErrorKind::InvalidInput),
        });
    }
    Ok(shares)
}

type Joined<'scope> = thread::ScopedJoinHandle<'scope, Result<Tally, LoadError>>;

fn spawn<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    place: usize,
    common: &'scope Common<'scope>,
    slots: Vec<Slot>,
) -> Result<Joined<'scope>, LoadError> {
    thread::Builder::new()
        .name(format!("load-{place}"))
        .spawn_scoped(scope, move || {
            let result = Worker::new(common, slots).and_then(Worker::run);
            if result.is_err() {
                common.window.stop(); // The other threads' counts would be of no use.
            }
            result
        })
        .map_err(|source| {
            common.window.stop();
            LoadError::Engine { doing: "start a thread", source }
        })
}

fn join(handle: Joined<'_>) -> Result<Tally, LoadError> {
    handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
