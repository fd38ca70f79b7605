//! The language as a JSON Schema (draft 2020-12), every software's parameters included, for editors that complete and check
//! while typing. It is derived from the same table as the checks; what only a whole scenario shows, it cannot say.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::catalog::Catalog;
use crate::scenario::language;
use crate::scenario::shape::Bounds;
use crate::scenario::shape::Fields;
use crate::scenario::shape::Key;
use crate::scenario::shape::Shape;
use crate::scenario::shape::TextRule;
use crate::scenario::software::service_fields;
use crate::scenario::tree::Tree;

/// A text with a value from the environment may stand wherever a scalar may.
const ENVIRONMENT: &str = r"\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}";
const SIZE: &str = r"^[0-9]+(\.[0-9]+)? ?(B|[kKmMgG]|[kKMG]B|[KMG]iB)?$";
const TIME: &str = r"^([0-9]+(\.[0-9]+)? ?(ms|s|m|h)|0)$";
const WORKERS: &str = r"^[0-9.]+ ?[A-Za-z]*/[0-9.]+ ?[A-Za-z]*$";

/// The JSON Schema of scenarios.
#[must_use]
pub fn schema(catalog: &Catalog) -> Value {
    let mut definitions = Map::new();
    let environment =
        json!({"type": "string", "pattern": ENVIRONMENT, "description": "A value from the environment."});
    definitions.insert("environment".to_owned(), environment);
    for software in catalog.software() {
        let mut definition = fields(&service_fields(software), catalog);
        definition["description"] = json!(software.summary);
        definition["type"] = json!(["object", "null"]);
        definitions.insert(definition_name(&software.name), definition);
    }
    definitions.insert("service".to_owned(), any_service(catalog));
    let mut schema = fields(&language::scenario(), catalog);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("benchtop scenario");
    schema["$defs"] = Value::Object(definitions);
    schema
}

fn definition_name(software: &str) -> String {
    format!("software-{software}")
}

/// A service that says which software it is.
fn any_service(catalog: &Catalog) -> Value {
    let names: Vec<&str> = catalog.names().collect();
    let by_name: Vec<Value> = names
        .iter()
        .map(|name| {
            json!({
                "if": {"properties": {"software": {"const": name}}, "required": ["software"]},
                "then": {"$ref": format!("#/$defs/{}", definition_name(name))},
            })
        })
        .collect();
    let mut schema = json!({
        "type": "object",
        "required": ["software"],
        "properties": {"software": {"enum": names}},
    });
    if !by_name.is_empty() {
        schema["allOf"] = Value::Array(by_name);
    }
    schema
}

/// Services by name: the name is the software unless `software` says otherwise.
fn services(catalog: &Catalog) -> Value {
    let properties: Map<String, Value> = catalog
        .names()
        .map(|name| {
            let named = json!({
                "if": {"type": "object", "required": ["software"]},
                "then": {"$ref": "#/$defs/service"},
                "else": {"$ref": format!("#/$defs/{}", definition_name(name))},
            });
            (name.to_owned(), named)
        })
        .collect();
    json!({
        "type": ["object", "null"],
        "properties": properties,
        "additionalProperties": {"$ref": "#/$defs/service"},
        "propertyNames": {"pattern": TextRule::Name.pattern()},
    })
}

fn fields(fields: &Fields, catalog: &Catalog) -> Value {
    let properties: Map<String, Value> =
        fields.keys.iter().map(|field| (field.name.clone(), key(field, catalog))).collect();
    let mut schema = json!({"type": "object", "additionalProperties": false, "properties": properties});
    // Profiles and variants may bring what a part lacks, so only what they cannot bring is required.
    let required: Vec<&str> =
        fields.keys.iter().filter(|key| key.required).map(|key| key.name.as_str()).collect();
    if !required.is_empty() && !matches!(fields.name.as_str(), "target" | "level") {
        schema["required"] = json!(required);
    }
    let rivals: Vec<Value> = fields
        .keys
        .iter()
        .filter_map(|key| Some((key.name.as_str(), key.instead_of?)))
        .filter(|(name, other)| name < other)
        .map(|(name, other)| json!({"not": {"required": [name, other]}}))
        .collect();
    if !rivals.is_empty() {
        schema["allOf"] = Value::Array(rivals);
    }
    if !fields.exactly_one.is_empty() {
        schema["oneOf"] = fields.exactly_one.iter().map(|name| json!({"required": [name]})).collect();
    }
    if !fields.at_least_one.is_empty() {
        schema["anyOf"] = fields.at_least_one.iter().map(|name| json!({"required": [name]})).collect();
    }
    let needs: Map<String, Value> =
        fields.keys.iter().filter_map(|key| Some((key.name.clone(), json!([key.needs?])))).collect();
    if !needs.is_empty() {
        schema["dependentRequired"] = Value::Object(needs);
    }
    schema
}

