//! The template engine as benchtop sets it up: strict about undefined and null values, no automatic escaping, the
//! quoting filters of [`super::quote`]. It does not know what a context means.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, escape_formatter};

use crate::render::error::RenderError;
use crate::render::quote;

/// Renders a template. An undefined variable, a null printed, or a value a filter cannot quote is an error.
///
/// # Errors
/// [`RenderError`] with the template's line.
pub fn render(name: &str, template: &str, context: &serde_json::Value) -> Result<String, RenderError> {
    environment()
        .render_named_str(name, template, Serde(context))
        .map_err(|error| RenderError::new(name, &error))
}

fn environment<'source>() -> Environment<'source> {
    let mut environment = Environment::new();
    environment.set_syntax(
        SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build()
            .expect("the default delimiters are not in conflict"),
    );
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    // Without it an undefined variable has no name; its listing of values stays behind in the engine's error type.
    environment.set_debug(true);
    environment.set_formatter(|output, state, value| {
        if value.is_none() {
            return Err(Error::new(ErrorKind::InvalidOperation, "a null value cannot be printed"));
        }
        // Flags print as configuration files write them, not as Python does.
        match bool::try_from(value.clone()) {
            Ok(flag) if value.kind() == ValueKind::Bool => Ok(write!(output, "{flag}")?),
            _ => escape_formatter(output, state, value),
        }
    });
    environment.add_filter("shell", quote::shell);
    environment.add_filter("haproxy", quote::haproxy);
    environment.add_filter("nginx", quote::nginx);
    environment.add_filter("php", quote::php);
    environment.add_filter("ini", quote::ini);
    environment.add_filter("sql", quote::sql);
    environment.add_filter("bytes", quote::bytes);
    environment.add_filter("duration", quote::duration);
    environment.add_filter("seconds", quote::seconds);
    environment
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use serde_json::json;

    use super::*;

    #[test]
    fn an_undefined_variable_names_itself_and_its_line() {
        let error = render("bad.j2", "first\n{{ node.prot }}\n", &json!({"node": {"port": 1}})).unwrap_err();
        assert_eq!((error.line, error.name.as_str()), (2, "bad.j2"));
        assert!(error.source().unwrap().to_string().contains("node.prot"), "{:?}", error.source());
        assert!(error.hint().unwrap().contains("is defined"));
    }

    #[test]
    fn a_null_is_not_printed_as_a_word() {
        assert!(render("x", "{{ cpus }}", &json!({"cpus": null})).is_err());
        assert_eq!(render("x", "{{ cpus is none }}", &json!({"cpus": null})).unwrap(), "true");
    }

    #[test]
    fn blocks_leave_no_blank_lines_and_the_last_newline_stays() {
        let text = render("x", "a\n  {% if yes %}\nb\n  {% endif %}\nc\n", &json!({"yes": true})).unwrap();
        assert_eq!(text, "a\nb\nc\n");
    }

    #[test]
    fn values_are_not_escaped_as_html() {
        assert_eq!(render("x.html", "{{ v }}", &json!({"v": "<&\"'>"})).unwrap(), "<&\"'>");
    }
}
