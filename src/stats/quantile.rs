//! The one definition of a percentile: nearest rank, no interpolation.

use crate::stats::error::StatsError;

/// Samples that must lie beyond a percentile before it is worth printing.
pub(super) const TAIL_SAMPLES: f64 = 10.0;

/// The nearest rank of quantile `q` (0–1) among `n` values, from 1: the smallest with at least `q·n` at or below it.
pub(super) fn nearest_rank(n: u64, q: f64) -> u64 {
    // The product of a decimal and a count may land a hair above a whole number.
    let exact = q * n as f64;
    let rank = (exact - exact.abs() * 1e-12).ceil() as u64;
    rank.clamp(1, n.max(1))
}

/// Whether at least ten samples lie beyond quantile `q`.
pub(super) fn has_tail(n: u64, q: f64) -> bool {
    n as f64 * (1.0 - q) >= TAIL_SAMPLES - 1e-6
}

/// Quantile `q` (0–1) of values with counts, by nearest rank; none when the counts are all zero.
///
/// # Errors
/// `q` outside 0–1, a value that is not finite.
pub fn weighted_quantile(values: &[(f64, u64)], q: f64) -> Result<Option<f64>, StatsError> {
    if !(0.0..=1.0).contains(&q) {
        return Err(StatsError::OutOfRange { what: "q", value: q, range: "between 0 and 1" });
    }
    if let Some(index) = values.iter().position(|(value, _)| !value.is_finite()) {
        return Err(StatsError::NotFinite { what: "histograms", place: index + 1 });
    }
    let mut sorted: Vec<(f64, u64)> = values.iter().copied().filter(|(_, count)| *count > 0).collect();
    sorted.sort_by(|left, right| left.0.total_cmp(&right.0));
    let total: u64 = sorted.iter().map(|(_, count)| count).sum();
    let rank = nearest_rank(total, q);
    let mut seen = 0;
    Ok(sorted.into_iter().find_map(|(value, count)| {
        seen += count;
        (seen >= rank).then_some(value)
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, proptest};

    use super::*;

    #[test]
    fn ranks_are_the_nearest_and_never_interpolated() {
        assert_eq!(nearest_rank(100, 0.95), 95);
        assert_eq!(nearest_rank(101, 0.95), 96);
        assert_eq!(nearest_rank(5, 0.5), 3);
        assert_eq!(nearest_rank(5, 0.0), 1);
        assert_eq!(nearest_rank(1000, 0.99), 990);
        assert_eq!(weighted_quantile(&[(500.0, 2), (10.0, 98)], 0.99).unwrap(), Some(500.0));
        assert_eq!(weighted_quantile(&[(500.0, 1), (10.0, 99)], 0.99).unwrap(), Some(10.0));
        assert_eq!(weighted_quantile(&[], 0.5).unwrap(), None);
        assert!(weighted_quantile(&[(f64::NAN, 1)], 0.5).is_err());
        assert!(weighted_quantile(&[(1.0, 1)], 1.5).is_err());
    }

    #[test]
    fn a_tail_needs_ten_samples() {
        assert!(has_tail(200, 0.95) && !has_tail(199, 0.95));
        assert!(has_tail(1000, 0.99) && !has_tail(999, 0.99));
    }

    proptest! {
        #[test]
        fn it_is_the_sorted_lists_element(values in prop::collection::vec(0_u16..500, 1..60), q in 0.0..=1.0f64) {
            let weighted: Vec<(f64, u64)> = values.iter().map(|value| (f64::from(*value), 1)).collect();
            let got = weighted_quantile(&weighted, q).unwrap().unwrap();
            let at_or_below = values.iter().filter(|value| f64::from(**value) <= got).count() as f64;
            let below = values.iter().filter(|value| f64::from(**value) < got).count() as f64;
            let needed = q * values.len() as f64;
            prop_assert!(at_or_below >= needed - 1e-6 && (below < needed + 1e-6));
        }
    }
}
