//! What is read of a service while it runs: counters, a balancer's members, evidence.

use crate::model::software::{TelemetrySource, TelemetrySpec};
use crate::model::topology::ServiceRef;
use crate::plan::context::Scene;
use crate::plan::error::PlanError;
use crate::plan::planned::{EvidenceHow, PlannedEvidence, PlannedMembers, PlannedTelemetry, Surroundings};

/// The sources of counters of a service.
///
/// # Errors
/// When the service does not exist, a template cannot be rendered or a port is missing.
pub fn telemetry(
    surroundings: &Surroundings<'_>,
    reference: &ServiceRef,
) -> Result<Vec<PlannedTelemetry>, PlanError> {
    let scene = Scene::new(surroundings, reference)?;
    let specs = scene.software.telemetry.iter().enumerate();
    specs.map(|(index, spec)| source(&scene, &format!("telemetry.{index}"), spec)).collect()
}

fn source(scene: &Scene<'_>, what: &str, spec: &TelemetrySpec) -> Result<PlannedTelemetry, PlanError> {
    let asks = matches!(spec.source, TelemetrySource::Http | TelemetrySource::Tcp);
    let port = if asks { scene.port(&format!("{what}.port"), spec.port.as_ref())? } else { 0 };
    let path = scene.optional(&format!("{what}.path"), spec.path.as_ref())?.unwrap_or_default();
    let path = match spec.source {
        TelemetrySource::File if !path.starts_with('/') => scene.inside(&path),
        _ => path,
    };
    // The catalogue lets no character above U+00FF through.
    let bytes = |text: &String| text.chars().filter_map(|one| u8::try_from(u32::from(one)).ok()).collect();
    Ok(PlannedTelemetry {
        reference: scene.reference.clone(),
        source: spec.source,
        port,
        path,
        send: spec.send.as_ref().map(bytes).unwrap_or_default(),
        run: scene.optional(&format!("{what}.run"), spec.run.as_ref())?.unwrap_or_default(),
        format: spec.format,
        values: spec.values.clone(),
    })
}

/// How the service's members are read; none when it is no balancer.
///
/// # Errors
/// As [`telemetry`].
pub fn members(
    surroundings: &Surroundings<'_>,
    reference: &ServiceRef,
) -> Result<Option<PlannedMembers>, PlanError> {
    let scene = Scene::new(surroundings, reference)?;
    let Some(spec) = &scene.software.members else { return Ok(None) };
    let http = match scene.optional("members.http", spec.http.as_ref())? {
        Some(path) => Some((scene.port("members.http", None)?, path)),
        None => None,
    };
    Ok(Some(PlannedMembers {
        reference: reference.clone(),
        run: scene.optional("members.run", spec.run.as_ref())?,
        http,
        spec: spec.clone(),
    }))
}

/// The evidence a software folder keeps of every run.
///
/// # Errors
/// As [`telemetry`].
pub fn evidence(
    surroundings: &Surroundings<'_>,
    reference: &ServiceRef,
) -> Result<Vec<PlannedEvidence>, PlanError> {
    let scene = Scene::new(surroundings, reference)?;
    let mut items = Vec::new();
    for (index, spec) in scene.software.evidence.iter().enumerate() {
        let what = |key: &str| format!("evidence.{index}.{key}");
        let how = if let Some(script) = scene.optional(&what("run"), spec.run.as_ref())? {
            EvidenceHow::Run(script)
        } else if let Some(path) = scene.optional(&what("get"), spec.get.as_ref())? {
            EvidenceHow::Get(scene.port(&what("get"), None)?, path)
        } else {
            EvidenceHow::Log(scene.inside(spec.log.as_deref().unwrap_or_default()))
        };
        items.push(PlannedEvidence { reference: reference.clone(), title: spec.title.clone(), how });
    }
    Ok(items)
}
