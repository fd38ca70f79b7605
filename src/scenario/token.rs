//! Threshold texts cut into tokens. What they mean together is for `threshold`.

use std::ops::Range;

use crate::scenario::problem::Complaint;
use crate::scenario::threshold::Fault;

/// A piece of a threshold.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A number and how it was written.
    Number(f64, String),
    /// A name without quotes.
    Word(String),
    /// A text in quotes.
    Text(String),
    /// An operator, parenthesis or comma.
    Sign(&'static str),
    /// Nothing is left.
    End,
}

/// Cuts a text into tokens, each with its byte range.
///
/// # Errors
/// The first piece that is no token.
pub(super) fn scan(text: &str) -> Result<Vec<(Token, Range<usize>)>, Fault> {
    const SIGNS: [&str; 13] = ["<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "(", ")", ","];
    let mut tokens = Vec::new();
    let mut position = 0;
    while let Some(first) = text[position..].chars().next() {
        let rest = &text[position..];
        let span = |matches: fn(char) -> bool| rest.find(|c| !matches(c)).unwrap_or(rest.len());
        let (token, length) = if first.is_whitespace() {
            position += first.len_utf8();
            continue;
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Token::Sign(sign), sign.len())
        } else if first.is_ascii_digit() {
            let length = span(|c| c.is_ascii_digit() || c == '.');
            let number = rest[..length].parse().map_err(|_| {
                (
                    position..position + length,
                    Complaint::new(format!("`{}` is not a number", &rest[..length])),
                )
            })?;
            (Token::Number(number, rest[..length].to_owned()), length)
        } else if first.is_ascii_alphabetic() {
            let length = span(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
            (Token::Word(rest[..length].to_owned()), length)
        } else if first == '\'' || first == '"' {
            let end = rest[1..].find(first).ok_or_else(|| {
                (position..text.len(), Complaint::new(format!("the closing `{first}` is missing")))
            })?;
            (Token::Text(rest[1..=end].to_owned()), end + 2)
        } else {
            let complaint = Complaint::new(format!("`{first}` means nothing in a threshold"));
            return Err((position..position + first.len_utf8(), complaint));
        };
        tokens.push((token, position..position + length));
        position += length;
    }
    Ok(tokens)
}
