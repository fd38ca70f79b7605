//! Comparisons against figures computed by hand and against laws.

use proptest::prelude::{ProptestConfig, any, prop, prop_assert, proptest};

use super::*;

const BASE: [f64; 5] = [301.2, 296.8, 305.0, 299.1, 303.4];

fn paired_with(new: &[f64]) -> Compared {
    compare(&BASE, new, Design::Paired, 0.95, 0.03).unwrap()
}

#[test]
fn a_clear_difference_has_the_interval_of_the_hand_calculation() {
    let compared = paired_with(&[321.4, 309.2, 318.0, 322.9, 316.1]);
    assert_eq!(compared.verdict, DifferenceVerdict::Different);
    assert!((compared.ratio - 1.054_461_8).abs() < 1e-6);
    assert!((compared.ratio_ci[0] - 1.032_84).abs() < 1e-4 && (compared.ratio_ci[1] - 1.076_53).abs() < 1e-4);
    assert!((compared.p - 0.002).abs() < 5e-4, "{}", compared.p);
    assert!((compared.mann_whitney_p.unwrap() - 0.007_936_5).abs() < 1e-6);
    assert!((compared.mde - 0.0284).abs() < 2e-4, "{}", compared.mde);
    assert_eq!(compared.df, 4.0);
    assert!(!compared.small);
}

#[test]
fn noise_is_inconclusive_and_says_what_it_could_have_missed() {
    let compared = paired_with(&[316.0, 290.2, 312.7, 318.9, 294.1]);
    assert_eq!(compared.verdict, DifferenceVerdict::Inconclusive);
    assert!((compared.mde - 0.0735).abs() < 3e-4, "{}", compared.mde);
}

#[test]
fn close_values_are_equivalent_within_three_percent() {
    let compared = paired_with(&[302.9, 295.0, 308.9, 300.8, 302.1]);
    assert_eq!(compared.verdict, DifferenceVerdict::Equivalent);
    let ci = compared.ratio_ci_equivalence;
    assert!((ci[0] - 0.995).abs() < 6e-4 && (ci[1] - 1.010).abs() < 6e-4, "{ci:?}");
}

#[test]
fn a_difference_smaller_than_what_matters_says_so() {
    let new: Vec<f64> = BASE.iter().zip([1.010, 1.011, 1.009, 1.010, 1.0105]).map(|(b, f)| b * f).collect();
    let compared = paired_with(&new);
    assert_eq!((compared.verdict, compared.small), (DifferenceVerdict::Different, true));
}

#[test]
fn equal_samples_are_equivalent_and_a_constant_factor_is_certain() {
    let same = paired_with(&BASE);
    assert_eq!((same.ratio, same.p, same.verdict), (1.0, 1.0, DifferenceVerdict::Equivalent));
    assert_eq!(same.ratio_ci, [1.0, 1.0]);
    let flat = compare(&[2.0, 2.0], &[4.0, 4.0], Design::Paired, 0.95, 0.03).unwrap();
    assert_eq!((flat.ratio, flat.p, flat.verdict), (2.0, 0.0, DifferenceVerdict::Different));
}

#[test]
fn what_has_no_ratio_is_refused() {
    let zero = compare(&[1.0, 0.0], &[1.0, 1.0], Design::Paired, 0.95, 0.03);
    assert_eq!(zero, Err(StatsError::NotPositive { what: "a", place: 2, value: 0.0 }));
    assert!(compare(&[1.0], &[1.0], Design::Paired, 0.95, 0.03).is_err());
    assert!(compare(&[1.0, 2.0], &[1.0], Design::Paired, 0.95, 0.03).is_err());
    assert!(compare(&[], &[], Design::Unpaired, 0.95, 0.03).is_err());
    assert!(compare(&[1.0, f64::NAN], &[1.0, 1.0], Design::Unpaired, 0.95, 0.03).is_err());
    assert!(compare(&BASE, &BASE, Design::Paired, 0.95, 0.0).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn swapping_the_sides_turns_the_ratio_over(
        pairs in prop::collection::vec((1.0..1000.0f64, 1.0..1000.0f64), 2..8),
        paired in any::<bool>(),
    ) {
        let (base, new): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let design = if paired { Design::Paired } else { Design::Unpaired };
        let one = compare(&base, &new, design, 0.95, 0.03).unwrap();
        let other = compare(&new, &base, design, 0.95, 0.03).unwrap();
        prop_assert!((one.ratio * other.ratio - 1.0).abs() < 1e-9);
        prop_assert!((one.p - other.p).abs() < 1e-9);
        prop_assert!(one.ratio_ci[0] <= one.ratio && one.ratio <= one.ratio_ci[1]);
        prop_assert!(one.ratio_ci[0] <= one.ratio_ci_equivalence[0] + 1e-12);
    }

    #[test]
    fn scaling_both_sides_changes_nothing(
        pairs in prop::collection::vec((1.0..1000.0f64, 1.0..1000.0f64), 2..8),
        factor in 0.01..100.0f64,
    ) {
        let (base, new): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let one = compare(&base, &new, Design::Paired, 0.95, 0.03).unwrap();
        let scale = |values: &[f64]| values.iter().map(|value| value * factor).collect::<Vec<f64>>();
        let other = compare(&scale(&base), &scale(&new), Design::Paired, 0.95, 0.03).unwrap();
        prop_assert!((one.ratio / other.ratio - 1.0).abs() < 1e-9);
    }
}
