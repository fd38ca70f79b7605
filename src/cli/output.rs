//! The two streams: data to standard output, words to standard error. A reader that went away ends the program as a success.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::cli::error::CliError;

/// Writes data, a line break added when it lacks one.
///
/// # Errors
/// [`CliError::Output`], which is a success when the reader is gone.
pub fn data(text: &str) -> Result<(), CliError> {
    bytes(text.as_bytes())?;
    if text.ends_with('\n') || text.is_empty() { Ok(()) } else { bytes(b"\n") }
}

/// Writes bytes as they are.
///
/// # Errors
/// [`CliError::Output`], which is a success when the reader is gone.
pub fn bytes(bytes: &[u8]) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(CliError::Output)
}

/// Writes a value as indented JSON.
///
/// # Errors
/// [`CliError::Output`], which is a success when the reader is gone.
pub fn json<T: Serialize>(value: &T) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value).map_err(|error| CliError::Output(error.into()))?;
    data(&text)
}

/// Says something to the person, control characters made visible. Nothing can be done when nobody listens.
pub fn say(text: &str) {
    let text = visible(text);
    let mut out = io::stderr().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(out, "{text}{end}").and_then(|()| out.flush());
}

/// The text with its control characters as `\u{1b}`, so that what a node or a file says cannot steer a terminal.
/// Line breaks and tabs stay.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    let steers = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if steers(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Columns of the terminal that standard output is, if it is one.
#[must_use]
pub fn width() -> Option<u16> {
    let out = io::stdout();
    if !out.is_terminal() {
        return None;
    }
    terminal_size::terminal_size_of(&out).map(|(width, _)| width.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_steer_a_terminal_is_shown_instead() {
        assert_eq!(visible("a\u{1b}[31m\r\u{9b}b\n\tc"), "a\\u{1b}[31m\\u{d}\\u{9b}b\n\tc");
        assert!(matches!(visible("žluťoučký\n"), Cow::Borrowed(_)));
    }
}
