//! The references in Markdown, derived from the same table as the checks: every key of the language, every parameter, relation
//! and action of every software.

use std::fmt::Write as _;

use crate::catalog::Catalog;
use crate::model::experiment::GENERIC_ACTIONS;
use crate::model::software::Software;
use crate::scenario::language;
use crate::scenario::path::Path;
use crate::scenario::problem::one_of;
use crate::scenario::shape::Fields;
use crate::scenario::shape::Key;
use crate::scenario::shape::Shape;
use crate::scenario::software::service_fields;
use crate::scenario::threshold::FUNCTIONS;

const OPENING: &str = "# The scenario file

Generated from the code: `benchtop check` enforces exactly this. A scenario is one YAML file of at most 1 MiB.

- Only `true` and `false` are flags; `no`, `on` and the like are text. Text in quotes is never a number.
- Sizes: a number with `k M G`, `kB MB GB` or `KiB MiB GiB`, all powers of 1024. Times: a number with `ms s m h`.
- `${NAME}` and `${NAME:-default}` are replaced from the environment in every value; `$${` stands for `${`.
- Values that hold parentheses, commas or `${…}` are quoted inside `[…]` and `{…}`.
- References name a `service` of the same node, a `node`, or `node.service`; a group stands for all its members. A bare node
  means its one service that fits; where any software fits, the one in front: with a process, and no other service of the node
  with a process points to it.
