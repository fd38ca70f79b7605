//! Mean, spread and interval of a few repetitions. Not the comparison of two sets.

use serde::Serialize;

use crate::stats::error::{StatsError, all_finite, confidence_in_range};
use crate::stats::student;

/// What a handful of values say together; in the values' own unit except `cv`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// How many values.
    pub n: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation (divisor n − 1); none for one value.
    pub sd: Option<f64>,
    /// Standard deviation over mean, a share; none for one value or a mean of zero.
    pub cv: Option<f64>,
    /// Student-t interval of the mean; none for one value.
    pub ci: Option<[f64; 2]>,
    /// Middle value, or the mean of the middle two.
    pub median: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
}

/// Mean, SD, `mean ± t(n−1)·sd/√n`, median and range (Student 1908). `confidence` is above 0 and below 1.
///
/// # Errors
/// An empty list, a value that is not finite, a confidence out of range.
pub fn summarise(values: &[f64], confidence: f64) -> Result<Summary, StatsError> {
    confidence_in_range(confidence)?;
    all_finite("values", values)?;
    if values.is_empty() {
        return Err(StatsError::TooFew { what: "a mean", needed: 1, given: 0 });
    }
    let n = values.len();
    let average = mean(values);
    let sd = standard_deviation(values);
    let ci = sd.map(|sd| {
        let half = student::critical(confidence, (n - 1) as f64) * sd / (n as f64).sqrt();
        [average - half, average + half]
    });
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Ok(Summary {
        n,
        mean: average,
        sd,
        cv: sd.filter(|_| average != 0.0).map(|sd| sd / average.abs()),
        ci,
        median: (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0,
        min: sorted[0],
        max: sorted[n - 1],
    })
}

/// Where one more value of the same kind lies: `mean ± t(n−1)·sd·√(1 + 1/n)` (Hahn & Meeker 1991).
///
/// # Errors
/// Fewer than two values, a value that is not finite, a confidence out of range.
pub fn prediction_interval(values: &[f64], confidence: f64) -> Result<[f64; 2], StatsError> {
    let summary = summarise(values, confidence)?;
    let Some(sd) = summary.sd else {
        return Err(StatsError::TooFew { what: "a prediction", needed: 2, given: values.len() });
    };
    let count = summary.n as f64;
    let half = student::critical(confidence, count - 1.0) * sd * (1.0 + 1.0 / count).sqrt();
    Ok([summary.mean - half, summary.mean + half])
}

/// Arithmetic mean; zero of nothing. The result lies between the smallest and the largest value.
pub(super) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let first = values[0];
    // Differences to the first value keep equal values exactly equal to their mean.
    first + values.iter().map(|value| value - first).sum::<f64>() / values.len() as f64
}

/// Sample standard deviation (divisor n − 1), from differences to the mean; none below two values.
pub(super) fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let average = mean(values);
    let squares: f64 = values.iter().map(|value| (value - average).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, proptest};

    use super::*;

    #[test]
    fn five_values_give_the_published_interval() {
        let summary = summarise(&[150.0, 400.0, 720.0, 500.0, 930.0], 0.95).unwrap();
        assert!((summary.mean - 540.0).abs() < 1e-9);
        assert!((summary.sd.unwrap() - 299.081_928_6).abs() < 1e-6);
        let ci = summary.ci.unwrap();
        assert!((ci[0] - 168.640_736_8).abs() < 1e-5 && (ci[1] - 911.359_263_2).abs() < 1e-5);
        assert_eq!((summary.median, summary.min, summary.max), (500.0, 150.0, 930.0));
    }

    #[test]
    fn one_value_has_a_mean_and_no_interval() {
        let summary = summarise(&[7.0], 0.95).unwrap();
        assert_eq!((summary.mean, summary.sd, summary.ci, summary.cv), (7.0, None, None, None));
    }

    #[test]
    fn equal_values_have_no_spread_and_zeros_no_cv() {
        let summary = summarise(&[0.1, 0.1, 0.1], 0.95).unwrap();
        assert_eq!((summary.mean, summary.sd, summary.ci), (0.1, Some(0.0), Some([0.1, 0.1])));
        assert_eq!(summarise(&[0.0, 0.0], 0.95).unwrap().cv, None);
    }

    #[test]
    fn what_has_no_mean_is_refused() {
        assert_eq!(summarise(&[], 0.95), Err(StatsError::TooFew { what: "a mean", needed: 1, given: 0 }));
        assert_eq!(
            summarise(&[1.0, f64::NAN], 0.95),
            Err(StatsError::NotFinite { what: "values", place: 2 })
        );
        assert!(summarise(&[1.0], 1.0).is_err());
    }

    #[test]
    fn a_prediction_is_wider_than_the_interval_of_the_mean() {
        let values = [9233.0, 8871.0, 8727.0, 8601.0];
        let expected = prediction_interval(&values, 0.95).unwrap();
        assert!((expected[0] - 7885.7).abs() < 0.1, "{expected:?}");
        assert!(expected[0] < summarise(&values, 0.95).unwrap().ci.unwrap()[0]);
        assert!(prediction_interval(&[1.0], 0.95).is_err());
    }

    proptest! {
        #[test]
        fn the_mean_lies_in_the_range_and_in_its_interval(values in prop::collection::vec(0.0..1.0e6f64, 2..12)) {
            let summary = summarise(&values, 0.95).unwrap();
            let ci = summary.ci.unwrap();
            prop_assert!(summary.min <= summary.mean + 1e-6 && summary.mean <= summary.max + 1e-6);
            prop_assert!(ci[0] <= summary.mean && summary.mean <= ci[1]);
            let below = values.iter().filter(|value| **value <= summary.median).count();
            prop_assert!(2 * below >= values.len());
        }
    }
}
