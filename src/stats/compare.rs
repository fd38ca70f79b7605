//! Is the new one different from the base? A ratio with its interval and one of three verdicts.

use serde::Serialize;

use crate::stats::error::{StatsError, all_positive, confidence_in_range};
use crate::stats::power::detectable_shift;
use crate::stats::rank::mann_whitney;
use crate::stats::summary::{mean, standard_deviation};
use crate::stats::t_test::{TTest, TTestKind, judge, t_test};

/// Power at which a difference counts as detectable.
const POWER: f64 = 0.8;

/// How the two lists belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Design {
    /// Same index = same round: differences within rounds, so that drift cancels out.
    Paired,
    /// No rounds in common: Welch's test.
    Unpaired,
}

/// What a comparison shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceVerdict {
    /// The interval of the ratio leaves out 1.
    Different,
    /// The narrower interval (90 % where the main one has 95 %) lies within ±delta of 1.
    Equivalent,
    /// Neither; `mde` says what could have been missed.
    Inconclusive,
}

/// A comparison of two sets of repetitions; ratios are new over base.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// How it was tested.
    pub design: Design,
    /// Pairs (paired), or the smaller of the two counts.
    pub n: usize,
    /// Ratio of geometric means.
    pub ratio: f64,
    /// Interval of the ratio at `confidence`.
    pub ratio_ci: [f64; 2],
    /// Interval of the ratio at 1 − 2·(1 − `confidence`): two one-sided tests of equivalence.
    pub ratio_ci_equivalence: [f64; 2],
    /// Statistic of the t test on logarithms.
    pub t: f64,
    /// Its degrees of freedom.
    pub df: f64,
    /// Its two-sided p, 0–1.
    pub p: f64,
    /// Exact unpaired rank test, 0–1; none above 100 values a side.
    pub mann_whitney_p: Option<f64>,
    /// Smallest relative increase noticed with 80 % power, a share (0.05 = 5 %).
    pub mde: f64,
    /// Confidence of `ratio_ci`, 0–1.
    pub confidence: f64,
    /// Smallest relative difference that matters, a share.
    pub delta: f64,
    /// The verdict.
    pub verdict: DifferenceVerdict,
    /// Different, yet wholly inside ±delta.
    pub small: bool,
}

/// Compares `new` with `base` by their logarithms: paired differences with n − 1 degrees of freedom, or Welch.
///
/// Ratio = exp(mean difference of ln); its interval exp(mean ± t·error) (Kalibera & Jones recommend a ratio with an
/// interval as the result; the log form is checked against theirs in the literature). The detectable effect is
/// exp(shift · error) − 1 with the noncentral-t shift of 80 % power.
///
/// # Errors
/// Fewer than two values (pairs), values that are not above zero and finite, unequal lengths of pairs, a confidence not
/// between 0 and 1, a delta not between 0 and 1.
pub fn compare(
    base: &[f64],
    new: &[f64],
    design: Design,
    confidence: f64,
    delta: f64,
) -> Result<Compared, StatsError> {
    confidence_in_range(confidence)?;
    if !(delta > 0.0 && delta < 1.0) {
        return Err(StatsError::OutOfRange { what: "delta", value: delta, range: "above 0 and below 1" });
    }
    all_positive("a", base)?;
    all_positive("b", new)?;
    let narrower = (2.0 * confidence - 1.0).max(f64::MIN_POSITIVE);
    let logs = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<f64>>();
    let test = |confidence: f64| -> Result<TTest, StatsError> {
        match design {
            Design::Paired => paired(base, new, confidence),
            Design::Unpaired => t_test(&logs(new), &logs(base), TTestKind::Welch, confidence),
        }
    };
    let main = test(confidence)?;
    let ratio_ci = main.ci.map(f64::exp);
    let ratio_ci_equivalence = test(narrower)?.ci.map(f64::exp);
    let inside = |ci: [f64; 2]| ci[0] >= 1.0 - delta && ci[1] <= 1.0 + delta;
    let verdict = if ratio_ci[0] > 1.0 || ratio_ci[1] < 1.0 {
        DifferenceVerdict::Different
    } else if inside(ratio_ci_equivalence) {
        DifferenceVerdict::Equivalent
    } else {
        DifferenceVerdict::Inconclusive
    };
    Ok(Compared {
        design,
        n: base.len().min(new.len()),
        ratio: main.difference.exp(),
        ratio_ci,
        ratio_ci_equivalence,
        t: main.t,
        df: main.df,
        p: main.p,
        mann_whitney_p: mann_whitney(base, new).ok().map(|test| test.p),
        mde: (detectable_shift(main.df, confidence, POWER)? * standard_error(base, new, design)).exp_m1(),
        confidence,
        delta,
        verdict,
        small: verdict == DifferenceVerdict::Different && inside(ratio_ci),
    })
}

/// One t test of the log-differences within pairs.
fn paired(base: &[f64], new: &[f64], confidence: f64) -> Result<TTest, StatsError> {
    if base.len() != new.len() {
        return Err(StatsError::Unequal {
            left: "a",
            left_count: base.len(),
            right: "b",
            right_count: new.len(),
        });
    }
    let differences = log_differences(base, new);
    let Some(sd) = standard_deviation(&differences) else {
        return Err(StatsError::TooFew { what: "a paired comparison", needed: 2, given: base.len() });
    };
    let count = differences.len() as f64;
    Ok(judge(mean(&differences), sd / count.sqrt(), count - 1.0, confidence))
}

fn log_differences(base: &[f64], new: &[f64]) -> Vec<f64> {
    base.iter().zip(new).map(|(base, new)| if base == new { 0.0 } else { (new / base).ln() }).collect()
}

/// Standard error of the mean log-difference.
fn standard_error(base: &[f64], new: &[f64], design: Design) -> f64 {
    let part = |values: &[f64]| {
        let sd = standard_deviation(values).unwrap_or(0.0);
        sd * sd / values.len() as f64
    };
    match design {
        Design::Paired => part(&log_differences(base, new)).sqrt(),
        Design::Unpaired => {
            let logs = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<f64>>();
            (part(&logs(base)) + part(&logs(new))).sqrt()
        }
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
