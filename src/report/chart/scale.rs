//! Values to pixels, and where the ticks are. Linear from zero, or logarithmic.

/// A vertical axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
    top: i32,
    bottom: i32,
}

impl Scale {
    /// From zero to a little above `most`; `most` may be zero.
    pub(super) fn linear(most: f64, top: i32, bottom: i32) -> Self {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        Self { low: 0.0, high: most * 1.06, logarithmic: false, top, bottom }
    }

    /// Logarithmic over the given range, both above zero.
    pub(super) fn logarithmic(least: f64, most: f64, top: i32, bottom: i32) -> Self {
        Self { low: (least / 1.3).log10(), high: (most * 1.3).log10(), logarithmic: true, top, bottom }
    }

    /// The pixel of a value; values outside are put on the edge.
    pub(super) fn pixel(&self, value: f64) -> i32 {
        let value = if self.logarithmic { value.max(f64::MIN_POSITIVE).log10() } else { value };
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.bottom - (share * f64::from(self.bottom - self.top)).round() as i32
    }

    /// Whether a value lies on the axis.
    pub(super) fn holds(&self, value: f64) -> bool {
        let value = if self.logarithmic { value.max(f64::MIN_POSITIVE).log10() } else { value };
        (self.low..=self.high).contains(&value)
    }

    /// Tick values, rising: round steps, or 1-2-5 of each decade.
    pub(super) fn ticks(&self) -> Vec<f64> {
        if self.logarithmic { self.decades() } else { self.steps() }
    }

    fn steps(&self) -> Vec<f64> {
        let rough = self.high / 6.0;
        let unit = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * unit).into_iter().find(|s| *s >= rough);
        let step = step.unwrap_or(10.0 * unit);
        (0..20).map(|index| f64::from(index) * step).take_while(|tick| *tick <= self.high).collect()
    }

    fn decades(&self) -> Vec<f64> {
        let (from, to) = (self.low.floor() as i32, self.high.ceil() as i32);
        let factors: &[f64] = if to - from > 4 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let all = (from..=to).flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
        all.filter(|tick| self.holds(*tick)).collect()
    }
}

/// A tick's label without needless digits.
pub(super) fn label(tick: f64) -> String {
    let text = if tick.abs() >= 10.0 || tick == 0.0 { format!("{tick:.1}") } else { format!("{tick:.4}") };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_few_round_and_on_the_axis() {
        for most in [0.0, 0.3, 7.0, 132.0, 4237.0, 1.0e6] {
            let scale = Scale::linear(most, 10, 410);
            let ticks = scale.ticks();
            assert!((4..=8).contains(&ticks.len()), "{most}: {ticks:?}");
            assert!(ticks.iter().all(|tick| (10..=410).contains(&scale.pixel(*tick))));
        }
        assert_eq!(Scale::linear(180.0, 0, 100).ticks(), [0.0, 50.0, 100.0, 150.0]);
    }

    #[test]
    fn larger_values_stand_higher_on_both_axes() {
        for scale in [Scale::linear(1000.0, 0, 400), Scale::logarithmic(1.0, 1000.0, 0, 400)] {
            assert!(scale.pixel(1.0) > scale.pixel(30.0) && scale.pixel(30.0) > scale.pixel(900.0));
            assert_eq!(scale.pixel(1.0e9), 0);
        }
        assert_eq!(Scale::logarithmic(2.0, 900.0, 0, 400).ticks().first(), Some(&2.0));
    }

    #[test]
    fn labels_have_no_needless_digits() {
        assert_eq!([0.0, 0.25, 5.0, 12.5, 4000.0].map(label), ["0", "0.25", "5", "12.5", "4000"]);
    }
}
