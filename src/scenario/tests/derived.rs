//! What is derived from the table: the schema and the references.

use crate::scenario::reference;
use crate::scenario::schema;
use crate::scenario::software_reference;
use crate::scenario::tests::fixture::catalog;

#[test]
fn the_schema_holds_every_key_and_every_parameter() {
    let schema = schema(&catalog());
    for key in
        ["name", "nodes", "target", "load", "variants", "questions", "thresholds", "profiles", "repeat"]
    {
        assert!(schema["properties"][key]["description"].is_string(), "{key}");
    }
    let web = &schema["$defs"]["software-web"]["properties"];
    assert_eq!(web["listen"]["anyOf"][0]["maximum"], 65_535);
    assert_eq!(web["listen"]["default"], 80);
    assert_eq!(web["php"]["description"], "Where PHP runs.");
    let node = &schema["properties"]["nodes"]["additionalProperties"]["properties"];
    assert_eq!(node["services"]["properties"]["web"]["else"]["$ref"], "#/$defs/software-web");
    assert_eq!(node["networks"]["items"]["anyOf"][0]["enum"], serde_json::json!(["public", "private"]));
    let evidence = &schema["properties"]["evidence"]["items"];
    assert_eq!(evidence["oneOf"][2]["required"], serde_json::json!(["config"]));
    assert_eq!(evidence["dependentRequired"]["auth"], serde_json::json!(["get"]));
    let figures = &schema["properties"]["published"]["properties"]["requests_per_second"];
    let forms = &figures["additionalProperties"]["additionalProperties"]["anyOf"];
    assert_eq!(forms.as_array().map(Vec::len), Some(3));
    assert_eq!(schema["required"], serde_json::json!(["name", "nodes", "target", "load"]));
}

#[test]
fn every_reference_in_the_schema_leads_somewhere() {
    fn walk(value: &serde_json::Value, schema: &serde_json::Value) {
        match value {
            serde_json::Value::Object(map) => {
                if let Some(serde_json::Value::String(reference)) = map.get("$ref") {
                    assert!(schema.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
                }
                map.values().for_each(|value| walk(value, schema));
            }
            serde_json::Value::Array(list) => list.iter().for_each(|value| walk(value, schema)),
            _ => {}
        }
    }
    let schema = schema(&catalog());
    walk(&schema, &schema);
}

#[test]
fn the_references_name_keys_parameters_relations_and_actions() {
    let language = reference(&catalog());
    for text in [
        "## `nodes.NAME`",
        "| `count` |",
        "## `load.levels.NAME`",
        "`variants.NAME.actions[…]`",
        "`significant(base, new[, level])`",
        "Exactly one of `do`, `get`, `config` is given.",
        "Only with `password`.",
        "## `published.requests_per_second.NAME.NAME`",
    ] {
        assert!(language.contains(text), "{text}\n{language}");
    }
    let software = software_reference(&catalog());
    for text in [
        "## balancer",
        "| `balance` | `roundrobin`, `leastconn` | `roundrobin` |",
        "`stats` holds:",
        "| `backends` | `web` | yes |",
        "| `disable` |",
    ] {
        assert!(software.contains(text), "{text}\n{software}");
    }
}
