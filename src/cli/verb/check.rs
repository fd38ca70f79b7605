//! `check`: reads scenarios and shows every mistake.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::arguments::{Format, FormatOption, SourceOptions};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::inputs::{self, Source};
use crate::cli::output;
use crate::scenario::{Checked, Problem};

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  benchtop check scenarios/*.yaml")]
pub struct CheckArguments {
    /// Scenarios
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    /// Reading.
    pub source: SourceOptions,
    #[command(flatten)]
    /// Printing.
    pub output: FormatOption,
}

/// Runs it.
///
/// # Errors
/// [`CliError::Scenario`] when any file has a mistake, after all files were looked at; [`CliError::Read`].
pub fn run(arguments: &CheckArguments) -> Result<Exit, CliError> {
    let catalog = inputs::catalog(&arguments.source.templates)?;
    let mut results = Vec::new();
    let mut wrong: Vec<(String, Vec<Problem>)> = Vec::new();
    for path in &arguments.files {
        let source = inputs::source(path, &arguments.source, &catalog)?;
        match arguments.output.format {
            Format::Json => results.push(as_json(&source)),
            Format::Text => show(&source)?,
        }
        if let Err(problems) = source.checked {
            wrong.push((source.file, problems));
        }
    }
    if arguments.output.format == Format::Json {
        output::json(&results)?;
    }
    match wrong.as_slice() {
        [] => Ok(Exit::Done),
        [(file, problems)] => {
            Err(CliError::Scenario { problems: inputs::mistakes(problems), file: file.clone() })
        }
        several => {
            let all: Vec<Problem> =
                several.iter().flat_map(|(_, problems)| problems.iter().cloned()).collect();
            let file = format!("{} files", several.len());
            Err(CliError::Scenario { problems: inputs::mistakes(&all), file })
        }
    }
}

fn show(source: &Source) -> Result<(), CliError> {
    match &source.checked {
        Ok(checked) => {
            inputs::show_problems(&checked.warnings, &source.file, &source.text);
            output::data(&format!("{}: {}", source.file, summary(checked)))
        }
        Err(problems) => {
            inputs::show_problems(problems, &source.file, &source.text);
            Ok(())
        }
    }
}

/// `good: 3 variants (one, two, three), 5 rounds`.
fn summary(checked: &Checked) -> String {
    let experiment = &checked.experiment;
    let names: Vec<&str> = experiment.variants.keys().map(String::as_str).collect();
    let s = |count: usize| if count == 1 { "" } else { "s" };
    let mut text = format!("good: {} variant{} ({}), ", names.len(), s(names.len()), names.join(", "));
    text.push_str(&format!("{} round{}", experiment.repeat, s(experiment.repeat as usize)));
    if !checked.warnings.is_empty() {
        text.push_str(&format!(", {} warning{}", checked.warnings.len(), s(checked.warnings.len())));
    }
    text
}

fn as_json(source: &Source) -> Value {
    let (name, problems) = match &source.checked {
        Ok(checked) => (Some(&checked.experiment.name), &checked.warnings),
        Err(problems) => (None, problems),
    };
    let problems: Vec<Value> = problems.iter().map(problem_as_json).collect();
    json!({ "file": source.file, "good": source.checked.is_ok(), "name": name, "problems": problems })
}

fn problem_as_json(problem: &Problem) -> Value {
    json!({
        "message": problem.message, "path": problem.path, "line": problem.line, "column": problem.column,
        "allowed": problem.allowed, "nearest": problem.nearest, "warning": problem.warning,
    })
}
