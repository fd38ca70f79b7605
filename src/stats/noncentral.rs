//! The noncentral t distribution, which says how often a true difference would be noticed.

use statrs::function::erf::erfc;
use statrs::function::gamma::ln_gamma;

/// Steps of the integration; with one or two degrees the critical t is so large that the integrand is steep near zero.
fn steps(degrees: f64) -> usize {
    if degrees < 3.0 { 1000 } else { 240 }
}

/// P(T > t) for a noncentral T: a normal variable of mean `shift` over an independent √(χ²/degrees).
///
/// Integrates the normal tail over the density of s = √(χ²/degrees) by Simpson's rule; degrees of freedom from 1 up.
pub(super) fn upper_tail(t: f64, degrees: f64, shift: f64) -> f64 {
    let spread = 10.0 / (2.0 * degrees).sqrt();
    let (from, to) = ((1.0 - spread).max(0.0), 1.0 + spread);
    let steps = steps(degrees);
    let step = (to - from) / steps as f64;
    let constant = std::f64::consts::LN_2 + degrees / 2.0 * (degrees / 2.0).ln() - ln_gamma(degrees / 2.0);
    let value = |s: f64| {
        let density = if s > 0.0 {
            (constant + (degrees - 1.0) * s.ln() - degrees * s * s / 2.0).exp()
        } else if degrees == 1.0 {
            constant.exp()
        } else {
            0.0
        };
        density * normal_upper_tail(t * s - shift)
    };
    let mut sum = value(from) + value(to);
    for index in 1..steps {
        let weight = if index % 2 == 1 { 4.0 } else { 2.0 };
        sum += weight * value(from + step * index as f64);
    }
    (sum * step / 3.0).clamp(0.0, 1.0)
}

/// P(Z > z) of the standard normal.
fn normal_upper_tail(z: f64) -> f64 {
    0.5 * erfc(z / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::student;

    #[test]
    fn without_a_shift_it_is_students_t() {
        for degrees in [1.0, 2.0, 4.0, 8.0, 60.0] {
            let t = student::critical(0.95, degrees);
            assert!((upper_tail(t, degrees, 0.0) - 0.025).abs() < 1e-6, "{degrees}");
        }
    }

    #[test]
    fn a_larger_shift_is_noticed_more_often() {
        let tails: Vec<f64> =
            [0.0, 1.0, 2.0, 4.0].iter().map(|shift| upper_tail(2.776, 4.0, *shift)).collect();
        assert!(tails.windows(2).all(|pair| pair[0] < pair[1]), "{tails:?}");
    }
}
