//! Hides secret values in a line of the scenario that is about to be shown beside a problem. Only keys that are always
//! secret are known here; which parameters are secret, `mask` finds out.

use std::ops::Range;

/// Keys whose values are never shown, wherever they stand.
const SECRET_KEYS: [&str; 3] = ["password", "authorization", "cookie"];

/// The same line with known secrets, and the values of keys that are always secret, replaced by as many asterisks, so that
/// byte positions stay. `begin` is where the line begins in the text that `secrets` are ranges of.
pub(super) fn conceal_line(line: &str, begin: usize, secrets: &[Range<usize>]) -> String {
    let lower = line.to_ascii_lowercase();
    let mut shown = line.as_bytes().to_vec();
    for secret in secrets {
        let end = secret.end.saturating_sub(begin).min(line.len());
        let start = secret.start.saturating_sub(begin).min(end);
        shown[start..end].fill(b'*');
    }
    for key in SECRET_KEYS {
        for (position, _) in lower.match_indices(key) {
            let Some(value) = value_after(&line[position + key.len()..]) else { continue };
            let from = position + key.len() + value.0;
            shown[from..position + key.len() + value.1].fill(b'*');
        }
    }
    String::from_utf8_lossy(&shown).into_owned()
}

/// Whether a key's value is always secret.
pub(super) fn is_secret_key(key: &str) -> bool {
    key.to_ascii_lowercase().ends_with(SECRET_KEYS[0])
}

/// Whether a header's value is secret.
pub(super) fn is_secret_header(name: &str) -> bool {
    ["authorization", "cookie", "proxy-authorization"].contains(&name.to_ascii_lowercase().as_str())
}

/// The byte range of the value in the text that follows a key: after `:` or `=`, to the end of the quotes or the next comma,
/// brace or end of line.
fn value_after(rest: &str) -> Option<(usize, usize)> {
    let after_quote = rest.trim_start_matches(['"', '\'']);
    let separator = after_quote.strip_prefix(':').or_else(|| after_quote.strip_prefix('='))?;
    let value = separator.trim_start();
    let from = rest.len() - value.len();
    let length = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].find(quote).map_or(value.len(), |end| end + 2),
        _ => value.find([',', '}', ']']).unwrap_or(value.len()),
    };
    Some((from, from + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_a_shown_line_is_starred_and_nothing_moves() {
        let line = "  stats: {uri: /x, password: hunter2, usr: cda}";
        assert_eq!(conceal_line(line, 0, &[]), "  stats: {uri: /x, password: *******, usr: cda}");
        assert_eq!(conceal_line("password: \"a, b\"", 0, &[]).len(), "password: \"a, b\"".len());
        assert!(!conceal_line("Authorization: Basic abc", 0, &[]).contains("abc"));
        assert!(!conceal_line("--set x.password=abc", 0, &[]).contains("abc"));
        assert_eq!(conceal_line("token: abc", 10, &[17..20, 40..50]), "token: ***");
    }
}
