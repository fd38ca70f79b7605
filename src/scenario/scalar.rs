//! One scalar read as its shape asks: YAML 1.2's words (only `true` and `false` are flags), our sizes and times.

use crate::model::parameter::ParameterValue;
use crate::model::parameter::WorkerCount;
use crate::model::secret::Secret;
use crate::model::unit::ByteSize;
use crate::model::unit::parse_duration;
use crate::scenario::problem::Complaint;
use crate::scenario::shape::Bounds;
use crate::scenario::shape::Shape;
use crate::scenario::tree::Scalar;
use crate::scenario::tree::Style;
use crate::sizing::workers_in_budget;

/// Reads a scalar. Shapes that are collections give a complaint too.
pub(super) fn read(scalar: &Scalar, shape: &Shape) -> Result<ParameterValue, Complaint> {
    let text = scalar.text.as_str();
    let wrong = || unfit(scalar, shape);
    if let (Shape::Text(_) | Shape::Secret | Shape::Reference, Some(control)) =
        (shape, text.chars().find(|character| character.is_control()))
    {
        return Err(unwritable(control));
    }
    match shape {
        Shape::Text(rule) => {
            rule.holds(text).then(|| ParameterValue::Text(text.to_owned())).ok_or_else(wrong)
        }
        Shape::Secret => Ok(ParameterValue::Secret(Secret::new(text))),
        Shape::Choice { words, later } => choice(text, words, later, shape),
        Shape::Bytes(bounds) => {
            let size = ByteSize::parse(text).map_err(|_| wrong())?;
            within(bounds, size, scalar, shape).map(ParameterValue::Bytes)
        }
        Shape::Duration(bounds) => {
            let time = parse_duration(text).map_err(|_| wrong())?;
            within(bounds, time, scalar, shape).map(ParameterValue::Duration)
        }
        Shape::Workers(bounds) if text.contains('/') => workers(scalar, shape, bounds),
        Shape::Flag | Shape::Count(_) | Shape::Number(_) | Shape::Port(_) | Shape::Workers(_)
            if scalar.style == Style::Quoted =>
        {
            Err(Complaint {
                message: format!("`{text}` is text in quotes here: write it without"),
                ..wrong()
            })
        }
        Shape::Flag => match text {
            "true" => Ok(ParameterValue::Flag(true)),
            "false" => Ok(ParameterValue::Flag(false)),
            _ => Err(wrong()),
        },
        Shape::Count(bounds) => count(scalar, shape, bounds).map(ParameterValue::Count),
        Shape::Port(bounds) => {
            let port = count(scalar, shape, bounds)?;
            u16::try_from(port).map(ParameterValue::Port).map_err(|_| wrong())
        }
        Shape::Workers(bounds) => {
            let workers = count(scalar, shape, bounds)?;
            Ok(ParameterValue::Workers(WorkerCount::Fixed { workers }))
        }
        Shape::Number(bounds) => {
            let number = text.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or_else(wrong)?;
            within(bounds, number, scalar, shape).map(ParameterValue::Number)
        }
        Shape::Struct(_)
        | Shape::Map { .. }
        | Shape::List { .. }
        | Shape::Service(_)
        | Shape::Sets
        | Shape::Forms(_) => Err(wrong()),
        Shape::Reference => Ok(ParameterValue::Text(text.to_owned())),
    }
}

fn unfit(scalar: &Scalar, shape: &Shape) -> Complaint {
    let complaint = Complaint::new(format!("`{}` is not {}", scalar.text, kind(shape)));
    Complaint { nearest: meant(&scalar.text, shape), ..complaint.allowed(shape.describe()) }
}

/// What was probably meant: seconds without their unit, a size in the wrong case, a list of one without its brackets.
fn meant(text: &str, shape: &Shape) -> Option<String> {
    match shape {
        Shape::Duration(_) => text.parse::<f64>().is_ok().then(|| format!("{text}s")),
        Shape::Bytes(_) => {
            let number = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
            let unit = match text[number.len()..].to_ascii_lowercase().as_str() {
                "kib" => "KiB",
                "mib" | "mb" => "MiB",
                "gib" | "gb" => "GiB",
                _ => return None,
            };
            let size = format!("{number}{unit}");
            ByteSize::parse(&size).is_ok().then_some(size)
        }
        Shape::List { .. } => (!text.is_empty()).then(|| format!("[{text}]")),
        _ => None,
    }
}

/// Texts end up in configurations, scripts, table cells and terminals, where a line break or an escape means something.
/// The text is not quoted: it may be a secret.
fn unwritable(control: char) -> Complaint {
    let (message, allowed) = match control {
        '\n' | '\r' => (
            "this text has a line break".to_owned(),
            "text on one line; a block is joined to one by `>-`, not by `>` or `|`",
        ),
        _ => (
            format!("this text holds the control character U+{:04X}", u32::from(control)),
            "text on one line, without tabs and control characters",
        ),
    };
    Complaint::new(message).allowed(allowed)
}

/// The kind alone, for the message; bounds and examples stand in what is allowed.
fn kind(shape: &Shape) -> String {
    match shape {
        Shape::Count(_) => "a whole number".to_owned(),
        Shape::Number(_) => "a number".to_owned(),
        Shape::Bytes(_) => "a size".to_owned(),
        Shape::Duration(_) => "a time".to_owned(),
        Shape::Port(_) => "a TCP port".to_owned(),
        Shape::Workers(_) => "a number of workers".to_owned(),
        Shape::List { .. } => "a list".to_owned(),
        Shape::Struct(_) | Shape::Map { .. } | Shape::Service(_) | Shape::Sets => "a mapping".to_owned(),
        other => other.describe(),
    }
}

