//! `${NAME}` and `${NAME:-default}` in scalars. The variables are handed down; nothing asks the process for them.

use std::collections::BTreeMap;

use crate::scenario::path::Path;
use crate::scenario::problem::Collector;
use crate::scenario::problem::Complaint;
use crate::scenario::tree::Origin;
use crate::scenario::tree::Scalar;
use crate::scenario::tree::Style;
use crate::scenario::tree::Tree;
use crate::scenario::tree::Value;

/// Whether `:-default` may stand in for a variable that is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Defaults {
    /// As written.
    Used,
    /// No: a run that goes on must not silently use another value than it began with.
    Refused,
}

/// Replaces every `${…}` in a tree; the text with its `${…}` stays known to the scalar. `$${` stands for `${`.
pub(super) fn expand(
    tree: &mut Tree,
    path: &Path,
    environment: &BTreeMap<String, String>,
    problems: &mut Collector<'_>,
) {
    let origin = tree.origin.clone();
    match &mut tree.value {
        Value::Scalar(scalar) => expand_scalar(scalar, &origin, path, environment, problems),
        Value::List(list) => {
            for (position, item) in list.iter_mut().enumerate() {
                expand(item, &path.index(position), environment, problems);
            }
        }
        Value::Map(map) => {
            for (key, entry) in map.iter_mut() {
                expand(&mut entry.tree, &path.key(key), environment, problems);
            }
        }
    }
}

fn expand_scalar(
    scalar: &mut Scalar,
    origin: &Origin,
    path: &Path,
    environment: &BTreeMap<String, String>,
    problems: &mut Collector<'_>,
) {
    if !scalar.text.contains("${") {
        return;
    }
    match substitute(&scalar.text, environment, Defaults::Used) {
        Ok(text) => {
            scalar.source = Some(std::mem::replace(&mut scalar.text, text));
            scalar.style = Style::Lenient;
        }
        Err(complaint) => problems.add(origin, path, complaint),
    }
}

/// The text with every variable's value.
pub(super) fn substitute(
    text: &str,
    environment: &BTreeMap<String, String>,
    defaults: Defaults,
) -> Result<String, Complaint> {
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        if rest[..start].ends_with('$') {
            result.push_str(&rest[..start - 1]);
            result.push_str("${");
            rest = &rest[start + 2..];
            continue;
        }
        result.push_str(&rest[..start]);
        let inside = &rest[start + 2..];
        let end = inside.find('}').ok_or_else(|| malformed("the closing `}` of `${` is missing"))?;
        result.push_str(&value(&inside[..end], environment, defaults)?);
        rest = &inside[end + 1..];
    }
    result.push_str(rest);
    Ok(result)
}

fn value(
    inside: &str,
    environment: &BTreeMap<String, String>,
    defaults: Defaults,
) -> Result<String, Complaint> {
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let legal = !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    if !legal {
        return Err(malformed(&format!("`{name}` is not the name of an environment variable")));
    }
    if let Some(value) = environment.get(name).filter(|value| !value.is_empty() || default.is_none()) {
        return Ok(value.clone());
    }
    match default {
        Some(default) if defaults == Defaults::Used => Ok(default.to_owned()),
        _ => Err(Complaint::new(format!("the environment variable `{name}` is not set"))
            .allowed(format!("set it, or give it a default: `${{{name}:-default}}`"))),
    }
}

fn malformed(message: &str) -> Complaint {
    Complaint::new(message)
        .allowed("`${NAME}`, `${NAME:-default}`, or `$${` for the two characters themselves")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, value: &str) -> BTreeMap<String, String> {
        BTreeMap::from([(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn a_variable_wins_over_its_default_and_an_empty_one_does_not() {
        let used =
            |environment: &BTreeMap<String, String>| substitute("a-${X:-b}-c", environment, Defaults::Used);
        assert_eq!(used(&with("X", "x")).unwrap(), "a-x-c");
        assert_eq!(used(&with("X", "")).unwrap(), "a-b-c");
        assert_eq!(used(&BTreeMap::new()).unwrap(), "a-b-c");
        assert_eq!(substitute("$${X}", &BTreeMap::new(), Defaults::Used).unwrap(), "${X}");
    }

    #[test]
    fn a_missing_variable_is_named() {
        let complaint = substitute("${PASSWORD}", &BTreeMap::new(), Defaults::Used).unwrap_err();
        assert!(complaint.message.contains("`PASSWORD`"));
        assert!(
            substitute("${X:-b}", &BTreeMap::new(), Defaults::Refused).unwrap_err().message.contains("`X`")
        );
        assert!(substitute("${X", &BTreeMap::new(), Defaults::Used).is_err());
        assert!(substitute("${1X}", &BTreeMap::new(), Defaults::Used).is_err());
    }
}
