//! The cell most tests start from, and what holds for every measurement.

use std::net::SocketAddr;
use std::time::Duration;

use crate::loadgen::contract::CellSpec;
use crate::loadgen::engine::Window;
use crate::loadgen::engine::run;
use crate::model::load::Expect;
use crate::model::load::Extent;
use crate::model::measurement::Measurement;

/// Two connections, six requests, a timeout that does not matter.
pub fn spec(address: SocketAddr) -> CellSpec {
    CellSpec {
        addresses: vec![address],
        host: "www.example.org".to_owned(),
        path: "/".to_owned(),
        headers: Vec::new(),
        connections: 2,
        keep_alive: true,
        warm_up: Duration::ZERO,
        extent: Extent::Requests(6),
        timeout: Duration::from_secs(20),
        expect: Expect::default(),
    }
}

/// Measures, and checks what holds for every measurement.
pub fn measure(spec: &CellSpec) -> Measurement {
    let window = Window::new(spec.warm_up, spec.extent);
    let seen = run(spec, &window).unwrap();
    assert_eq!(seen.outcomes.values().sum::<u64>(), seen.completed);
    assert!(seen.good <= seen.completed);
    assert!(seen.reused <= seen.completed);
    assert!(seen.unfinished <= u64::from(spec.connections));
    assert!(seen.generator.in_flight_mean <= f64::from(spec.connections));
    assert_eq!(seen.per_second.iter().map(|second| second.completed).sum::<u64>(), seen.completed);
    assert_eq!(seen.per_second.iter().map(|second| second.good).sum::<u64>(), seen.good);
    let latency: u64 = seen.per_second.iter().map(|second| second.latency_us_sum).sum();
    assert_eq!(latency, seen.latency_us_sum);
    if let Extent::Requests(count) = spec.extent {
        assert_eq!(seen.completed, count);
    }
    seen
}
