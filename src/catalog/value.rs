//! Reads one value as a parameter's kind wants it: for a manifest's defaults and bounds. A worker budget
//! (`400MB/32MB`) is not read here, since the sum belongs to `sizing`.

use indexmap::IndexMap;
use serde_yaml::Value;

use crate::model::parameter::{ParameterValue, WorkerCount};
use crate::model::secret::Secret;
use crate::model::software::{Parameter, ParameterKind};
use crate::model::unit::{ByteSize, parse_duration};

/// The value as the parameter's kind, inside `min` and `max`, one of `choices`.
///
/// # Errors
/// A sentence fragment that says what the value should be.
pub fn read_value(parameter: &Parameter, value: &Value) -> Result<ParameterValue, String> {
    let read = read_kind(parameter, value)?;
    if let Some(number) = measure(&read) {
        for (bound, below) in [(&parameter.min, true), (&parameter.max, false)] {
            let Some(bound) = bound else { continue };
            let limit = measure(&read_kind(parameter, bound)?).unwrap_or(number);
            if (below && number < limit) || (!below && number > limit) {
                let word = if below { "less" } else { "more" };
                return Err(format!("{} is {word} than {}", show(value), show(bound)));
            }
        }
    }
    Ok(read)
}

fn read_kind(parameter: &Parameter, value: &Value) -> Result<ParameterValue, String> {
    let refuse = |what: &str| Err(format!("{} is not {what}", show(value)));
    Ok(match parameter.kind {
        ParameterKind::Count => match value.as_u64() {
            Some(count) => ParameterValue::Count(count),
            None => return refuse("a whole number, zero or more"),
        },
        ParameterKind::Number => match value.as_f64().filter(|number| number.is_finite()) {
            Some(number) => ParameterValue::Number(number),
            None => return refuse("a number"),
        },
        ParameterKind::Bytes => {
            ParameterValue::Bytes(ByteSize::parse(&scalar(value)?).map_err(|error| error.to_string())?)
        }
        ParameterKind::Duration => {
            ParameterValue::Duration(parse_duration(&scalar(value)?).map_err(|error| error.to_string())?)
        }
        ParameterKind::Flag => match value.as_bool() {
            Some(flag) => ParameterValue::Flag(flag),
            None => return refuse("true or false"),
        },
        ParameterKind::Choice => {
            let word = scalar(value)?;
            if !parameter.choices.contains(&word) {
                return refuse(&format!("one of {}", parameter.choices.join(", ")));
            }
            ParameterValue::Choice(word)
        }
        ParameterKind::Text => ParameterValue::Text(scalar(value)?),
        ParameterKind::Secret => ParameterValue::Secret(Secret::new(scalar(value)?)),
        ParameterKind::Port => match value.as_u64().and_then(|port| u16::try_from(port).ok()) {
            Some(port) if port > 0 => ParameterValue::Port(port),
            _ => return refuse("a port from 1 to 65535"),
        },
        ParameterKind::WorkerCount => match value.as_u64() {
            Some(workers) if workers > 0 => ParameterValue::Workers(WorkerCount::Fixed { workers }),
            _ => return refuse("a number of workers, 1 or more"),
        },
        ParameterKind::List => ParameterValue::List(list(parameter, value)?),
        ParameterKind::Map => ParameterValue::Map(map(parameter, value)?),
    })
}

fn list(parameter: &Parameter, value: &Value) -> Result<Vec<ParameterValue>, String> {
    let Some(items) = value.as_sequence() else { return Err(format!("{} is not a list", show(value))) };
    items
        .iter()
        .map(|item| match &parameter.items {
            Some(kind) => read_value(kind, item),
            None => Ok(ParameterValue::Text(scalar(item)?)),
        })
        .collect()
}

