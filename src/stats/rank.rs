//! The exact Mann–Whitney rank test, ties included. Not the paired rank tests, which five rounds cannot decide.

use serde::Serialize;

use crate::stats::error::{StatsError, all_finite};

/// Most values a side that are counted exactly.
const MOST: usize = 100;

/// A rank test's result.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RankTest {
    /// The smaller of the two U statistics: pairs in which one side is ahead, ties counting a half.
    pub u: f64,
    /// Exact two-sided p, 0–1.
    pub p: f64,
}

/// Exact two-sided Mann–Whitney test (1947). With ties the p is that of the permutation distribution of the midranks
/// actually seen; without ties that is the tabulated distribution of U.
///
/// # Errors
/// An empty side, more than 100 values on one, a value that is not finite.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Result<RankTest, StatsError> {
    all_finite("a", a)?;
    all_finite("b", b)?;
    sizes_in_range(a.len(), b.len())?;
    let doubled = doubled_midranks(a, b);
    let sum_a: usize = doubled[..a.len()].iter().sum();
    let twice_u = sum_a - a.len() * (a.len() + 1);
    let distribution = rank_sum_distribution(&doubled, a.len());
    let centre = a.len() * (a.len() + b.len() + 1);
    Ok(RankTest {
        u: twice_u.min(2 * a.len() * b.len() - twice_u) as f64 / 2.0,
        p: as_far_from(&distribution, centre, sum_a),
    })
}

/// Exact two-sided p of a known U without ties, for two counts of values; both U's of a pair give the same p.
///
/// # Errors
/// An empty side, more than 100 values on one, a U outside 0–`n1·n2`.
pub fn mann_whitney_from_u(n1: usize, n2: usize, u: f64) -> Result<RankTest, StatsError> {
    sizes_in_range(n1, n2)?;
    let pairs = (n1 * n2) as f64;
    if !(0.0..=pairs).contains(&u) {
        return Err(StatsError::OutOfRange { what: "U", value: u, range: "between 0 and n1 times n2" });
    }
    let doubled: Vec<usize> = (1..=n1 + n2).map(|rank| 2 * rank).collect();
    let distribution = rank_sum_distribution(&doubled, n1);
    let sum = (2.0 * u).round() as usize + n1 * (n1 + 1);
    Ok(RankTest { u: u.min(pairs - u), p: as_far_from(&distribution, n1 * (n1 + n2 + 1), sum) })
}

fn sizes_in_range(n1: usize, n2: usize) -> Result<(), StatsError> {
    let what = "the exact rank test";
    if n1 == 0 || n2 == 0 {
        return Err(StatsError::TooFew { what, needed: 1, given: 0 });
    }
    if n1 > MOST || n2 > MOST {
        return Err(StatsError::TooMany { what, most: MOST, given: n1.max(n2) });
    }
    Ok(())
}

/// Twice the midrank of every value, those of `a` first: whole numbers even where ranks are shared.
fn doubled_midranks(a: &[f64], b: &[f64]) -> Vec<usize> {
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    all.iter()
        .map(|value| {
            let less = all.iter().filter(|other| *other < value).count();
            let equal = all.iter().filter(|other| *other == value).count();
            2 * less + equal + 1
        })
        .collect()
}

/// For each sum, in how many ways `chosen` of the doubled ranks add up to it.
fn rank_sum_distribution(doubled: &[usize], chosen: usize) -> Vec<f64> {
    let largest: usize = doubled.iter().sum();
    let mut ways = vec![vec![0.0_f64; largest + 1]; chosen + 1];
    ways[0][0] = 1.0;
    let mut reach = 0;
    for (seen, rank) in doubled.iter().enumerate() {
        reach += rank;
        for count in (1..=chosen.min(seen + 1)).rev() {
            let (fewer, more) = ways.split_at_mut(count);
            for sum in *rank..=reach {
                more[0][sum] += fewer[count - 1][sum - rank];
            }
        }
    }
    ways.swap_remove(chosen)
}

