//! The JSON Schema of a run's folder, derived from the types that are written there. What the files are for is told in
//! `docs/run-folder.md`.

use schemars::generate::SchemaSettings;
use serde_json::Value;
use serde_json::json;

use crate::model::measurement::REPETITION_FORMAT;
use crate::model::measurement::Repetition;
use crate::model::measurement::TelemetryLine;
use crate::model::run::RUN_FORMAT;
use crate::model::run::RunRecord;

/// JSON Schema (draft 2020-12) of `run.json` (`#/$defs/RunRecord`), of a line of `repetitions.jsonl`
/// (`#/$defs/Repetition`) and of a line of `telemetry.jsonl` (`#/$defs/TelemetryLine`); a document is one of the three.
#[must_use]
pub fn run_folder_schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let documents = [
        generator.subschema_for::<RunRecord>(),
        generator.subschema_for::<Repetition>(),
        generator.subschema_for::<TelemetryLine>(),
    ];
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!(
            "A run's folder: run.json (format {RUN_FORMAT}), a line of repetitions.jsonl (format {REPETITION_FORMAT}), \
             or a line of telemetry.jsonl"
        ),
        "anyOf": documents,
        "$defs": generator.take_definitions(true),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_documents_are_described_with_their_keys() {
        let schema = run_folder_schema();
        for (name, keys) in [
            ("RunRecord", ["format", "seed", "experiment"]),
            ("Repetition", ["format", "completed", "gates"]),
            ("TelemetryLine", ["at_s", "node", "values"]),
        ] {
            let properties = &schema["$defs"][name]["properties"];
            assert!(keys.iter().all(|key| properties[key].is_object()), "{name}: {properties}");
        }
        assert!(schema["$defs"]["Repetition"]["properties"]["good"]["description"].is_string());
    }
}
