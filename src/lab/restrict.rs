//! `--only`, `--levels`, `--repeat`: a smaller experiment, and what was left out in words.

use crate::lab::error::{Kind, LabError};
use crate::lab::workbench::RunOptions;
use crate::model::experiment::Experiment;

/// Leaves out what was not asked for.
///
/// # Errors
/// [`Kind::Scenario`] when a name does not exist or nothing would be left.
pub(crate) fn restrict(
    experiment: &Experiment,
    options: &RunOptions,
) -> Result<(Experiment, Vec<String>), LabError> {
    let mut small = experiment.clone();
    let mut partial = Vec::new();
    if !options.only.is_empty() {
        let known: Vec<&String> = experiment.variants.keys().collect();
        for name in &options.only {
            if !experiment.variants.contains_key(name) {
                return Err(unknown("variant", name, &known));
            }
        }
        small.variants.retain(|name, _| options.only.contains(name));
        if small.variants.len() < experiment.variants.len() {
            partial.push(format!("only variants {}", options.only.join(", ")));
        }
    }
    if !options.levels.is_empty() {
        restrict_levels(&mut small, &options.levels, &mut partial)?;
    }
    if let Some(repeat) = options.repeat {
        if repeat < experiment.repeat {
            partial.push(format!("{repeat} of {} rounds", experiment.repeat));
        }
        small.repeat = repeat;
    }
    Ok((small, partial))
}

fn restrict_levels(
    small: &mut Experiment,
    levels: &[String],
    partial: &mut Vec<String>,
) -> Result<(), LabError> {
    let mut known: Vec<String> = Vec::new();
    for level in small.variants.values().flat_map(|variant| &variant.load.levels) {
        if !known.contains(&level.name) {
            known.push(level.name.clone());
        }
    }
    for name in levels {
        if !known.contains(name) {
            return Err(unknown("level", name, &known.iter().collect::<Vec<_>>()));
        }
    }
    for variant in small.variants.values_mut() {
        variant.load.levels.retain(|level| levels.contains(&level.name));
    }
    small.variants.retain(|_, variant| !variant.load.levels.is_empty());
    if known.iter().any(|name| !levels.contains(name)) {
        partial.push(format!("only levels {}", levels.join(", ")));
    }
    Ok(())
}

fn unknown(what: &str, name: &str, known: &[&String]) -> LabError {
    let known: Vec<&str> = known.iter().map(|name| name.as_str()).collect();
    LabError::new(Kind::Scenario, format!("there is no {what} `{name}`"))
        .advise(format!("{what}s of this scenario: {}", known.join(", ")))
}
