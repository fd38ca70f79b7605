//! Was a window steady? MSER-5 on the per-second series. Nothing is ever trimmed silently.

use serde::Serialize;

use crate::stats::error::{StatsError, all_finite};
use crate::stats::summary::mean;

/// Samples a batch holds.
const BATCH: usize = 5;

/// Largest relative difference between the two halves of a steady window.
const HALVES_DIFFER_AT_MOST: f64 = 0.05;

/// What MSER-5 says of a series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WarmUp {
    /// Samples at the start that are best left out.
    pub truncate_samples: usize,
    /// Mean of all samples.
    pub raw_mean: f64,
    /// Mean of the whole batches after the truncation point.
    pub truncated_mean: f64,
    /// The statistic for each number of batches left out, from 0 to half of them.
    pub statistic: Vec<f64>,
    /// At most a third would be left out and the two halves differ by at most 5 %.
    pub steady: bool,
}

/// MSER-5 (White, Cobb & Spratt 2000): means of batches of five; the number of batches d to leave out minimises
/// Σ(y − ȳ)²/(n − d)² over d ≤ n/2. A last batch that is not full is left out of the statistic.
///
/// # Errors
/// Fewer than ten samples (two batches), a value that is not finite.
pub fn warm_up(values: &[f64]) -> Result<WarmUp, StatsError> {
    all_finite("values", values)?;
    if values.len() < 2 * BATCH {
        return Err(StatsError::TooFew { what: "MSER-5", needed: 2 * BATCH, given: values.len() });
    }
    let batches: Vec<f64> = values.chunks_exact(BATCH).map(mean).collect();
    let statistic: Vec<f64> = (0..=batches.len() / 2)
        .map(|left_out| {
            let kept = &batches[left_out..];
            let average = mean(kept);
            let squares: f64 = kept.iter().map(|value| (value - average).powi(2)).sum();
            squares / (kept.len() as f64).powi(2)
        })
        .collect();
    let best = statistic
        .iter()
        .enumerate()
        .min_by(|left, right| left.1.total_cmp(right.1).then(left.0.cmp(&right.0)))
        .map_or(0, |(index, _)| index);
    let (first, second) = values.split_at(values.len() / 2);
    let raw_mean = mean(values);
    let halves_differ = (mean(first) - mean(second)).abs() > HALVES_DIFFER_AT_MOST * raw_mean.abs();
    Ok(WarmUp {
        truncate_samples: best * BATCH,
        raw_mean,
        truncated_mean: mean(&batches[best..]),
        statistic,
        steady: 3 * best <= batches.len() && !halves_differ,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_start_is_found_and_a_flat_series_left_whole() {
        let mut values = vec![10.0; 5];
        values.extend(vec![100.0; 25]);
        let found = warm_up(&values).unwrap();
        assert_eq!((found.truncate_samples, found.truncated_mean, found.steady), (5, 100.0, false));
        let flat = warm_up(&[100.0; 20]).unwrap();
        assert_eq!((flat.truncate_samples, flat.steady, flat.raw_mean), (0, true, 100.0));
        assert_eq!(flat.statistic, [0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_slope_is_not_steady() {
        let rising: Vec<f64> = (0..30).map(|second| 100.0 + f64::from(second)).collect();
        assert!(!warm_up(&rising).unwrap().steady);
    }

    #[test]
    fn too_short_a_series_is_refused_and_zeros_are_steady() {
        assert!(warm_up(&[1.0; 9]).is_err());
        assert!(warm_up(&[f64::INFINITY; 10]).is_err());
        assert!(warm_up(&[0.0; 10]).unwrap().steady);
    }
}
