//! `render`: every configuration as it would be written, secrets masked.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::catalog::Catalog;
use crate::cli::arguments::{Format, FormatOption, SourceOptions};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::inputs;
use crate::cli::output;
use crate::model::experiment::{Experiment, Variant};
use crate::plan::{self, ServicePlan, Surroundings};

/// Arguments of `render`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  benchtop render scenarios/quickstart.yaml --variant two --node frontend")]
pub struct RenderArguments {
    /// The scenario
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// One variant; the first one when not given
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// One node, or all nodes of a group
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
    #[command(flatten)]
    /// Reading.
    pub source: SourceOptions,
    #[command(flatten)]
    /// Printing.
    pub output: FormatOption,
}

/// Runs it. Addresses and facts that only a machine knows are shown as placeholders.
///
/// # Errors
/// Mistakes of the scenario, an unknown variant or node, and what cannot be written.
pub fn run(arguments: &RenderArguments) -> Result<Exit, CliError> {
    let catalog = inputs::catalog(&arguments.source.templates)?;
    let checked = inputs::scenario(&arguments.file, &arguments.source, &catalog)?;
    let variant = choose(&checked.experiment, arguments.variant.as_deref())?;
    let mut plans = services(&checked.experiment, variant, &catalog)?;
    if let Some(name) = &arguments.node {
        let nodes: Vec<&str> = variant.topology.members(name).map(|node| node.name.as_str()).collect();
        if nodes.is_empty() {
            let known: Vec<&str> = variant.topology.nodes.keys().map(String::as_str).collect();
            return Err(CliError::usage(
                format!("variant {} has no node {name}", variant.name),
                format!("it has {}", known.join(", ")),
            ));
        }
        plans.retain(|plan| nodes.contains(&plan.reference.node.as_str()));
    }
    match arguments.output.format {
        Format::Text => output::data(&as_text(&plans))?,
        Format::Json => output::json(&as_json(&plans))?,
    }
    Ok(Exit::Done)
}

/// The variant of that name, the first one without a name.
fn choose<'a>(experiment: &'a Experiment, name: Option<&str>) -> Result<&'a Variant, CliError> {
    let found = match name {
        Some(name) => experiment.variants.get(name),
        None => experiment.variants.values().next(),
    };
    found.ok_or_else(|| {
        let known: Vec<&str> = experiment.variants.keys().map(String::as_str).collect();
        CliError::usage(
            format!("there is no variant {}", name.unwrap_or_default()),
            format!("the scenario has {}", known.join(", ")),
        )
    })
}

fn services(
    experiment: &Experiment,
    variant: &Variant,
    catalog: &Catalog,
) -> Result<Vec<ServicePlan>, CliError> {
    let root = format!("/srv/benchtop/{}", experiment.name);
    let surroundings = Surroundings {
        lab: &experiment.name,
        root: &root,
        topology: &variant.topology,
        catalog,
        addresses: &BTreeMap::new(),
        facts: &BTreeMap::new(),
        unprivileged_user: None,
    };
    plan::services(&surroundings).map_err(CliError::Plan)
}

fn as_text(plans: &[ServicePlan]) -> String {
    let mut text = String::new();
    for plan in plans {
        for file in &plan.files {
            let end = if file.shown.ends_with('\n') { "" } else { "\n" };
            text.push_str(&format!("==> {} {} ({:04o})\n", plan.reference, file.path, file.mode));
            text.push_str(&format!("{}{end}\n", file.shown));
        }
    }
    text
}

fn as_json(plans: &[ServicePlan]) -> serde_json::Value {
    let files = plans.iter().flat_map(|plan| {
        plan.files.iter().map(move |file| {
            json!({
                "service": plan.reference.to_string(), "target": file.target, "path": file.path,
                "mode": format!("{:04o}", file.mode), "content": file.shown,
            })
        })
    });
    files.collect()
}
