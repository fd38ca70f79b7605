//! Holm's adjustment of several p values tested together.

use crate::stats::error::{StatsError, all_finite};

/// Adjusted p values in the order given (Holm 1979): the i-th smallest of m times m − i + 1, never falling, at most 1.
///
/// # Errors
/// A p that is not between 0 and 1.
pub fn holm(p: &[f64]) -> Result<Vec<f64>, StatsError> {
    all_finite("p", p)?;
    if let Some(value) = p.iter().find(|value| !(0.0..=1.0).contains(*value)) {
        return Err(StatsError::OutOfRange { what: "p", value: *value, range: "between 0 and 1" });
    }
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|left, right| p[*left].total_cmp(&p[*right]));
    let mut adjusted = vec![0.0; p.len()];
    let mut largest: f64 = 0.0;
    for (place, index) in order.into_iter().enumerate() {
        largest = largest.max(p[index] * (p.len() - place) as f64).min(1.0);
        adjusted[index] = largest;
    }
    Ok(adjusted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_is_multiplied_most_and_order_is_kept() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]).unwrap();
        for (got, want) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((got - want).abs() < 1e-12, "{adjusted:?}");
        }
    }

    #[test]
    fn nothing_stays_nothing_one_stays_itself_and_one_is_the_most() {
        assert_eq!(holm(&[]).unwrap(), Vec::<f64>::new());
        assert_eq!(holm(&[0.2]).unwrap(), [0.2]);
        assert_eq!(holm(&[0.9, 0.9]).unwrap(), [1.0, 1.0]);
        assert!(holm(&[1.1]).is_err());
    }
}
