//! What a report is made from and what it comes out as.

use std::collections::BTreeMap;

use crate::model::measurement::{Repetition, TelemetryLine};
use crate::model::run::RunRecord;

/// Everything a report is made from.
#[derive(Debug, Clone, Copy)]
pub struct ReportInput<'a> {
    /// `run.json`.
    pub run: &'a RunRecord,
    /// The lines of `repetitions.jsonl`, superseded ones left out.
    pub repetitions: &'a [Repetition],
    /// The lines of the telemetry file; may be empty.
    pub telemetry: &'a [TelemetryLine],
    /// Run-relative path → text of rendered configurations and evidence.
    pub texts: &'a BTreeMap<String, String>,
}

/// One file of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportFile {
    /// Name within the run folder.
    pub name: String,
    /// Content.
    pub bytes: Vec<u8>,
}
