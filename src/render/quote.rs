//! Filters that make a value safe inside a shell script or a configuration file, and that write sizes and times the
//! way servers read them. A value that cannot be written safely is an error, never a guess.

use minijinja::value::Value;
use minijinja::{Error, ErrorKind};

const MEBIBYTE: u64 = 1 << 20;

fn refuse(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, what.into())
}

/// The value as text; control characters are refused, since a line break ends a directive everywhere.
fn one_line(value: &Value, language: &str) -> Result<String, Error> {
    let text = plain(value, language)?;
    match text.chars().find(|character| character.is_control()) {
        Some(_) => Err(refuse(format!("a control character cannot be quoted for {language}"))),
        None => Ok(text),
    }
}

fn plain(value: &Value, language: &str) -> Result<String, Error> {
    if value.is_undefined() || value.is_none() || value.is_kwargs() {
        return Err(refuse(format!("there is no value to quote for {language}")));
    }
    Ok(value.to_string())
}

/// One word of a POSIX shell.
pub(super) fn shell(value: Value) -> Result<String, Error> {
    let text = plain(&value, "a shell")?;
    if text.contains('\0') {
        return Err(refuse("a NUL cannot be quoted for a shell"));
    }
    Ok(format!("'{}'", text.replace('\'', "'\\''")))
}

/// One word of an HAProxy configuration: strong quotes, in which nothing but the quote itself is special.
pub(super) fn haproxy(value: Value) -> Result<String, Error> {
    Ok(format!("'{}'", one_line(&value, "HAProxy")?.replace('\'', "'\\''")))
}

/// One word of an nginx configuration. A dollar sign would be a variable and cannot be escaped: it is refused.
pub(super) fn nginx(value: Value) -> Result<String, Error> {
    let text = one_line(&value, "nginx")?;
    if text.contains('$') {
        return Err(refuse("`$` cannot be quoted for nginx"));
    }
    Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// A PHP string literal.
pub(super) fn php(value: Value) -> Result<String, Error> {
    Ok(format!("'{}'", plain(&value, "PHP")?.replace('\\', "\\\\").replace('\'', "\\'")))
}

/// A value in a php-fpm or php.ini file. What the format cannot express (`"`, `\`, `$`) is refused.
pub(super) fn ini(value: Value) -> Result<String, Error> {
    let text = one_line(&value, "an ini file")?;
    match text.chars().find(|character| matches!(character, '"' | '\\' | '$')) {
        Some(character) => Err(refuse(format!("`{character}` cannot be quoted for an ini file"))),
        None => Ok(format!("\"{text}\"")),
    }
}

/// A string literal of MariaDB in its default mode.
pub(super) fn sql(value: Value) -> Result<String, Error> {
    let text = plain(&value, "SQL")?;
    if text.contains('\0') {
        return Err(refuse("a NUL cannot be quoted for SQL"));
    }
    Ok(format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''")))
}

/// A number of bytes in the largest unit that divides it: `128M`, `64k`, `1000`.
pub(super) fn bytes(value: u64) -> String {
    match value {
        0 => "0".to_owned(),
        _ if value.is_multiple_of(MEBIBYTE) => format!("{}M", value / MEBIBYTE),
        _ if value.is_multiple_of(1024) => format!("{}k", value / 1024),
        _ => value.to_string(),
    }
}

/// Milliseconds as a time with its unit: `30s`, `250ms`. Fractions of a millisecond are rounded.
pub(super) fn duration(milliseconds: f64) -> Result<String, Error> {
    let whole = whole(milliseconds)?;
    Ok(if whole.is_multiple_of(1000) { format!("{}s", whole / 1000) } else { format!("{whole}ms") })
}

/// Milliseconds as whole seconds, rounded up, for programs that know nothing finer.
pub(super) fn seconds(milliseconds: f64) -> Result<u64, Error> {
    Ok(whole(milliseconds)?.div_ceil(1000))
}

fn whole(milliseconds: f64) -> Result<u64, Error> {
    if !(0.0..=1.0e15).contains(&milliseconds) {
        return Err(refuse("a time must be zero or more milliseconds"));
    }
    Ok(milliseconds.round() as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn each_language_gets_its_own_quotes() {
        let value = || Value::from("it's \"x\" \\ y");
        assert_eq!(shell(value()).unwrap(), "'it'\\''s \"x\" \\ y'");
        assert_eq!(haproxy(value()).unwrap(), "'it'\\''s \"x\" \\ y'");
        assert_eq!(nginx(value()).unwrap(), "\"it's \\\"x\\\" \\\\ y\"");
        assert_eq!(php(value()).unwrap(), "'it\\'s \"x\" \\\\ y'");
        assert_eq!(sql(value()).unwrap(), "'it''s \"x\" \\\\ y'");
        assert_eq!(ini(Value::from("a b; c")).unwrap(), "\"a b; c\"");
    }

    #[test]
    fn what_cannot_be_written_safely_is_refused() {
        assert!(nginx(Value::from("$host")).is_err());
        assert!(ini(Value::from("a\"b")).is_err());
        assert!(shell(Value::from("a\0b")).is_err());
        for quote in [haproxy, nginx, ini] {
            assert!(quote(Value::from("a\nb")).is_err());
            assert!(quote(Value::from(())).is_err());
        }
    }

    #[test]
    fn sizes_and_times_take_the_largest_exact_unit() {
        assert_eq!([bytes(0), bytes(1000), bytes(2048), bytes(3 << 20)], ["0", "1000", "2k", "3M"]);
        assert_eq!(duration(30_000.0).unwrap(), "30s");
        assert_eq!(duration(1_500.0).unwrap(), "1500ms");
        assert_eq!(seconds(1_500.0).unwrap(), 2);
        assert!(duration(-1.0).is_err() && duration(f64::NAN).is_err());
    }

    proptest! {
        #[test]
        fn a_shell_word_reads_back_as_it_was(text in "[^\0]{0,40}") {
            let quoted = shell(Value::from(text.clone())).unwrap();
            prop_assert_eq!(shlex::split(&quoted).unwrap(), vec![text]);
        }
    }
}
