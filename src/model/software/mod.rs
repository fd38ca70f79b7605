//! What a software folder's `software.yaml` says: the manifest vocabulary.

mod manifest;
mod watching;

pub use manifest::{
    CapacitySpec, ConfigFile, Conflict, Directory, Drain, OnChange, Parameter, ParameterKind, ProcessSpec,
    Readiness, Relation, RelationTarget, SizingRule, Software, StepSpec,
};
pub use watching::{
    ActionSpec, ArgumentSpec, CounterFormat, CounterKind, EvidenceSpec, MembersSpec, Symptom,
    TelemetrySource, TelemetrySpec, TelemetryValue,
};
