//! Intervals without a distribution's shape: of a share of failures, and of a quantile's rank.

use statrs::distribution::{Binomial, DiscreteCDF};
use statrs::function::beta::beta_reg;

use crate::stats::error::{StatsError, confidence_in_range};

/// Clopper–Pearson interval (1934) of a share: `k` of `n`. Shares are 0–1; of 0 in n the upper end at 95 % is 3.7/n.
///
/// # Errors
/// `n` of zero, `k` above `n`, a confidence out of range.
pub fn proportion_interval(k: u64, n: u64, confidence: f64) -> Result<[f64; 2], StatsError> {
    confidence_in_range(confidence)?;
    if n == 0 {
        return Err(StatsError::TooFew { what: "a share", needed: 1, given: 0 });
    }
    if k > n {
        return Err(StatsError::OutOfRange { what: "k", value: k as f64, range: "at most n" });
    }
    let tail = (1.0 - confidence) / 2.0;
    let (hits, count) = (k as f64, n as f64);
    let low = match k {
        0 => 0.0,
        _ if k == n => (tail.ln() / count).exp(),
        _ => beta_quantile(hits, count - hits + 1.0, tail),
    };
    let high = match k {
        0 => -(tail.ln() / count).exp_m1(),
        _ if k == n => 1.0,
        _ => beta_quantile(hits + 1.0, count - hits, 1.0 - tail),
    };
    Ok([low, high])
}

/// Quantile of the beta distribution by bisection: slower than a series and right for millions of requests.
fn beta_quantile(a: f64, b: f64, probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if beta_reg(a, b, middle) < probability { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Ranks (from 1) of the order statistics that hold the quantile `q` between them, by the binomial distribution of the
/// number of values below it: 1000 values, 0.99, 95 % gives 983 and 997.
///
/// # Errors
/// `q` or confidence not between 0 and 1, or so few values that even the smallest and largest do not reach the confidence.
pub fn quantile_ranks(n: u64, q: f64, confidence: f64) -> Result<[u64; 2], StatsError> {
    confidence_in_range(confidence)?;
    if !(q > 0.0 && q < 1.0) {
        return Err(StatsError::OutOfRange { what: "q", value: q, range: "above 0 and below 1" });
    }
    let too_few = StatsError::TooFew {
        what: "an interval of this quantile at this confidence",
        needed: values_needed(q, confidence),
        given: usize::try_from(n).unwrap_or(usize::MAX),
    };
    let Ok(binomial) = Binomial::new(q, n) else { return Err(too_few) };
    let tail = (1.0 - confidence) / 2.0;
    let low = smallest_reaching(&binomial, n, tail);
    let high = smallest_reaching(&binomial, n, 1.0 - tail) + 1;
    if low < 1 || high > n { Err(too_few) } else { Ok([low, high]) }
}

/// The smallest count whose cumulative probability reaches the given one.
fn smallest_reaching(binomial: &Binomial, n: u64, probability: f64) -> u64 {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        if binomial.cdf(middle) >= probability { high = middle } else { low = middle + 1 }
    }
    low
}

/// The fewest values for which both tails have an order statistic of their own.
fn values_needed(q: f64, confidence: f64) -> usize {
    let tail = (1.0 - confidence) / 2.0;
    let rarer = q.max(1.0 - q);
    (tail.ln() / rarer.ln()).ceil() as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    #[test]
    fn no_failure_still_has_an_upper_end() {
        let ci = proportion_interval(0, 1000, 0.95).unwrap();
        assert_eq!(ci[0], 0.0);
        assert!((ci[1] - 0.003_682_084).abs() < 1e-8, "{ci:?}");
        let all = proportion_interval(10, 10, 0.95).unwrap();
        assert!((all[0] - 0.691_502_9).abs() < 1e-6 && all[1] == 1.0, "{all:?}");
    }

    #[test]
    fn the_textbook_interval_comes_out() {
        // R: binom.test(5, 100)$conf.int
        let ci = proportion_interval(5, 100, 0.95).unwrap();
        assert!((ci[0] - 0.016_431_88).abs() < 1e-7 && (ci[1] - 0.112_834_9).abs() < 1e-6, "{ci:?}");
        let many = proportion_interval(1, 10_000_000, 0.95).unwrap();
        assert!(many[0] > 0.0 && (many[1] - 5.57e-7).abs() < 1e-9, "{many:?}");
    }

    #[test]
    fn impossible_shares_are_refused() {
        assert!(proportion_interval(0, 0, 0.95).is_err());
        assert!(proportion_interval(2, 1, 0.95).is_err());
        assert!(proportion_interval(1, 2, 0.0).is_err());
    }

    #[test]
    fn ranks_of_the_99th_percentile_of_1000() {
        assert_eq!(quantile_ranks(1000, 0.99, 0.95).unwrap(), [983, 997]);
        assert!(quantile_ranks(5, 0.5, 0.95).is_err());
        assert_eq!(quantile_ranks(6, 0.5, 0.95).unwrap(), [1, 6]);
        assert!(quantile_ranks(0, 0.5, 0.95).is_err());
        assert!(quantile_ranks(9, f64::NAN, 0.95).is_err());
    }

    proptest! {
        #[test]
        fn the_ends_are_where_the_binomial_tails_are(k in 1_u64..40, more in 1_u64..40) {
            let n = k + more;
            let ci = proportion_interval(k, n, 0.95).unwrap();
            let upper_tail = 1.0 - Binomial::new(ci[0], n).unwrap().cdf(k - 1);
            let lower_tail = Binomial::new(ci[1], n).unwrap().cdf(k);
            prop_assert!((upper_tail - 0.025).abs() < 1e-9 && (lower_tail - 0.025).abs() < 1e-9);
        }
    }
}
