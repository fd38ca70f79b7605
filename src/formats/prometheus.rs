//! One number out of Prometheus exposition text.

/// The sum of the samples called `from`, which is `name` or `name{label="value",…}`; a sample may hold more labels.
pub(super) fn value(text: &str, from: &str) -> Option<f64> {
    let (wanted_name, wanted) = name_and_labels(from)?.0;
    let mut sum = None;
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let Some(((name, labels), rest)) = name_and_labels(line) else { continue };
        if name != wanted_name || !wanted.iter().all(|label| labels.contains(label)) {
            continue;
        }
        if let Some(number) = rest.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()) {
            sum = Some(sum.unwrap_or(0.0) + number);
        }
    }
    sum
}

type Labels<'a> = Vec<(&'a str, String)>;

/// Splits `name{a="b"} rest` (or `name rest`).
fn name_and_labels(line: &str) -> Option<((&str, Labels<'_>), &str)> {
    let end =
        line.find(|character: char| character == '{' || character.is_whitespace()).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    if name.is_empty() {
        return None;
    }
    let Some(mut rest) = rest.strip_prefix('{') else { return Some(((name, Vec::new()), rest)) };
    let mut labels = Vec::new();
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(after) = rest.strip_prefix('}') {
            return Some(((name, labels), after));
        }
        let (label, after) = rest.split_once('=')?;
        let (text, after) = quoted(after.trim_start().strip_prefix('"')?)?;
        labels.push((label.trim(), text));
        rest = after;
    }
}

/// Text up to the closing quote, with `\\`, `\"` and `\n` undone.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((position, character)) = characters.next() {
        match character {
            '"' => return Some((value, &text[position + 1..])),
            '\\' => match characters.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            _ => value.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# HELP r requests\n# TYPE r counter\nr{code=\"200\",path=\"a\\\"}b\"} 5 1700000000\nr{code=\"500\"} 2\nup 1\nbad{x=\"y 3\nnan_value NaN\n";

    #[test]
    fn samples_are_picked_by_labels_and_summed() {
        assert_eq!(value(TEXT, "r"), Some(7.0));
        assert_eq!(value(TEXT, "r{code=\"500\"}"), Some(2.0));
        assert_eq!(value(TEXT, "r{path=\"a\\\"}b\"}"), Some(5.0));
        assert_eq!(value(TEXT, "up"), Some(1.0));
        assert_eq!(value(TEXT, "bad"), None);
        assert_eq!(value(TEXT, "r{code="), None);
    }
}
