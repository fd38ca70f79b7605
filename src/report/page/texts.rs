//! Rendered configurations and evidence, put into the report as they are.

use indexmap::IndexMap;

use crate::model::experiment::Language;
use crate::model::run::RunRecord;
use crate::report::input::ReportInput;
use crate::report::markdown::{code, fenced, text};
use crate::report::words;

/// Every rendered file; where variants have the same text it stands once.
pub(super) fn configurations(input: &ReportInput) -> String {
    if input.run.configs.is_empty() {
        return String::new();
    }
    let mut files: IndexMap<(&str, &str, Option<&str>), Vec<&str>> = IndexMap::new();
    let mut configs: Vec<_> = input.run.configs.iter().collect();
    configs.sort_by_key(|config| place(input.run, &config.service, &config.variant));
    for config in configs {
        let content = input.texts.get(&config.file).map(String::as_str);
        files.entry((&config.service, &config.target, content)).or_default().push(&config.variant);
    }
    let language = input.run.experiment.report.language;
    let mut section = format!("## {}\n\n", words::configurations_heading(language));
    for ((service, target, content), variants) in files {
        let whose = words::within(language, &names(input.run, &variants));
        section.push_str(&format!("### {} {}\n\n{whose}\n\n", code(service), code(target)));
        section.push_str(&block(language, content));
    }
    section
}

/// Every piece of evidence under its title, services and variants with the same text together.
pub(super) fn evidence(input: &ReportInput) -> String {
    if input.run.evidence.is_empty() {
        return String::new();
    }
    let mut items: Vec<_> = input.run.evidence.iter().collect();
    items.sort_by_key(|item| place(input.run, &item.service, &item.variant));
    let mut titles: IndexMap<&str, IndexMap<Option<&str>, Sources>> = IndexMap::new();
    for item in items {
        let content = input.texts.get(&item.file).map(String::as_str);
        let sources = titles.entry(&item.title).or_default().entry(content).or_default();
        sources.entry(&item.service).or_default().push(&item.variant);
    }
    let language = input.run.experiment.report.language;
    let mut section = format!("## {}\n\n", words::evidence_heading(language));
    for (title, contents) in titles {
        section.push_str(&format!("### {}\n\n", text(title)));
        for (content, sources) in contents {
            let whose: Vec<String> = sources
                .iter()
                .map(|(service, variants)| {
                    words::where_from(language, &code(service), &names(input.run, variants))
                })
                .collect();
            section.push_str(&format!("{}.\n\n{}", whose.join("; "), block(language, content)));
        }
    }
    section
}

/// The services that a text is from, each with its variants.
type Sources<'a> = IndexMap<&'a str, Vec<&'a str>>;

/// Where something stands: nodes as in the topology, variants as in the scenario; what neither knows stands last.
fn place(run: &RunRecord, service: &str, variant: &str) -> (usize, usize) {
    let node = service.split('.').next().unwrap_or(service);
    let variant = run.experiment.variants.get_index_of(variant);
    (run.nodes.get_index_of(node).unwrap_or(usize::MAX), variant.unwrap_or(usize::MAX))
}

/// The variants by name; all of several in words.
fn names(run: &RunRecord, variants: &[&str]) -> String {
    if variants.len() > 1 && run.experiment.variants.keys().all(|name| variants.contains(&name.as_str())) {
        return words::every_variant(run.experiment.report.language).to_owned();
    }
    variants.iter().map(|variant| code(variant)).collect::<Vec<String>>().join(", ")
}

fn block(language: Language, content: Option<&str>) -> String {
    match content {
        Some(content) => format!("{}\n", fenced(content)),
        None => format!("{}\n\n", words::not_kept(language)),
    }
}
