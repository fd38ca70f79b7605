//! Student's t distribution: critical values and two-sided p. Not the tests that use them.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The t with `confidence` of the distribution between −t and t (for example 0.95 and 4 degrees: 2.776).
/// Degrees of freedom above 0; infinite for none.
pub(super) fn critical(confidence: f64, degrees: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, degrees) {
        Ok(distribution) => refine(&distribution, 0.5 + confidence / 2.0),
        Err(_) => f64::INFINITY,
    }
}

/// Probability of a |t| at least this large when nothing differs, 0–1; NaN for a t that is none.
pub(super) fn two_sided_p(t: f64, degrees: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    match StudentsT::new(0.0, 1.0, degrees) {
        // The lower tail keeps its digits where 1 − cdf would lose them.
        Ok(distribution) => (2.0 * distribution.cdf(-t.abs())).min(1.0),
        Err(_) => f64::NAN,
    }
}

/// The quantile by bisection on the library's own cdf, so that critical value and p never disagree.
fn refine(distribution: &StudentsT, probability: f64) -> f64 {
    let tail = 1.0 - probability;
    let mut high = 1.0;
    while distribution.cdf(-high) > tail && high < 1.0e12 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if distribution.cdf(-middle) > tail { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_values_are_those_of_the_printed_tables() {
        for (confidence, degrees, expected) in
            [(0.95, 4.0, 2.776_445_105), (0.95, 1.0, 12.706_204_736), (0.9, 4.0, 2.131_846_786)]
        {
            let got = critical(confidence, degrees);
            assert!((got - expected).abs() < 1e-8, "{confidence} {degrees}: {got}");
        }
        assert!((critical(0.95, 1.0e7) - 1.959_964).abs() < 1e-5);
    }

    #[test]
    fn p_falls_from_one_to_zero() {
        assert!((two_sided_p(0.0, 4.0) - 1.0).abs() < 1e-12);
        assert!((two_sided_p(2.776_445_105, 4.0) - 0.05).abs() < 1e-9);
        assert_eq!(two_sided_p(f64::INFINITY, 4.0), 0.0);
    }
}
