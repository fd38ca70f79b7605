//! Unquoted calls and `${…}` in flow collections, which YAML tears apart at their commas and braces: recognised here, so
//! that the message says what to quote.

use std::ops::Range;

use crate::scenario::parse::environment_hint;
use crate::scenario::problem::Complaint;
use crate::scenario::problem::floor_boundary;

/// Opening minus closing parentheses.
pub(super) fn balance(text: &str) -> i32 {
    text.chars().fold(0, |open, character| match character {
        '(' => open + 1,
        ')' => open - 1,
        _ => open,
    })
}

/// The number of parentheses a text leaves open, when it looks like a call whose end is missing.
pub(super) fn unclosed(text: &str) -> Option<i32> {
    let open = balance(text);
    let before = text.split('(').next()?;
    let named = before.chars().last().is_some_and(|last| last.is_alphanumeric() || last == '_');
    (open > 0 && named).then_some(open)
}

/// What to say about a call that should have been quoted.
pub(super) fn complaint(call: &str) -> Complaint {
    Complaint::new(format!("`{call}` looks like a call: quote it (`\"{}\"`)", call.replace('"', "'")))
        .allowed("values that hold parentheses, commas or `${…}` are quoted inside […] and {…}")
}

/// For a syntax error at a position: an unquoted call or `${…}` in a flow collection on the line, or the one before, that
/// explains it.
pub(super) fn pitfall(text: &str, position: usize) -> Option<(Range<usize>, Complaint)> {
    let position = floor_boundary(text, position);
    let line_end = text[position..].find('\n').map_or(text.len(), |end| position + end);
    let line_start = text[..position].rfind('\n').map_or(0, |start| start + 1);
    let before_start = text[..line_start.saturating_sub(1)].rfind('\n').map_or(0, |start| start + 1);
    [(line_start, line_end), (before_start, line_start.saturating_sub(1).max(before_start))]
        .into_iter()
        .find_map(|(start, end)| in_line(&text[start..end], start))
}

/// Looks at one line: outside quotes and inside braces or brackets.
fn in_line(line: &str, offset: usize) -> Option<(Range<usize>, Complaint)> {
    let mut quote = None;
    let mut depth = 0_u32;
    let mut previous = ' ';
    for (position, character) in line.char_indices() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if !previous.is_alphanumeric() && previous != '(' => quote = Some(character),
            (None, '#') if previous.is_whitespace() => return None,
            (None, '{') if previous == '$' && depth > 0 => {
                let end = line[position..].find('}').map_or(line.len(), |end| position + end + 1);
                return Some((offset + position - 1..offset + end, environment_hint()));
            }
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => depth = depth.saturating_sub(1),
            (None, '(') if depth > 0 && (previous.is_alphanumeric() || previous == '_') => {
                let start = line[..position]
                    .rfind(|c: char| !c.is_alphanumeric() && c != '_')
                    .map_or(0, |start| start + line[start..].chars().next().map_or(1, char::len_utf8));
                let end = line[position..].find(')').map(|end| position + end + 1)?;
                let call = &line[start..end];
                return call.contains(',').then(|| (offset + start..offset + end, complaint(call)));
            }
            _ => {}
        }
        previous = character;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_call_is_recognised_by_its_open_parenthesis() {
        assert_eq!(unclosed("step(3"), Some(1));
        assert_eq!(unclosed("step(3)"), None);
        assert_eq!(unclosed("(aside"), None);
        assert_eq!(balance("15)"), -1);
    }

    #[test]
    fn an_environment_value_in_braces_explains_a_syntax_error() {
        let text = "report: {author: ${AUTHOR:-me}, course: x}\n";
        let (range, complaint) = pitfall(text, 20).unwrap();
        assert_eq!(&text[range], "${AUTHOR:-me}");
        assert!(complaint.message.contains("quote it"));
        assert!(pitfall("author: ${AUTHOR}\n", 10).is_none());
    }
}
