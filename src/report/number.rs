//! How numbers are written for people: few digits, units last, never `NaN`.

/// What stands where there is no number.
pub(super) const NONE: &str = "n/a";

/// A rate, a ratio of sizes or the like: two decimals below 10, else one.
pub(super) fn rate(value: f64) -> String {
    if !value.is_finite() {
        NONE.to_owned()
    } else if value.abs() < 9.995 {
        format!("{value:.2}")
    } else {
        format!("{value:.1}")
    }
}

/// A ratio that is judged by its third decimal.
pub(super) fn ratio(value: f64) -> String {
    if value.is_finite() { format!("{value:.3}") } else { NONE.to_owned() }
}

/// Milliseconds: two decimals below 10, one below 100, else none.
pub(super) fn milliseconds(value: f64) -> String {
    if !value.is_finite() {
        NONE.to_owned()
    } else if value.abs() < 9.995 {
        format!("{value:.2}")
    } else if value.abs() < 99.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// A share (0–1) as a percentage with one decimal; what is not zero is never shown as zero.
pub(super) fn percent(share: f64) -> String {
    if !share.is_finite() {
        NONE.to_owned()
    } else if share > 0.0 && share < 0.0005 {
        "< 0.1 %".to_owned()
    } else if share < 1.0 && share > 0.9995 {
        "> 99.9 %".to_owned()
    } else {
        format!("{:.1} %", share * 100.0)
    }
}

/// A probability: three decimals, `< 0.001` below.
pub(super) fn probability(value: f64) -> String {
    if !value.is_finite() {
        NONE.to_owned()
    } else if value < 0.001 {
        "< 0.001".to_owned()
    } else {
        format!("{value:.3}")
    }
}

/// Seconds with at most two decimals and no trailing zeros.
pub(super) fn seconds(value: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    trimmed(&format!("{value:.2}"))
}

/// A number with at most three decimals and no trailing zeros.
pub(super) fn plain(value: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    trimmed(&format!("{value:.3}"))
}

/// Bytes as whole mebibytes.
pub(super) fn mebibytes(bytes: f64) -> String {
    if bytes.is_finite() { format!("{:.0} MiB", bytes / 1_048_576.0) } else { NONE.to_owned() }
}

/// `low – high` with one way of writing for both.
pub(super) fn range(ends: [f64; 2], write: fn(f64) -> String) -> String {
    format!("{} – {}", write(ends[0]), write(ends[1]))
}

/// The written number, or `n/a`.
pub(super) fn optional(value: Option<f64>, write: fn(f64) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), write)
}

fn trimmed(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_few_digits_and_no_nan() {
        assert_eq!([rate(0.612), rate(131.96), rate(9.999)], ["0.61", "132.0", "10.0"]);
        assert_eq!([milliseconds(0.5), milliseconds(71.66), milliseconds(758.3)], ["0.50", "71.7", "758"]);
        assert_eq!(
            [percent(0.0), percent(0.0001), percent(0.99999), percent(1.0)],
            ["0.0 %", "< 0.1 %", "> 99.9 %", "100.0 %"]
        );
        assert_eq!([seconds(20.0), seconds(7.956), plain(0.4)], ["20", "7.96", "0.4"]);
        assert_eq!([rate(f64::NAN), percent(f64::NAN), mebibytes(f64::INFINITY)], [NONE; 3]);
        assert_eq!(optional(None, rate), NONE);
    }
}
