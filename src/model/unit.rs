//! Sizes and times as people write them: `400MB`, `1GiB`, `8M`, `250ms`, `20s`, `5m`, `1h`.
//!
//! Every size suffix is a power of 1024 (`MB` and `MiB` mean the same) and sizes are shown in MiB, small ones in KiB, large
//! ones in GiB.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a text is not a size or a time. The text names what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// Not a size.
    #[error(
        "`{0}` is not a size: write a whole or decimal number followed by k, M, G, kB, MB, GB, KiB, MiB or GiB"
    )]
    Size(String),
    /// Not a time.
    #[error("`{0}` is not a time: write a number followed by ms, s, m or h")]
    Time(String),
}

/// A number of bytes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct ByteSize(pub u64);

impl ByteSize {
    /// One mebibyte, 2^20 bytes.
    pub const MEBIBYTE: u64 = 1 << 20;

    /// A whole number of mebibytes.
    #[must_use]
    pub const fn mebibytes(count: u64) -> Self {
        Self(count * Self::MEBIBYTE)
    }

    /// The number of bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// The size in mebibytes, fractions kept.
    #[must_use]
    pub fn as_mebibytes(self) -> f64 {
        self.0 as f64 / Self::MEBIBYTE as f64
    }

    /// Reads a size. A bare number counts bytes.
    ///
    /// # Errors
    /// [`UnitError::Size`] when the text is no number with one of the known suffixes.
    pub fn parse(text: &str) -> Result<Self, UnitError> {
        let fail = || UnitError::Size(text.to_owned());
        let (number, suffix) = split_number(text).ok_or_else(fail)?;
        let factor: u64 = match suffix {
            "" | "B" => 1,
            "k" | "K" | "kB" | "KB" | "KiB" => 1 << 10,
            "m" | "M" | "MB" | "MiB" => 1 << 20,
            "g" | "G" | "GB" | "GiB" => 1 << 30,
            _ => return Err(fail()),
        };
        let bytes = number * factor as f64;
        if !(0.0..=9.0e15).contains(&bytes) {
            return Err(fail());
        }
        Ok(Self(bytes.round() as u64))
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebibytes = self.as_mebibytes();
        if self.0 < 1 << 10 {
            write!(formatter, "{} B", self.0)
        } else if self.0 < 1 << 20 {
            write!(formatter, "{} KiB", trim(self.0 as f64 / 1024.0))
        } else if mebibytes < 10_240.0 {
            write!(formatter, "{} MiB", trim(mebibytes))
        } else {
            write!(formatter, "{} GiB", trim(mebibytes / 1024.0))
        }
    }
}

/// Reads a time with its unit: `ms`, `s`, `m` or `h`. A bare `0` is accepted.
///
/// # Errors
/// [`UnitError::Time`] when number or unit are missing or unknown.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    let fail = || UnitError::Time(text.to_owned());
    let (number, suffix) = split_number(text).ok_or_else(fail)?;
    let seconds = match suffix {
        "ms" => number / 1_000.0,
        "s" => number,
        "m" => number * 60.0,
        "h" => number * 3_600.0,
        "" if number == 0.0 => 0.0,
        _ => return Err(fail()),
    };
    if !(0.0..=1.0e9).contains(&seconds) {
        return Err(fail());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// A time as a person writes it: `250ms`, `20s`, `1m30s`, `2h`.
#[must_use]
pub fn show_duration(duration: Duration) -> String {
    let milliseconds = duration.as_millis();
    if milliseconds < 1_000 {
        return format!("{milliseconds}ms");
    }
    if duration.as_secs() < 60 {
        return format!("{}s", trim(duration.as_secs_f64()));
    }
    let (hours, minutes, seconds) =
        (duration.as_secs() / 3_600, duration.as_secs() / 60 % 60, duration.as_secs() % 60);
    let mut text = String::new();
    for (value, unit) in [(hours, "h"), (minutes, "m"), (seconds, "s")] {
        if value > 0 {
            text.push_str(&format!("{value}{unit}"));
        }
    }
    text
}

/// `serde` as a number of seconds, for fields named `…_s`.
pub mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes seconds with fractions.
    ///
    /// # Errors
    /// Whatever the serializer returns.
    pub fn serialize<S: Serializer>(value: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(value.as_secs_f64())
    }

    /// Reads seconds with fractions.
    ///
    /// # Errors
    /// When the number is negative or not finite.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Duration::try_from_secs_f64(number).map_err(serde::de::Error::custom)
    }
}

/// Splits `12.5MB` into 12.5 and `MB`. No sign, no exponent, no blank inside the number.
fn split_number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    if number.is_empty() || number.starts_with('.') || number.ends_with('.') {
        return None;
    }
    Some((number.parse().ok()?, suffix.trim_start()))
}

/// At most two decimals, without trailing zeros.
fn trim(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_1024_whatever_the_spelling() {
        for text in ["400M", "400MB", "400MiB", "400 MB"] {
            assert_eq!(ByteSize::parse(text).unwrap(), ByteSize::mebibytes(400), "{text}");
        }
        assert_eq!(ByteSize::parse("1.5k").unwrap().bytes(), 1536);
        assert_eq!(ByteSize::parse("1GiB").unwrap().to_string(), "1024 MiB");
        assert_eq!(ByteSize::parse("23.5GiB").unwrap().to_string(), "23.5 GiB");
        for text in ["", "MB", "-1M", "1e3M", "1TB", "4 00M", "1.", ".5M"] {
            assert!(ByteSize::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_need_a_unit_and_show_as_written() {
        assert_eq!(parse_duration("250ms").unwrap(), Duration::from_millis(250));
        assert_eq!(parse_duration("1.5m").unwrap(), Duration::from_secs(90));
        assert_eq!(parse_duration("0").unwrap(), Duration::ZERO);
        for text in ["10", "-1s", "s", "1d", "5 5s", ""] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
        assert_eq!(show_duration(Duration::from_secs(90)), "1m30s");
        assert_eq!(show_duration(Duration::from_millis(1500)), "1.5s");
        assert_eq!(show_duration(Duration::from_millis(20)), "20ms");
    }
}
