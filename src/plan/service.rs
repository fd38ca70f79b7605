//! One service, rendered: files, directories, steps, process and the hashes that say whether it changed.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use crate::model::parameter::ParameterValue;
use crate::model::process::ServiceProcess;
use crate::model::secret::Secret;
use crate::model::software::ConfigFile;
use crate::model::topology::ServiceRef;
use crate::plan::context::Scene;
use crate::plan::error::PlanError;
use crate::plan::hash::sha256;
use crate::plan::order::start_order;
use crate::plan::planned::{
    PlannedDirectory, PlannedFile, PlannedProcess, PlannedReady, PlannedStep, ReadyProbe, ServicePlan,
    Surroundings,
};

/// How long a service may take to become ready when its manifest is silent.
const READY_AT_MOST: Duration = Duration::from_secs(30);

/// The plan of one service.
///
/// # Errors
/// When the service or its software does not exist, or a template cannot be rendered.
pub fn service(surroundings: &Surroundings<'_>, reference: &ServiceRef) -> Result<ServicePlan, PlanError> {
    let scene = Scene::new(surroundings, reference)?;
    let owner = owner(surroundings, &scene);
    let directories = directories(&scene, owner.as_deref());
    let mut files = Vec::new();
    for file in &scene.software.files {
        files.push(planned_file(surroundings, &scene, file, owner.as_deref())?);
    }
    let steps = steps(surroundings, &scene)?;
    let process = process(&scene)?;
    let file_hashes: BTreeMap<String, String> =
        files.iter().map(|file| (file.target.clone(), file_hash(file))).collect();
    let rest_hash = rest_hash(&scene, &directories, &steps, process.as_ref());
    let parts = file_hashes.iter().flat_map(|(target, hash)| [target.as_str(), hash.as_str()]);
    let hash = sha256(parts.chain([rest_hash.as_str()]));
    Ok(ServicePlan {
        software: scene.software.name.clone(),
        enabled: scene.service.enabled,
        ports: ports(&scene),
        check: scene.optional("check", scene.software.check.as_ref())?,
        ready: ready(&scene)?,
        directories,
        files,
        steps,
        process,
        file_hashes,
        rest_hash,
        hash,
        dir: scene.dir,
        reference: scene.reference,
    })
}

/// The plans of all services, disabled ones too, in the order they start: what is pointed to comes first.
///
/// # Errors
/// As [`service`], and when services point to each other in a ring.
pub fn services(surroundings: &Surroundings<'_>) -> Result<Vec<ServicePlan>, PlanError> {
    start_order(surroundings.topology)?.iter().map(|reference| service(surroundings, reference)).collect()
}

/// Who owns what the service's user must be able to write; nobody else than the lab's user where that is not root.
fn owner(surroundings: &Surroundings<'_>, scene: &Scene<'_>) -> Option<String> {
    match surroundings.unprivileged_user {
        Some(_) => None,
        None => scene.software.service.as_ref()?.user.clone(),
    }
}

fn ports(scene: &Scene<'_>) -> Vec<u16> {
    let port = |value: &ParameterValue| match value {
        ParameterValue::Port(port) => Some(*port),
        _ => None,
    };
    scene.service.parameters.values().filter_map(port).collect()
}

fn directories(scene: &Scene<'_>, owner: Option<&str>) -> Vec<PlannedDirectory> {
    let root = PlannedDirectory { path: scene.dir.clone(), mode: 0o755, owner: None };
    let below = scene.software.directories.iter().map(|directory| PlannedDirectory {
        path: scene.inside(&directory.path),
        mode: mode(directory.mode.as_deref(), 0o755),
        owner: owner.filter(|_| directory.owned_by_service).map(str::to_owned),
    });
    std::iter::once(root).chain(below).collect()
}

fn mode(text: Option<&str>, absent: u32) -> u32 {
    text.and_then(|text| u32::from_str_radix(text, 8).ok()).unwrap_or(absent)
}