fn map(parameter: &Parameter, value: &Value) -> Result<IndexMap<String, ParameterValue>, String> {
    let Some(given) = value.as_mapping() else { return Err(format!("{} is not a map", show(value))) };
    let mut members = IndexMap::new();
    for (key, value) in given {
        let key = scalar(key)?;
        let member = if parameter.fields.is_empty() {
            ParameterValue::Text(scalar(value)?)
        } else {
            let field = parameter.fields.get(&key).ok_or_else(|| {
                let known: Vec<&str> = parameter.fields.keys().map(String::as_str).collect();
                format!("`{key}` is not one of {}", known.join(", "))
            })?;
            read_value(field, value).map_err(|problem| format!("{key}: {problem}"))?
        };
        members.insert(key, member);
    }
    for (name, field) in &parameter.fields {
        if members.contains_key(name) {
            continue;
        }
        match &field.default {
            Some(default) => drop(members.insert(name.clone(), read_value(field, default)?)),
            None if field.required => return Err(format!("`{name}` is missing")),
            None => {}
        }
    }
    Ok(members)
}

/// The number that `min` and `max` are compared with.
fn measure(value: &ParameterValue) -> Option<f64> {
    match value {
        ParameterValue::Count(count) => Some(*count as f64),
        ParameterValue::Number(number) => Some(*number),
        ParameterValue::Bytes(size) => Some(size.bytes() as f64),
        ParameterValue::Duration(duration) => Some(duration.as_secs_f64()),
        ParameterValue::Port(port) => Some(f64::from(*port)),
        ParameterValue::Workers(count) => Some(count.workers() as f64),
        _ => None,
    }
}

/// A scalar as it was meant: numbers and flags are texts too (`user: 12`).
fn scalar(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(flag) => Ok(flag.to_string()),
        _ => Err(format!("{} is not a single value", show(value))),
    }
}

fn show(value: &Value) -> String {
    match scalar_or_shape(value) {
        Ok(text) => format!("`{text}`"),
        Err(shape) => shape.to_owned(),
    }
}

fn scalar_or_shape(value: &Value) -> Result<String, &'static str> {
    match value {
        Value::Null => Err("an empty value"),
        Value::Sequence(_) => Err("a list"),
        Value::Mapping(_) | Value::Tagged(_) => Err("a map"),
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(flag) => Ok(flag.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(parameter: &str, value: &str) -> Result<ParameterValue, String> {
        read_value(&serde_yaml::from_str(parameter).unwrap(), &serde_yaml::from_str(value).unwrap())
    }

    #[test]
    fn every_kind_reads_its_own_spelling() {
        for (kind, value) in [
            ("count", "0"),
            ("number", "0.5"),
            ("bytes", "8M"),
            ("duration", "30s"),
            ("flag", "false"),
            ("text", "12"),
            ("secret", "x"),
            ("port", "80"),
            ("list", "[a, 1]"),
            ("map", "{a: 1}"),
            ("worker_count", "12"),
        ] {
            read(&format!("{{kind: {kind}, doc: d}}"), value)
                .unwrap_or_else(|problem| panic!("{kind}: {problem}"));
        }
    }

    #[test]
    fn values_of_another_kind_or_outside_the_bounds_are_refused_in_words() {
        for (parameter, value, problem) in [
            ("{kind: count, doc: d}", "-1", "`-1` is not a whole number, zero or more"),
            ("{kind: port, doc: d}", "70000", "`70000` is not a port from 1 to 65535"),
            ("{kind: choice, choices: [a, b], doc: d}", "c", "`c` is not one of a, b"),
            ("{kind: bytes, min: 1M, doc: d}", "4k", "`4k` is less than `1M`"),
            ("{kind: number, max: 1, doc: d}", "1.5", "`1.5` is more than `1`"),
            (
                "{kind: map, doc: d, fields: {user: {kind: text, doc: d}}}",
                "{usr: x}",
                "`usr` is not one of user",
            ),
            ("{kind: flag, doc: d}", "[1]", "a list is not true or false"),
        ] {
            assert_eq!(read(parameter, value).unwrap_err(), problem);
        }
    }
}
