//! One number out of a JSON text.

use serde_json::Value;

/// The number at `from`: a top-level key as it stands (blanks and dots allowed), else a dotted path. Keys that hold dots
/// are found (`counters.MAIN.hits.value`), list members are counted from 0, true is 1.
pub(super) fn value(document: &Value, from: &str) -> Option<f64> {
    let parts: Vec<&str> = from.split('.').collect();
    descend(document, &parts)
}

/// The longest key first, so that a top-level key with dots wins over a path.
fn descend(value: &Value, parts: &[&str]) -> Option<f64> {
    if parts.is_empty() {
        return number(value);
    }
    match value {
        Value::Object(members) => (1..=parts.len()).rev().find_map(|length| {
            let (key, rest) = parts.split_at(length);
            descend(members.get(&key.join("."))?, rest)
        }),
        Value::Array(members) => descend(members.get(parts[0].parse::<usize>().ok()?)?, &parts[1..]),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_with_blanks_and_dots_and_paths_are_found() {
        let document = json!({"listen queue": 5, "counters": {"MAIN.hits": {"value": 7}}, "list": [{"n": "3"}], "up": true});
        assert_eq!(value(&document, "listen queue"), Some(5.0));
        assert_eq!(value(&document, "counters.MAIN.hits.value"), Some(7.0));
        assert_eq!(value(&document, "list.0.n"), Some(3.0));
        assert_eq!(value(&document, "up"), Some(1.0));
        for from in ["", "list", "list.x", "list.9.n", "counters.MAIN"] {
            assert_eq!(value(&document, from), None, "{from}");
        }
    }
}
