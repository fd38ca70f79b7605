//! `report`: writes a run's report again, from its folder alone.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::arguments::FormatOption;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::verb::run;
use crate::lab;

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  benchtop report reports/quickstart/20261130-214216-ab12")]
pub struct ReportArguments {
    /// A run's folder, its id, or a scenario's name for its newest run
    #[arg(value_name = "RUN")]
    pub run: String,
    /// Where run folders are
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub reports: PathBuf,
    #[command(flatten)]
    /// Printing.
    pub output: FormatOption,
}

/// Runs it; thresholds decide the exit code as they do for `run`.
///
/// # Errors
/// When there is no such run or its folder is wrong; [`CliError::Threshold`].
pub fn run(arguments: &ReportArguments) -> Result<Exit, CliError> {
    let folder = find_run(&arguments.reports, &arguments.run)?;
    let (analysis, files) = lab::report(&folder).map_err(CliError::Lab)?;
    for file in files {
        output::say(&format!("wrote {}", file.display()));
    }
    run::show(&folder, &analysis, arguments.output.format)?;
    run::judge(&analysis)
}

/// The folder of a run that was given as a path, as an id, or as a scenario's name for its newest run.
///
/// # Errors
/// A usage error when nothing fits.
pub(super) fn find_run(reports: &Path, given: &str) -> Result<PathBuf, CliError> {
    let path = Path::new(given);
    if path.join("run.json").is_file() {
        return Ok(path.to_owned());
    }
    if path.file_name().is_some_and(|name| name == "run.json" || name == "report.md") && path.is_file() {
        return Ok(path.parent().unwrap_or(path).to_owned());
    }
    let runs = |scenario: &Path| {
        let mut runs: Vec<PathBuf> =
            folders(scenario).into_iter().filter(|run| run.join("run.json").is_file()).collect();
        runs.sort();
        runs
    };
    let newest = runs(&reports.join(given)).pop();
    let by_id =
        || folders(reports).iter().flat_map(|scenario| runs(scenario)).find(|run| run.ends_with(given));
    newest.or_else(by_id).ok_or_else(|| {
        CliError::usage(
            format!("there is no run {given}"),
            format!("give a folder below {}, a run's id, or a scenario's name", reports.display()),
        )
    })
}

/// The folders in a folder; none when it is not there.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_found_by_path_by_id_and_by_name() {
        let root = tempfile::tempdir().unwrap();
        for run in ["20260101-000000-aaaa", "20260102-000000-bbbb"] {
            fs::create_dir_all(root.path().join("quick").join(run)).unwrap();
            fs::write(root.path().join("quick").join(run).join("run.json"), "{}").unwrap();
        }
        let newest = root.path().join("quick/20260102-000000-bbbb");
        assert_eq!(find_run(root.path(), newest.to_str().unwrap()).unwrap(), newest);
        assert_eq!(find_run(root.path(), newest.join("run.json").to_str().unwrap()).unwrap(), newest);
        assert_eq!(find_run(root.path(), "quick").unwrap(), newest);
        assert!(
            find_run(root.path(), "20260101-000000-aaaa").unwrap().ends_with("quick/20260101-000000-aaaa")
        );
        assert!(find_run(root.path(), "slow").unwrap_err().show().contains("there is no run slow"));
    }
}
