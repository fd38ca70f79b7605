//! What a template looks up, found without rendering it: parsing only, values and filters are `render`'s business.

use std::collections::BTreeSet;

use minijinja::Environment;

/// Why a text is no template.
#[derive(Debug)]
pub(super) struct Fault {
    /// Line in the template, from 1.
    pub(super) line: usize,
    /// What the parser says.
    pub(super) problem: String,
}

/// The variables a template looks up in its context, dotted as far as they are written out (`params.port`).
pub(super) fn variables(text: &str) -> Result<BTreeSet<String>, Fault> {
    let environment = Environment::new();
    let parsed = environment.template_from_str(text).map_err(|error| Fault {
        line: error.line().unwrap_or(1),
        problem: error.detail().map_or_else(|| error.kind().to_string(), str::to_owned),
    })?;
    Ok(parsed.undeclared_variables(true).into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_and_local_ones_left_out() {
        let text = "{% set a = params.b %}{{ a }}{% for r in relations.web %}{{ r.port }}{% endfor %}";
        assert_eq!(variables(text).unwrap().into_iter().collect::<Vec<_>>(), ["params.b", "relations.web"]);
    }

    #[test]
    fn a_fault_has_its_line() {
        assert_eq!(variables("a\n{% if %}").unwrap_err().line, 2);
    }
}