fn key(key: &Key, catalog: &Catalog) -> Value {
    let mut schema = shape(&key.shape, catalog);
    schema["description"] = json!(key.doc);
    if let Some(default) = key.default.as_ref().filter(|default| default.map().is_none()) {
        schema["default"] = default_value(default);
    }
    schema
}

/// A default as JSON.
fn default_value(default: &Tree) -> Value {
    default.to_json(&crate::scenario::path::Path::default(), &|_| None)
}

fn shape(shape_: &Shape, catalog: &Catalog) -> Value {
    match shape_ {
        Shape::Text(rule) => text(*rule),
        Shape::Count(bounds) | Shape::Port(bounds) => or_environment(limited("integer", &or_zero(bounds))),
        Shape::Number(bounds) => or_environment(limited("number", bounds)),
        Shape::Bytes(_) => {
            json!({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": SIZE}, environment()]})
        }
        Shape::Duration(_) => {
            json!({"anyOf": [{"const": 0}, {"type": "string", "pattern": TIME}, environment()]})
        }
        Shape::Flag => or_environment(json!({"type": "boolean"})),
        Shape::Choice { words, .. } => or_environment(json!({"enum": words})),
        Shape::Secret => json!({"type": ["string", "number", "boolean"]}),
        Shape::Workers(bounds) => json!({
            "anyOf": [limited("integer", bounds), {"type": "string", "pattern": WORKERS}, environment()],
        }),
        Shape::Struct(inner) => {
            let mut schema = fields(inner, catalog);
            if !inner.keys.iter().any(|key| key.required) {
                schema["type"] = json!(["object", "null"]);
            }
            schema
        }
        Shape::Map { value, .. } if matches!(**value, Shape::Service(_)) => services(catalog),
        Shape::Map { names, value, size } => {
            let mut schema = json!({"type": "object", "additionalProperties": shape(value, catalog)});
            if let Some(pattern) = names.pattern() {
                schema["propertyNames"] = json!({"pattern": pattern});
            }
            sized(schema, size, "minProperties", "maxProperties")
        }
        Shape::List { item, size } => {
            sized(json!({"type": "array", "items": shape(item, catalog)}), size, "minItems", "maxItems")
        }
        Shape::Reference => {
            json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})
        }
        Shape::Service(_) => json!({"$ref": "#/$defs/service"}),
        Shape::Sets => json!({"type": ["object", "null"], "additionalProperties": true}),
        Shape::Forms(forms) => {
            json!({"anyOf": forms.iter().map(|form| shape(form, catalog)).collect::<Vec<Value>>()})
        }
    }
}

/// Numbers and flags are fine where text is wanted: YAML reads `course: 2021` as a number.
fn text(rule: TextRule) -> Value {
    let mut string = json!({"type": "string"});
    match rule.pattern() {
        Some(pattern) => {
            string["pattern"] = json!(pattern);
            json!({"anyOf": [string, {"type": ["number", "boolean"]}, environment()]})
        }
        None => json!({"type": ["string", "number", "boolean"]}),
    }
}

fn environment() -> Value {
    json!({"$ref": "#/$defs/environment"})
}

fn or_environment(schema: Value) -> Value {
    json!({"anyOf": [schema, environment()]})
}

fn or_zero(bounds: &Bounds<u64>) -> Bounds<u64> {
    Bounds { min: Some(bounds.min.unwrap_or(0)), max: bounds.max }
}

fn limited<T: serde::Serialize + Copy>(kind: &str, bounds: &Bounds<T>) -> Value {
    sized(json!({"type": kind}), bounds, "minimum", "maximum")
}

fn sized<T: serde::Serialize + Copy>(
    mut schema: Value,
    bounds: &Bounds<T>,
    least: &str,
    most: &str,
) -> Value {
    if let Some(min) = bounds.min {
        schema[least] = json!(min);
    }
    if let Some(max) = bounds.max {
        schema[most] = json!(max);
    }
    schema
}
