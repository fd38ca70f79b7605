//! Why a statistic has no value.

/// Floor 2's statistical error: the numbers given do not allow an answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StatsError {
    /// Too few values.
    #[error("{what} needs at least {needed} values, {given} given")]
    TooFew {
        /// What was asked.
        what: &'static str,
        /// Smallest count.
        needed: usize,
        /// Count given.
        given: usize,
    },
    /// More values than the exact method can count.
    #[error("{what} takes at most {most} values a side, {given} given")]
    TooMany {
        /// What was asked.
        what: &'static str,
        /// Largest count.
        most: usize,
        /// Count given.
        given: usize,
    },
    /// A value that is no number, or infinite.
    #[error("`{what}` holds a value that is not finite (number {place})")]
    NotFinite {
        /// The list.
        what: &'static str,
        /// Position from 1.
        place: usize,
    },
    /// A ratio needs values above zero.
    #[error("`{what}` holds {value} (number {place}), and a ratio needs values above zero")]
    NotPositive {
        /// The list.
        what: &'static str,
        /// Position from 1.
        place: usize,
        /// The value.
        value: f64,
    },
    /// Lists that belong together differ in length.
    #[error("`{left}` has {left_count} values and `{right}` {right_count}, and pairs need as many of each")]
    Unequal {
        /// First list.
        left: &'static str,
        /// Its length.
        left_count: usize,
        /// Second list.
        right: &'static str,
        /// Its length.
        right_count: usize,
    },
    /// A number outside its range.
    #[error("`{what}` is {value}, and must be {range}")]
    OutOfRange {
        /// The number's name.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed, in words.
        range: &'static str,
    },
    /// Not an HDR histogram.
    #[error("a latency histogram cannot be read: {reason}")]
    Histogram {
        /// What is wrong with it.
        reason: String,
    },
}

impl StatsError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::TooFew { .. } => Some("measure more rounds (`--repeat`)".to_owned()),
            Self::Unequal { .. } => {
                Some("leave rounds out on both sides, or compare without pairs".to_owned())
            }
            _ => None,
        }
    }
}

/// Refuses lists with values that are not finite.
pub(super) fn all_finite(what: &'static str, values: &[f64]) -> Result<(), StatsError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(StatsError::NotFinite { what, place: index + 1 }),
        None => Ok(()),
    }
}

/// Refuses lists with values that are not finite or not above zero.
pub(super) fn all_positive(what: &'static str, values: &[f64]) -> Result<(), StatsError> {
    all_finite(what, values)?;
    match values.iter().position(|value| *value <= 0.0) {
        Some(index) => Err(StatsError::NotPositive { what, place: index + 1, value: values[index] }),
        None => Ok(()),
    }
}

/// Refuses a confidence that is not strictly between 0 and 1.
pub(super) fn confidence_in_range(confidence: f64) -> Result<(), StatsError> {
    if confidence > 0.0 && confidence < 1.0 {
        return Ok(());
    }
    Err(StatsError::OutOfRange {
        what: "confidence",
        value: confidence,
        range: "above 0 and below 1 (for example 0.95)",
    })
}
