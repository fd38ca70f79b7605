//! A software folder's parameters and relations as shapes of the language, so that one check serves both.

use std::time::Duration;

use crate::catalog::Catalog;
use crate::model::software::Parameter;
use crate::model::software::ParameterKind;
use crate::model::software::Software;
use crate::model::unit::ByteSize;
use crate::model::unit::parse_duration;
use crate::scenario::language;
use crate::scenario::shape::Bounds;
use crate::scenario::shape::Fields;
use crate::scenario::shape::Key;
use crate::scenario::shape::Shape;
use crate::scenario::shape::TextRule;
use crate::scenario::tree::Tree;

/// The software of a service as written: `software:`, or the service's own name.
pub(super) fn software_of<'a>(name: &'a str, service: &'a Tree) -> &'a str {
    service.get("software").and_then(Tree::text).unwrap_or(name)
}

/// The keys of a service of this software.
pub(super) fn service_fields(software: &Software) -> Fields {
    let mut keys = language::service();
    keys.extend(software.parameters.iter().map(|(name, parameter)| key(name, parameter)));
    keys.extend(software.relations.iter().map(|(name, relation)| Key {
        required: relation.required,
        ..Key::new(name, Shape::Reference, &relation.doc)
    }));
    Fields::new(format!("service of {}", software.name), keys, &["config", "socket", "access_log"])
}

/// The keys of a service, or only the common ones when its software is unknown.
pub(super) fn fields_by_name(software: &str, catalog: &Catalog) -> Option<Fields> {
    catalog.get(software).map(service_fields)
}

fn key(name: &str, parameter: &Parameter) -> Key {
    Key {
        required: parameter.required,
        default: parameter.default.as_ref().map(Tree::from_yaml),
        ..Key::new(name, shape(name, parameter), &parameter.doc)
    }
}

/// The shape of a parameter.
pub(super) fn shape(name: &str, parameter: &Parameter) -> Shape {
    let counts =
        || Bounds { min: bound(parameter.min.as_ref(), count), max: bound(parameter.max.as_ref(), count) };
    match parameter.kind {
        ParameterKind::Count => Shape::Count(counts()),
        ParameterKind::Number => Shape::Number(Bounds {
            min: bound(parameter.min.as_ref(), number),
            max: bound(parameter.max.as_ref(), number),
        }),
        ParameterKind::Bytes => Shape::Bytes(Bounds {
            min: bound(parameter.min.as_ref(), size),
            max: bound(parameter.max.as_ref(), size),
        }),
        ParameterKind::Duration => Shape::Duration(Bounds {
            min: bound(parameter.min.as_ref(), time),
            max: bound(parameter.max.as_ref(), time),
        }),
        ParameterKind::Flag => Shape::Flag,
        ParameterKind::Choice => Shape::Choice { words: parameter.choices.clone(), later: &[] },
        ParameterKind::Text => Shape::Text(TextRule::Any),
        ParameterKind::Secret => Shape::Secret,
        ParameterKind::Port => {
            let bounds = counts();
            Shape::Port(Bounds::between(
                bounds.min.unwrap_or(1).max(1),
                bounds.max.unwrap_or(65_535).min(65_535),
            ))
        }
        ParameterKind::List => {
            let item = parameter.items.as_ref().map_or(Shape::Text(TextRule::Any), |item| shape(name, item));
            Shape::List { item: Box::new(item), size: counts() }
        }
        ParameterKind::Map if parameter.fields.is_empty() => {
            Shape::map(TextRule::Any, Shape::Text(TextRule::Any))
        }
        ParameterKind::Map => Shape::Struct(Fields::new(
            name,
            parameter.fields.iter().map(|(name, field)| key(name, field)).collect(),
            &[],
        )),
        ParameterKind::WorkerCount => {
            let bounds = counts();
            Shape::Workers(Bounds { min: Some(bounds.min.unwrap_or(1)), ..bounds })
        }
    }
}

fn bound<T>(value: Option<&serde_yaml::Value>, read: fn(&str) -> Option<T>) -> Option<T> {
    read(Tree::from_yaml(value?).text()?)
}

fn count(text: &str) -> Option<u64> {
    text.parse().ok()
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}

fn size(text: &str) -> Option<ByteSize> {
    ByteSize::parse(text).ok()
}

fn time(text: &str) -> Option<Duration> {
    parse_duration(text).ok()
}
