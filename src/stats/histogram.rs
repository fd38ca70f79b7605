//! Latency histograms: reading the engine's HDR text, merging, percentiles. Never averages a percentile.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use serde::Serialize;

use crate::stats::error::StatsError;
use crate::stats::quantile::{has_tail, nearest_rank};

/// A percentile a report prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Percentile {
    /// 50 %
    P50,
    /// 95 %
    P95,
    /// 99 %
    P99,
}

impl Percentile {
    /// The share below it, 0–1.
    #[must_use]
    pub const fn share(self) -> f64 {
        match self {
            Self::P50 => 0.5,
            Self::P95 => 0.95,
            Self::P99 => 0.99,
        }
    }
}

/// Latencies of one run, or of several merged: counts add up, nothing is averaged. Microseconds inside.
#[derive(Debug, Clone, Default)]
pub struct Latencies {
    histogram: Option<Histogram<u64>>,
}

impl Latencies {
    /// Reads base64 text of an HDR histogram (V2, deflated or not) as the engine writes it; empty text holds nothing.
    ///
    /// # Errors
    /// Text that is not base64 or not an HDR histogram.
    pub fn decode(text: &str) -> Result<Self, StatsError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let unreadable = |reason: String| StatsError::Histogram { reason };
        let bytes = STANDARD.decode(text.trim()).map_err(|error| unreadable(error.to_string()))?;
        let histogram = Deserializer::new()
            .deserialize::<u64, _>(&mut bytes.as_slice())
            .map_err(|error| unreadable(error.to_string()))?;
        Ok(Self { histogram: Some(histogram) })
    }

    /// Adds the counts of another run.
    ///
    /// # Errors
    /// When the two cannot hold each other's values.
    pub fn merge(&mut self, other: &Self) -> Result<(), StatsError> {
        let Some(other) = &other.histogram else { return Ok(()) };
        match &mut self.histogram {
            Some(histogram) => {
                histogram.auto(true);
                histogram.add(other).map_err(|error| StatsError::Histogram { reason: format!("{error:?}") })
            }
            None => {
                self.histogram = Some(other.clone());
                Ok(())
            }
        }
    }

    /// Number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.histogram.as_ref().map_or(0, Histogram::len)
    }

    /// Quantile `q` (0–1) by nearest rank, milliseconds, as the highest value of its bucket (error below 0.1 %); none
    /// when empty. Values of few samples are returned too: see [`Self::percentile_ms`] for what a report may print.
    #[must_use]
    pub fn quantile_ms(&self, q: f64) -> Option<f64> {
        let histogram = self.histogram.as_ref().filter(|histogram| !histogram.is_empty())?;
        let rank = nearest_rank(histogram.len(), q);
        let mut seen = 0;
        let found = histogram.iter_recorded().find_map(|value| {
            seen += value.count_since_last_iteration();
            (seen >= rank).then(|| value.value_iterated_to())
        })?;
        Some(histogram.highest_equivalent(found).min(histogram.max()) as f64 / 1000.0)
    }

    /// A percentile worth printing, milliseconds; none ("n/a") with fewer than ten samples beyond it.
    #[must_use]
    pub fn percentile_ms(&self, percentile: Percentile) -> Option<f64> {
        self.quantile_ms(percentile.share()).filter(|_| has_tail(self.count(), percentile.share()))
    }
}

#[cfg(test)]
mod tests {
    use hdrhistogram::serialization::{Serializer, V2Serializer};
    use proptest::prelude::{prop, prop_assert, proptest};

    use super::*;

    fn encoded(values: &[(u64, u64)]) -> String {
        let mut histogram = Histogram::<u64>::new_with_bounds(1, 60_000_000, 3).unwrap();
        for (value, count) in values {
            histogram.record_n(*value, *count).unwrap();
        }
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(&histogram, &mut bytes).unwrap();
        STANDARD.encode(bytes)
    }

    #[test]
    fn merged_counts_decide_and_percentiles_are_not_averaged() {
        let mut fast = Latencies::decode(&encoded(&[(10_000, 9_900)])).unwrap();
        let slow = Latencies::decode(&encoded(&[(500_000, 150)])).unwrap();
        fast.merge(&slow).unwrap();
        assert_eq!(fast.count(), 10_050);
        assert!((fast.percentile_ms(Percentile::P99).unwrap() - 500.0).abs() < 0.5);
        assert!((fast.percentile_ms(Percentile::P50).unwrap() - 10.0).abs() < 0.01);
    }

    #[test]
    fn too_few_samples_have_no_percentile() {
        let few = Latencies::decode(&encoded(&[(1000, 199)])).unwrap();
        assert!(few.percentile_ms(Percentile::P50).is_some());
        assert_eq!(few.percentile_ms(Percentile::P95), None);
        assert!(few.quantile_ms(0.95).is_some());
    }

    #[test]
    fn nothing_is_nothing_and_rubbish_is_an_error() {
        let nothing = Latencies::decode("").unwrap();
        assert_eq!((nothing.count(), nothing.quantile_ms(0.5)), (0, None));
        let mut merged = Latencies::default();
        merged.merge(&nothing).unwrap();
        assert_eq!(merged.count(), 0);
        assert!(Latencies::decode("!!").is_err());
        assert!(Latencies::decode("AAAA").is_err());
        assert_eq!(Latencies::decode(&encoded(&[])).unwrap().quantile_ms(0.5), None);
    }

    #[test]
    fn the_raw_percentile_of_the_published_case_is_one_millisecond() {
        let raw = Latencies::decode(&encoded(&[(1000, 10_000), (50_000_000, 1)])).unwrap();
        assert_eq!(raw.quantile_ms(0.99), Some(1.0));
        assert!((raw.quantile_ms(1.0).unwrap() - 50_000.0).abs() < 50.0);
    }

    proptest! {
        #[test]
        fn a_quantile_is_the_sorted_lists_element_within_a_thousandth(
            values in prop::collection::vec(1_u64..5_000_000, 1..80),
            q in 0.0..=1.0f64,
        ) {
            let counts: Vec<(u64, u64)> = values.iter().map(|value| (*value, 1)).collect();
            let got = Latencies::decode(&encoded(&counts)).unwrap().quantile_ms(q).unwrap();
            let mut sorted = values.clone();
            sorted.sort_unstable();
            let rank = nearest_rank(sorted.len() as u64, q);
            let want = sorted[usize::try_from(rank).unwrap() - 1] as f64 / 1000.0;
            prop_assert!((got - want).abs() <= want / 1000.0 + 1e-9, "{got} {want}");
        }
    }
}