- Overlays (`profiles`, a variant's `set`, `--set PATH=YAML`, applied in this order) take dotted paths such as
  `nodes.backend.count`: mappings merge, lists and single values replace, `null` removes. A value drives out the key it
  stands instead of (`load.requests` drives out `load.duration`). `enable` and `disable` have the last word over `enabled`.
- Never shown: parameters of kind secret, values under the key `password`, and the headers `Authorization` and `Cookie`.
";

/// `docs/scenario.md`: every key of the language.
#[must_use]
pub fn reference(catalog: &Catalog) -> String {
    let mut text = OPENING.to_owned();
    section(&mut text, "The file", "", &language::scenario());
    text.push_str(
        "\n## Services\n\nBesides the parameters and relations of its software (`software.md`):\n\n",
    );
    table(&mut text, &language::service());
    let names: Vec<String> = catalog.names().map(|name| format!("`{name}`")).collect();
    let _infallible = write!(text, "\nSoftware: {}.\n", names.join(", "));
    text.push_str("\n## Threshold functions\n\n");
    for (_, signature) in FUNCTIONS {
        let _infallible = writeln!(text, "- `{signature}`");
    }
    text.push_str(
        "\nVariants and levels are names in quotes or plain numbers. `< <= > >= == !=`, `+ - * /`, `and or not` and parentheses \
         join them. A level is its number of connections, or its name under `levels`.\n",
    );
    let generic: Vec<String> = GENERIC_ACTIONS.iter().map(|name| format!("`{name}`")).collect();
    let _infallible = write!(
        text,
        "\n## Actions\n\nEvery service with a process has {}; software adds its own.\n",
        generic.join(", ")
    );
    text
}

/// `docs/software.md`: parameters, relations and actions of every software.
#[must_use]
pub fn software_reference(catalog: &Catalog) -> String {
    let mut text =
        "# Software\n\nGenerated from the software folders. Parameters use the program's own spelling.\n"
            .to_owned();
    for software in catalog.software() {
        one_software(&mut text, software);
    }
    text
}

fn one_software(text: &mut String, software: &Software) {
    let _infallible = write!(text, "\n## {}\n\n{}\n\n", software.name, software.summary);
    let common: Vec<String> = language::service().into_iter().map(|key| key.name).collect();
    let keys: Vec<Key> =
        service_fields(software).keys.into_iter().filter(|key| !common.contains(&key.name)).collect();
    let (relations, parameters): (Vec<Key>, Vec<Key>) =
        keys.into_iter().partition(|key| matches!(key.shape, Shape::Reference));
    if !parameters.is_empty() {
        text.push_str("Parameters:\n\n");
        table(text, &parameters);
        for parameter in &parameters {
            nested_fields(text, parameter);
        }
    }
    if !relations.is_empty() {
        text.push_str("\nRelations:\n\n| relation | leads to | required | meaning |\n|---|---|---|---|\n");
        for (name, relation) in &software.relations {
            let software: Vec<String> = relation.software.iter().map(|name| format!("`{name}`")).collect();
            let ends = if software.is_empty() { "any software".to_owned() } else { software.join(", ") };
            let place = if relation.same_node { ", same node" } else { "" };
            let required = if relation.required { "yes" } else { "" };
            let _infallible =
                writeln!(text, "| `{name}` | {ends}{place} | {required} | {} |", cell(&relation.doc));
        }
    }
    if !software.actions.is_empty() {
        text.push_str("\nActions:\n\n| action | arguments | undone | meaning |\n|---|---|---|---|\n");
        for (name, action) in &software.actions {
            let arguments: Vec<String> = action
                .arguments
                .iter()
                .map(|(name, argument)| match &argument.default {
                    Some(default) => format!("`{name}` (`{default}`): {}", cell(&argument.doc)),
                    None => format!("`{name}`: {}", cell(&argument.doc)),
                })
                .collect();
            let undone = if action.undo.is_some() { "yes" } else { "" };
            let _infallible =
                writeln!(text, "| `{name}` | {} | {undone} | {} |", arguments.join("; "), cell(&action.doc));
        }
    }
}

/// The fields of a parameter that is a mapping.
fn nested_fields(text: &mut String, parameter: &Key) {
    let fields = match &parameter.shape {
        Shape::Struct(fields) => fields,
        Shape::List { item, .. } => match &**item {
            Shape::Struct(fields) => fields,
            _ => return,
        },
        _ => return,
    };
    let _infallible = write!(text, "\n`{}` holds:\n\n", parameter.name);
    table(text, &fields.keys);
}

/// A section for a mapping, and one for each mapping inside.
fn section(text: &mut String, heading: &str, path: &str, fields: &Fields) {
    let _infallible = write!(text, "\n## {heading}\n\n");
    table(text, &fields.keys);
    for (words, keys) in [("Exactly", fields.exactly_one), ("At least", fields.at_least_one)] {
        if !keys.is_empty() {
            let _infallible = write!(text, "\n{words} one of {} is given.\n", one_of(keys));
        }
    }
    for key in &fields.keys {
        let below =
            if path.is_empty() { Path::of(&[&key.name]).to_string() } else { format!("{path}.{}", key.name) };
        nested(text, &below, &key.shape);
    }
}

fn nested(text: &mut String, path: &str, shape: &Shape) {
    match shape {
        Shape::Struct(fields) => section(text, &format!("`{path}`"), path, fields),
        Shape::Map { value, .. } => nested(text, &format!("{path}.NAME"), value),
        Shape::List { item, .. } => nested(text, &format!("{path}[…]"), item),
        Shape::Forms(forms) => forms.iter().for_each(|form| nested(text, path, form)),
        _ => {}
    }
}

fn table(text: &mut String, keys: &[Key]) {
    text.push_str("| key | value | default | meaning |\n|---|---|---|---|\n");
    for key in keys {
        let default = match (&key.default, key.required) {
            (Some(default), _) if default.map().is_none_or(|map| !map.is_empty()) => {
                format!("`{}`", shown_default(default))
            }
            (_, true) => "required".to_owned(),
            _ => String::new(),
        };
        let rival = key.instead_of.map_or_else(String::new, |other| format!(" Instead of `{other}`."));
        let needs = key.needs.map_or_else(String::new, |other| format!(" Only with `{other}`."));
        let value = cell(&key.shape.describe());
        let _infallible =
            writeln!(text, "| `{}` | {value} | {default} | {}{rival}{needs} |", key.name, cell(&key.doc));
    }
}

fn shown_default(default: &crate::scenario::tree::Tree) -> String {
    match default.text() {
        Some("") => "\"\"".to_owned(),
        Some(text) => cell(text),
        None => cell(&default.to_json(&Path::default(), &|_| None).to_string()),
    }
}

/// Text for a table cell: on one line, bars escaped.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
