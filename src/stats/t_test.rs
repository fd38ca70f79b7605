//! Two-sample t tests on the values as they are: pooled and Welch. Paired and logarithmic ones are `compare`'s.

use serde::Serialize;

use crate::stats::error::{StatsError, all_finite, confidence_in_range};
use crate::stats::student;
use crate::stats::summary::{mean, standard_deviation};

/// Which two-sample test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TTestKind {
    /// Equal variances assumed.
    Pooled,
    /// Variances may differ (Welch 1947).
    Welch,
}

/// A tested difference of two means, in the values' unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TTest {
    /// Mean of a minus mean of b.
    pub difference: f64,
    /// The statistic; infinite when neither side varies and the means differ.
    pub t: f64,
    /// Degrees of freedom.
    pub df: f64,
    /// Two-sided p, 0–1.
    pub p: f64,
    /// Interval of the difference.
    pub ci: [f64; 2],
}

/// Tests whether two means differ; needs two finite values a side.
///
/// # Errors
/// Too few values, a value that is not finite, a confidence out of range.
pub fn t_test(a: &[f64], b: &[f64], kind: TTestKind, confidence: f64) -> Result<TTest, StatsError> {
    confidence_in_range(confidence)?;
    all_finite("a", a)?;
    all_finite("b", b)?;
    let (Some(sd_a), Some(sd_b)) = (standard_deviation(a), standard_deviation(b)) else {
        return Err(StatsError::TooFew { what: "a t test", needed: 2, given: a.len().min(b.len()) });
    };
    let (count_a, count_b) = (a.len() as f64, b.len() as f64);
    let (part_a, part_b) = (sd_a * sd_a / count_a, sd_b * sd_b / count_b);
    let pooled_df = count_a + count_b - 2.0;
    let (error, df) = match kind {
        TTestKind::Pooled => {
            let squares = (count_a - 1.0) * sd_a * sd_a + (count_b - 1.0) * sd_b * sd_b;
            ((squares / pooled_df * (1.0 / count_a + 1.0 / count_b)).sqrt(), pooled_df)
        }
        TTestKind::Welch => {
            let sum = part_a + part_b;
            let parts = part_a * part_a / (count_a - 1.0) + part_b * part_b / (count_b - 1.0);
            // Without any spread Welch's degrees are 0/0; the pooled ones are as good.
            (sum.sqrt(), if parts > 0.0 { sum * sum / parts } else { pooled_df })
        }
    };
    Ok(judge(mean(a) - mean(b), error, df, confidence))
}

/// The test of a difference with a known standard error; without error a difference of zero has t 0 and p 1.
pub(super) fn judge(difference: f64, error: f64, df: f64, confidence: f64) -> TTest {
    let t = if difference == 0.0 { 0.0 } else { difference / error };
    let half = student::critical(confidence, df) * error;
    TTest { difference, t, df, p: student::two_sided_p(t, df), ci: [difference - half, difference + half] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 5] = [150.0, 400.0, 720.0, 500.0, 930.0];
    const B: [f64; 7] = [50.0, 200.0, 150.0, 400.0, 750.0, 400.0, 150.0];

    #[test]
    fn both_kinds_give_the_reference_figures() {
        let pooled = t_test(&A, &B, TTestKind::Pooled, 0.95).unwrap();
        let welch = t_test(&A, &B, TTestKind::Welch, 0.95).unwrap();
        for (got, want) in [
            (pooled.t, 1.551_633_539),
            (pooled.p, 0.151_796_815_2),
            (welch.t, 1.488_839_531),
            (welch.df, 7.425_428_321),
            (welch.p, 0.177_721_841_5),
        ] {
            assert!((got - want).abs() <= 1e-6 * want, "{got} {want}");
        }
    }

    #[test]
    fn values_without_spread_are_equal_or_certainly_different() {
        let same = t_test(&[2.0, 2.0], &[2.0, 2.0], TTestKind::Welch, 0.95).unwrap();
        assert_eq!((same.t, same.p), (0.0, 1.0));
        let other = t_test(&[2.0, 2.0], &[1.0, 1.0], TTestKind::Welch, 0.95).unwrap();
        assert_eq!((other.t, other.p), (f64::INFINITY, 0.0));
    }

    #[test]
    fn one_value_a_side_is_too_few() {
        assert!(t_test(&[1.0], &[1.0, 2.0], TTestKind::Pooled, 0.95).is_err());
    }
}
