//! Does a run drift with time? A straight line through what is left when each cell's own mean is taken away.

use serde::Serialize;

use crate::stats::student;

/// One repetition for the drift check.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// Which cell it belongs to: any number that is the same for the repetitions of a cell.
    pub cell: usize,
    /// Position in the run, counted in cells.
    pub index: f64,
    /// The measured value, above zero.
    pub value: f64,
}

/// A fitted drift.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Drift {
    /// Relative change over the whole run, a share (−0.1 = 10 % slower at the end).
    pub change: f64,
    /// Two-sided p of the slope, 0–1.
    pub p: f64,
    /// Repetitions used.
    pub n: usize,
}

/// Regresses ln(value) on the run index within cells: both are taken relative to their cell's mean, so that the slope
/// has n − cells − 1 degrees of freedom (the within estimator of an analysis of covariance).
///
/// Values that are not above zero are left out; none is returned when too little is left, or all indexes are equal.
#[must_use]
pub fn drift(observations: &[Observation]) -> Option<Drift> {
    let usable: Vec<&Observation> =
        observations.iter().filter(|o| o.value > 0.0 && o.value.is_finite() && o.index.is_finite()).collect();
    let mut cells: Vec<usize> = usable.iter().map(|o| o.cell).collect();
    cells.sort_unstable();
    cells.dedup();
    let (mut sxx, mut sxy, mut syy) = (0.0, 0.0, 0.0);
    for cell in &cells {
        let own: Vec<(f64, f64)> =
            usable.iter().filter(|o| o.cell == *cell).map(|o| (o.index, o.value.ln())).collect();
        let count = own.len() as f64;
        let mean_x = own.iter().map(|(x, _)| x).sum::<f64>() / count;
        let mean_y = own.iter().map(|(_, y)| y).sum::<f64>() / count;
        for (x, y) in own {
            sxx += (x - mean_x).powi(2);
            sxy += (x - mean_x) * (y - mean_y);
            syy += (y - mean_y).powi(2);
        }
    }
    if usable.len() < cells.len() + 2 || sxx <= 0.0 {
        return None;
    }
    let degrees = (usable.len() - cells.len() - 1) as f64;
    let slope = sxy / sxx;
    let residual = (syy - slope * sxy).max(0.0);
    let error = (residual / degrees / sxx).sqrt();
    let t = if slope == 0.0 { 0.0 } else { slope / error };
    let first = usable.iter().map(|o| o.index).fold(f64::INFINITY, f64::min);
    let last = usable.iter().map(|o| o.index).fold(f64::NEG_INFINITY, f64::max);
    Some(Drift {
        change: (slope * (last - first)).exp_m1(),
        p: student::two_sided_p(t, degrees),
        n: usable.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five rounds of two cells, each value its cell's level times a trend times a small disturbance.
    fn run(trend_per_index: f64, disturbance: f64) -> Vec<Observation> {
        let signs = [1.0, -1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0];
        (0..10)
            .map(|index| Observation {
                cell: index % 2,
                index: index as f64,
                value: [100.0, 300.0][index % 2]
                    * (trend_per_index * index as f64).exp()
                    * (1.0 + disturbance * signs[index]),
            })
            .collect()
    }

    #[test]
    fn a_trend_is_found_with_its_size() {
        let found = drift(&run(0.011, 0.002)).unwrap();
        assert!(found.p < 0.001, "{found:?}");
        assert!((found.change - 0.104).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn cells_of_different_height_are_no_drift() {
        let found = drift(&run(0.0, 0.01)).unwrap();
        assert!(found.p > 0.2, "{found:?}");
    }

    #[test]
    fn too_little_to_tell_is_no_answer() {
        assert_eq!(drift(&[]), None);
        assert_eq!(drift(&run(0.1, 0.0)[..3]), None);
        let zeros: Vec<Observation> =
            (0..9).map(|i| Observation { cell: 0, index: i as f64, value: 0.0 }).collect();
        assert_eq!(drift(&zeros), None);
    }

    #[test]
    fn a_flat_line_without_noise_has_p_one() {
        let flat: Vec<Observation> =
            (0..9).map(|i| Observation { cell: 0, index: i as f64, value: 5.0 }).collect();
        assert_eq!(drift(&flat).unwrap().p, 1.0);
    }
}