fn planned_file(
    surroundings: &Surroundings<'_>,
    scene: &Scene<'_>,
    file: &ConfigFile,
    owner: Option<&str>,
) -> Result<PlannedFile, PlanError> {
    let template = surroundings.catalog.file(&scene.software.name, &file.template).ok_or_else(|| {
        PlanError::NoSuchTemplate { service: scene.reference.clone(), template: file.template.clone() }
    })?;
    let rendered = scene.render(&file.target, template)?;
    if rendered.real != rendered.masked && !file.secret {
        return Err(PlanError::SecretShown { service: scene.reference.clone(), what: file.target.clone() });
    }
    Ok(PlannedFile {
        target: file.target.clone(),
        path: scene.inside(&file.target),
        content: Secret::new(rendered.real),
        shown: rendered.masked,
        mode: mode(file.mode.as_deref(), if file.secret { 0o600 } else { 0o644 }),
        owner: owner.filter(|_| file.owned_by_service).map(str::to_owned),
        on_change: file.on_change,
    })
}

fn steps(surroundings: &Surroundings<'_>, scene: &Scene<'_>) -> Result<Vec<PlannedStep>, PlanError> {
    let mut steps = Vec::new();
    for (index, step) in scene.software.steps.iter().enumerate() {
        let what = |key: &str| format!("steps.{index}.{key}");
        let stdin = step.stdin.as_ref().map(|stdin| scene.render(&what("stdin"), stdin)).transpose()?;
        let as_user = scene.optional(&what("as"), step.as_user.as_ref())?;
        steps.push(PlannedStep {
            run: scene.script(&what("run"), &step.run)?,
            unless: scene.optional(&what("unless"), step.unless.as_ref())?,
            // Who is not root cannot become somebody else, and needs not: all files are the lab's.
            as_user: as_user.filter(|_| surroundings.unprivileged_user.is_none()),
            stdin: stdin.map(|stdin| Secret::new(stdin.real)),
        });
    }
    Ok(steps)
}

fn process(scene: &Scene<'_>) -> Result<Option<PlannedProcess>, PlanError> {
    let Some(spec) = &scene.software.service else { return Ok(None) };
    let mut environment = indexmap::IndexMap::new();
    for (name, template) in &spec.environment {
        environment.insert(name.clone(), scene.script(&format!("service.environment.{name}"), template)?);
    }
    let command = scene.script("service.command", &spec.command)?.trim().to_owned();
    Ok(Some(PlannedProcess {
        process: ServiceProcess {
            service: scene.service.name.clone(),
            dir: scene.dir.clone(),
            command,
            stop_signal: spec.stop_signal.clone().unwrap_or_else(|| "TERM".to_owned()),
            environment,
        },
        reload: scene.optional("service.reload", spec.reload.as_ref())?,
        drain: spec.drain,
    }))
}

fn ready(scene: &Scene<'_>) -> Result<Option<PlannedReady>, PlanError> {
    let Some(spec) = &scene.software.ready else { return Ok(None) };
    let probe = if spec.tcp.is_some() {
        ReadyProbe::Tcp { port: scene.port("ready.tcp", spec.tcp.as_ref())? }
    } else if let Some(path) = scene.optional("ready.http", spec.http.as_ref())? {
        ReadyProbe::Http {
            port: scene.port("ready.http", None)?,
            path,
            status: spec.status.unwrap_or(200),
            contains: scene.optional("ready.contains", spec.contains.as_ref())?,
        }
    } else {
        let script = spec.run.as_deref().unwrap_or("true");
        ReadyProbe::Run { script: scene.script("ready.run", script)? }
    };
    Ok(Some(PlannedReady { probe, at_most: spec.at_most.unwrap_or(READY_AT_MOST) }))
}

fn file_hash(file: &PlannedFile) -> String {
    let mode = format!("{:o}", file.mode);
    sha256([file.content.reveal(), &mode, file.owner.as_deref().unwrap_or_default()])
}

fn rest_hash(
    scene: &Scene<'_>,
    directories: &[PlannedDirectory],
    steps: &[PlannedStep],
    process: Option<&PlannedProcess>,
) -> String {
    let directories: Vec<_> = directories.iter().map(|one| json!([one.path, one.mode, one.owner])).collect();
    let steps: Vec<_> = steps
        .iter()
        .map(|step| json!([step.run, step.unless, step.as_user, step.stdin.as_ref().map(Secret::reveal)]))
        .collect();
    let process = process.map(|one| {
        json!([one.process.command, one.process.stop_signal, one.process.environment, one.reload])
    });
    let packages = json!(scene.software.packages);
    let parts = [json!(directories), json!(steps), json!(process), packages].map(|part| part.to_string());
    sha256(parts.iter().map(String::as_str))
}
