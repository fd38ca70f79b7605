//! The smallest difference a design would notice: what "not shown" could have missed.

use crate::stats::error::{StatsError, confidence_in_range};
use crate::stats::noncentral::upper_tail;
use crate::stats::student;

/// How the values were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PowerDesign {
    /// Two groups of n values each.
    TwoSample,
    /// n differences of pairs.
    Paired,
}

/// The true difference, in standard deviations, that a two-sided t test at `alpha` notices with probability `power`.
///
/// The SD is that of a value (two-sample) or of a pair's difference (paired). Five values, 0.05 and 0.8 give 2.02 and
/// 1.68. Noncentral t, both tails (Cohen 1988).
///
/// # Errors
/// `n` below 2, `alpha` or `power` not between 0 and 1, a power that is not above alpha.
pub fn detectable_sd(design: PowerDesign, n: u64, alpha: f64, power: f64) -> Result<f64, StatsError> {
    if n < 2 {
        let given = usize::try_from(n).unwrap_or(0);
        return Err(StatsError::TooFew { what: "a detectable difference", needed: 2, given });
    }
    let range = "above 0 and below 1";
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(StatsError::OutOfRange { what: "alpha", value: alpha, range });
    }
    if !(power > alpha && power < 1.0) {
        return Err(StatsError::OutOfRange { what: "power", value: power, range: "above alpha and below 1" });
    }
    let (degrees, scale) = match design {
        PowerDesign::TwoSample => (2.0 * n as f64 - 2.0, (n as f64 / 2.0).sqrt()),
        PowerDesign::Paired => (n as f64 - 1.0, (n as f64).sqrt()),
    };
    Ok(detectable_shift(degrees, 1.0 - alpha, power)? / scale)
}

/// The noncentrality at which |t| passes its critical value with probability `power`.
pub(super) fn detectable_shift(degrees: f64, confidence: f64, power: f64) -> Result<f64, StatsError> {
    confidence_in_range(confidence)?;
    let critical = student::critical(confidence, degrees);
    let noticed = |shift: f64| upper_tail(critical, degrees, shift) + upper_tail(critical, degrees, -shift);
    let (mut low, mut high) = (0.0, 1.0);
    while noticed(high) < power && high < 1.0e6 {
        high *= 2.0;
    }
    for _ in 0..34 {
        let middle = 0.5 * (low + high);
        if noticed(middle) < power { low = middle } else { high = middle }
    }
    Ok(0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_rounds_notice_what_the_tables_say() {
        // R: power.t.test(n, power = 0.8)$delta, type two.sample and paired.
        for (design, n, expected) in [
            (PowerDesign::TwoSample, 5, 2.0244),
            (PowerDesign::TwoSample, 10, 1.3249),
            (PowerDesign::TwoSample, 20, 0.9091),
            (PowerDesign::Paired, 5, 1.6817),
        ] {
            let got = detectable_sd(design, n, 0.05, 0.8).unwrap();
            assert!((got - expected).abs() < 2e-3, "{design:?} {n}: {got}");
        }
    }

    #[test]
    fn designs_that_notice_nothing_are_refused() {
        assert!(detectable_sd(PowerDesign::Paired, 1, 0.05, 0.8).is_err());
        assert!(detectable_sd(PowerDesign::Paired, 5, 0.0, 0.8).is_err());
        assert!(detectable_sd(PowerDesign::Paired, 5, 0.05, 0.05).is_err());
        assert!(detectable_sd(PowerDesign::Paired, 5, 0.05, f64::NAN).is_err());
    }
}