fn within<T: PartialOrd + Copy>(
    bounds: &Bounds<T>,
    value: T,
    scalar: &Scalar,
    shape: &Shape,
) -> Result<T, Complaint> {
    if bounds.holds(value) {
        return Ok(value);
    }
    let side = if bounds.min.is_some_and(|min| value < min) { "small" } else { "large" };
    Err(Complaint::new(format!("`{}` is too {side}", scalar.text)).allowed(shape.describe()))
}

fn count(scalar: &Scalar, shape: &Shape, bounds: &Bounds<u64>) -> Result<u64, Complaint> {
    let digits = !scalar.text.is_empty() && scalar.text.bytes().all(|byte| byte.is_ascii_digit());
    // A leading zero is octal to some YAML readers: refusing it leaves no doubt.
    let plain = digits && (scalar.text == "0" || !scalar.text.starts_with('0'));
    let number = scalar.text.parse().ok().filter(|_| plain).ok_or_else(|| unfit(scalar, shape))?;
    within(bounds, number, scalar, shape)
}

fn choice(text: &str, words: &[String], later: &[&str], shape: &Shape) -> Result<ParameterValue, Complaint> {
    if words.iter().any(|word| word == text) {
        return Ok(ParameterValue::Choice(text.to_owned()));
    }
    if later.contains(&text) {
        return Err(
            Complaint::new(format!("`{text}` is not supported by this version")).allowed(shape.describe())
        );
    }
    Err(Complaint::new(format!("unknown value `{text}`")).among(text, words.iter().map(String::as_str)))
}

/// `BUDGET/WORKER`.
fn workers(scalar: &Scalar, shape: &Shape, bounds: &Bounds<u64>) -> Result<ParameterValue, Complaint> {
    let (budget, worker) = scalar.text.split_once('/').ok_or_else(|| unfit(scalar, shape))?;
    if worker.trim() == "measured" {
        let message = format!("`{}`: a measured worker is not supported by this version", scalar.text);
        return Err(Complaint::new(message).allowed(shape.describe()));
    }
    let size = |text: &str| {
        ByteSize::parse(text).map_err(|cause| Complaint::new(cause.to_string()).allowed(shape.describe()))
    };
    let (budget, worker) = (size(budget)?, size(worker)?);
    let workers = workers_in_budget(budget, worker)
        .map_err(|cause| Complaint::new(format!("`{}`: {cause}", scalar.text)).allowed(shape.describe()))?;
    within(bounds, workers, scalar, shape)?;
    Ok(ParameterValue::Workers(WorkerCount::Budget { budget, worker, workers }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::shape::TextRule;

    fn plain(text: &str) -> Scalar {
        Scalar { text: text.to_owned(), style: Style::Plain, source: None }
    }

    #[test]
    fn a_common_slip_is_answered_with_what_was_meant() {
        let time = Shape::Duration(Bounds { min: None, max: None });
        let size = Shape::Bytes(Bounds { min: None, max: None });
        let list = Shape::List { item: Box::new(Shape::Flag), size: Bounds { min: None, max: None } };
        for (text, shape, want) in [
            ("5", &time, Some("5s")),
            ("soon", &time, None),
            ("192MIB", &size, Some("192MiB")),
            ("192 furlongs", &size, None),
            ("16", &list, Some("[16]")),
        ] {
            let complaint = read(&plain(text), shape).unwrap_err();
            assert_eq!(complaint.nearest.as_deref(), want, "{text}");
        }
    }

    #[test]
    fn only_true_and_false_are_flags() {
        assert_eq!(read(&plain("true"), &Shape::Flag).unwrap(), ParameterValue::Flag(true));
        for text in ["no", "on", "yes", "True", "0"] {
            assert!(read(&plain(text), &Shape::Flag).is_err(), "{text}");
        }
        let quoted = Scalar { style: Style::Quoted, ..plain("true") };
        assert!(read(&quoted, &Shape::Flag).is_err());
        assert!(read(&Scalar { style: Style::Lenient, ..quoted }, &Shape::Flag).is_ok());
    }

    #[test]
    fn a_text_with_a_line_break_or_a_control_character_is_refused_without_being_quoted() {
        for shape in
            [Shape::Text(TextRule::Any), Shape::Text(TextRule::Filled), Shape::Secret, Shape::Reference]
        {
            for (text, words) in
                [("canary\n", "line break"), ("canary\u{1b}[31m", "U+001B"), ("canary\0", "U+0000")]
            {
                let complaint = read(&plain(text), &shape).unwrap_err();
                assert!(complaint.message.contains(words), "{complaint:?}");
                assert!(!complaint.message.contains("canary"), "{complaint:?}");
            }
            assert!(read(&plain("žluťoučký | \"$(x)\" 'y'"), &shape).is_ok());
        }
    }

    #[test]
    fn workers_are_a_number_or_a_budget_over_a_worker() {
        let shape = Shape::Workers(Bounds::at_least(1));
        let Ok(ParameterValue::Workers(count)) = read(&plain("400MB/32MB"), &shape) else {
            panic!("no workers")
        };
        assert_eq!(count.workers(), 12);
        for text in ["0", "10MB/32MB", "400MB/measured", "many", "4/"] {
            assert!(read(&plain(text), &shape).is_err(), "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_decimal_digits_within_their_bounds() {
        let shape = Shape::Count(Bounds::between(1, 10));
        assert_eq!(read(&plain("10"), &shape).unwrap(), ParameterValue::Count(10));
        for (text, word) in
            [("11", "too large"), ("0", "too small"), ("1.5", "whole"), ("-1", "whole"), ("08", "whole")]
        {
            assert!(read(&plain(text), &shape).unwrap_err().message.contains(word), "{text}");
        }
    }
}
