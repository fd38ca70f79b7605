//! Rendered configurations and evidence, put into the report as they are.

use indexmap::IndexMap;

use crate::report::input::ReportInput;
use crate::report::markdown::{code, fenced, text};

/// Every rendered file; where variants have the same text it stands once.
pub(super) fn configurations(input: &ReportInput) -> String {
    if input.run.configs.is_empty() {
        return String::new();
    }
    let mut files: IndexMap<(&str, &str, Option<&str>), Vec<&str>> = IndexMap::new();
    for config in &input.run.configs {
        let content = input.texts.get(&config.file).map(String::as_str);
        files.entry((&config.service, &config.target, content)).or_default().push(&config.variant);
    }
    let mut section = "## Configurations\n\n".to_owned();
    for ((service, target, content), variants) in files {
        section.push_str(&format!("### {} {}\n\nIn {}.\n\n", code(service), code(target), names(&variants)));
        section.push_str(&block(content));
    }
    section
}

/// Every piece of evidence, variants with the same text together.
pub(super) fn evidence(input: &ReportInput) -> String {
    if input.run.evidence.is_empty() {
        return String::new();
    }
    let mut items: IndexMap<(&str, &str, Option<&str>), Vec<&str>> = IndexMap::new();
    for item in &input.run.evidence {
        let content = input.texts.get(&item.file).map(String::as_str);
        items.entry((&item.title, &item.service, content)).or_default().push(&item.variant);
    }
    let mut section = "## Evidence\n\n".to_owned();
    for ((title, service, content), variants) in items {
        section.push_str(&format!("### {}\n\n{}, in {}.\n\n", text(title), code(service), names(&variants)));
        section.push_str(&block(content));
    }
    section
}

fn names(variants: &[&str]) -> String {
    variants.iter().map(|variant| code(variant)).collect::<Vec<String>>().join(", ")
}

fn block(content: Option<&str>) -> String {
    match content {
        Some(content) => format!("{}\n", fenced(content)),
        None => "(the text was not kept with the run)\n\n".to_owned(),
    }
}
