//! What can go wrong with a template.

/// A template that cannot be parsed or rendered. The cause names the variable or the place; it never holds values.
#[derive(Debug, thiserror::Error)]
#[error("template {name} cannot be rendered, line {line}")]
pub struct RenderError {
    /// The template as the caller named it.
    pub name: String,
    /// Line in the template, from 1.
    pub line: usize,
    /// What the template engine says.
    #[source]
    pub source: TemplateFault,
}

/// The engine's words. Its own error type is not kept, since that one prints every variable when debugged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct TemplateFault {
    /// One line.
    pub text: String,
    kind: minijinja::ErrorKind,
}

impl RenderError {
    /// Wraps what the engine says.
    pub(super) fn new(name: &str, error: &minijinja::Error) -> Self {
        let kind = error.kind();
        let text = match error.detail() {
            Some(detail) => format!("{kind}: {detail}"),
            None => kind.to_string(),
        };
        Self { name: name.to_owned(), line: error.line().unwrap_or(1), source: TemplateFault { text, kind } }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self.source.kind {
            minijinja::ErrorKind::UndefinedError => Some(
                "a parameter without a default is absent when the scenario does not set it: guard it with `is defined`"
                    .to_owned(),
            ),
            minijinja::ErrorKind::UnknownFilter => Some(
                "the filters for values are shell, haproxy, nginx, php, ini, sql, bytes, duration and seconds"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}
