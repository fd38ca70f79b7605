//! The cells of an experiment in the order they are measured.

use crate::model::experiment::{Experiment, Order};

/// One measurement: a variant at a level in a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Round, from 1.
    pub round: u32,
    /// Position in its round, from 1.
    pub order: u32,
    /// Variant name.
    pub variant: String,
    /// Level name.
    pub level: String,
}

/// All cells: in every round each (variant, level) once, in an order drawn anew from the seed, or as written.
#[must_use]
pub fn cells(experiment: &Experiment, seed: u64) -> Vec<Cell> {
    let written: Vec<(&str, &str)> = experiment
        .variants
        .values()
        .flat_map(|variant| {
            variant.load.levels.iter().map(move |level| (variant.name.as_str(), level.name.as_str()))
        })
        .collect();
    let mut draw = Draw(seed);
    let mut cells = Vec::new();
    for round in 1..=experiment.repeat {
        let mut this_round = written.clone();
        if experiment.order == Order::Random {
            shuffle(&mut this_round, &mut draw);
        }
        cells.extend(this_round.into_iter().zip(1..).map(|((variant, level), order)| Cell {
            round,
            order,
            variant: variant.to_owned(),
            level: level.to_owned(),
        }));
    }
    cells
}

/// Fisher and Yates' shuffle (Durstenfeld 1964).
fn shuffle<T>(items: &mut [T], draw: &mut Draw) {
    for last in (1..items.len()).rev() {
        items.swap(last, draw.below(last as u64 + 1) as usize);
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014). Our own, since a printed seed must give the same order for ever.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; values that would favour small numbers are drawn again.
    fn below(&mut self, bound: u64) -> u64 {
        let unfair = (u64::MAX % bound + 1) % bound;
        loop {
            let number = self.next();
            if number <= u64::MAX - unfair {
                return number % bound;
            }
        }
    }
}