/// Share of all sums at least as far from the centre as the one seen.
fn as_far_from(distribution: &[f64], centre: usize, seen: usize) -> f64 {
    let distance = seen.abs_diff(centre);
    let total: f64 = distribution.iter().sum();
    let far: f64 = distribution
        .iter()
        .enumerate()
        .filter(|(sum, _)| sum.abs_diff(centre) >= distance)
        .map(|(_, ways)| ways)
        .sum();
    (far / total).min(1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, proptest};

    use super::*;

    #[test]
    fn the_tabulated_p_values_come_out() {
        let vectors: serde_json::Value =
            serde_json::from_str(include_str!("../../tests/data/stats_vectors.json")).unwrap();
        let vector = vectors["vectors"].as_array().unwrap().iter().find(|v| v["id"] == "P07").unwrap();
        for (u, p) in
            vector["inputs"]["U"].as_array().unwrap().iter().zip(vector["expected"]["p"].as_array().unwrap())
        {
            let got = mann_whitney_from_u(5, 5, u.as_f64().unwrap()).unwrap().p;
            let want = p.as_f64().unwrap();
            assert!((got - want).abs() <= 1e-9 * want, "U {u}: {got}");
        }
        for (n, p) in vector["inputs"]["min_p_for_n"]
            .as_array()
            .unwrap()
            .iter()
            .zip(vector["expected"]["min_p"].as_array().unwrap())
        {
            let n = usize::try_from(n.as_u64().unwrap()).unwrap();
            let want = p.as_f64().unwrap();
            let got = mann_whitney_from_u(n, n, 0.0).unwrap().p;
            assert!((got - want).abs() <= 1e-9 * want, "n {n}: {got}");
        }
    }

    #[test]
    fn equal_samples_are_no_evidence_and_empty_ones_an_error() {
        assert_eq!(mann_whitney(&[1.0, 1.0], &[1.0, 1.0]).unwrap().p, 1.0);
        assert_eq!(mann_whitney(&[4.0], &[4.0]).unwrap().p, 1.0);
        assert!(mann_whitney(&[], &[1.0]).is_err());
        assert!(mann_whitney(&[f64::NAN], &[1.0]).is_err());
        assert!(mann_whitney(&[0.0; 101], &[1.0]).is_err());
        assert!(mann_whitney_from_u(2, 2, 5.0).is_err());
    }

    /// Every way to pick the values of `a` out of all, counted one by one.
    fn brute_force(a: &[f64], b: &[f64]) -> f64 {
        let doubled = doubled_midranks(a, b);
        let centre = a.len() * (doubled.len() + 1);
        let distance = doubled[..a.len()].iter().sum::<usize>().abs_diff(centre);
        let (mut far, mut all) = (0_u32, 0_u32);
        for mask in 0_u32..1 << doubled.len() {
            if mask.count_ones() as usize != a.len() {
                continue;
            }
            let sum: usize =
                (0..doubled.len()).filter(|bit| mask >> bit & 1 == 1).map(|bit| doubled[bit]).sum();
            all += 1;
            far += u32::from(sum.abs_diff(centre) >= distance);
        }
        f64::from(far) / f64::from(all)
    }

    proptest! {
        #[test]
        fn p_is_that_of_counting_every_arrangement(
            a in prop::collection::vec(0_u8..6, 1..6),
            b in prop::collection::vec(0_u8..6, 1..6),
        ) {
            let a: Vec<f64> = a.into_iter().map(f64::from).collect();
            let b: Vec<f64> = b.into_iter().map(f64::from).collect();
            let test = mann_whitney(&a, &b).unwrap();
            prop_assert!((test.p - brute_force(&a, &b)).abs() < 1e-12);
            let swapped = mann_whitney(&b, &a).unwrap();
            prop_assert!((test.p - swapped.p).abs() < 1e-12 && test.u == swapped.u);
        }
    }
}
