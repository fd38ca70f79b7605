//! How long measuring will take.

use std::time::Duration;

use crate::model::experiment::Experiment;
use crate::model::load::{Extent, Level};

/// What a drain takes when the services are quick: two idle seconds in a row and one to see them.
const DRAIN: Duration = Duration::from_secs(3);
/// What going to another variant takes.
const SWITCH: Duration = Duration::from_secs(2);
/// Answers a connection is taken to get in a second where a level counts requests.
pub(super) const ANSWERS_PER_CONNECTION: f64 = 10.0;

/// The expected wall time of measuring: warm-up, window and drain of every cell, and the switches between variants.
/// Making nodes and images is not in it. A level that counts requests is taken to be answered at ten requests a second
/// on each connection.
#[must_use]
pub fn estimate(experiment: &Experiment) -> Duration {
    let mut round = Duration::ZERO;
    let mut cells = 0;
    for variant in experiment.variants.values() {
        for level in &variant.load.levels {
            let drain = DRAIN.min(variant.load.cool_down_at_most);
            round += variant.load.warm_up + window(level) + drain;
            cells += 1;
        }
    }
    // In a random order the next cell belongs to another variant with probability 1 - 1/variants, roughly.
    let variants = experiment.variants.len() as u32;
    if variants > 1 {
        round += SWITCH * (cells * (variants - 1) / variants).max(variants);
    }
    round * experiment.repeat
}

fn window(level: &Level) -> Duration {
    match level.extent {
        Extent::Duration(duration) => duration,
        Extent::Requests(requests) => {
            let rate = f64::from(level.connections.max(1)) * ANSWERS_PER_CONNECTION;
            Duration::from_secs_f64(requests as f64 / rate)
        }
    }
}
