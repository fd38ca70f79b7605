//! Committed run folders: their reports are made again from what they hold, byte for byte.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::fs;
use std::path::{Path, PathBuf};

/// Folders below `reports/SCENARIO/` that hold a run.
fn committed_runs() -> Vec<PathBuf> {
    let reports = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports");
    let scenarios = fs::read_dir(reports).unwrap().filter_map(Result::ok).map(|entry| entry.path());
    let runs = scenarios.filter(|path| path.is_dir()).flat_map(|path| fs::read_dir(path).unwrap());
    // Runs of one's own lie there too; only the sample is committed.
    let mut runs: Vec<PathBuf> = runs.filter_map(Result::ok).map(|entry| entry.path()).collect();
    runs.retain(|path| path.ends_with("sample") && path.join("run.json").is_file());
    runs.sort();
    runs
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().filter_map(Result::ok) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn the_report_of_a_committed_run_is_made_again_byte_for_byte() {
    let runs = committed_runs();
    assert!(!runs.is_empty(), "a whole run of the quickstart is committed");
    for run in runs {
        let directory = tempfile::tempdir().unwrap();
        let again = directory.path().join("sample");
        copy(&run, &again);
        for entry in fs::read_dir(&again).unwrap().filter_map(Result::ok) {
            let name = entry.file_name().into_string().unwrap();
            if [".md", ".png", ".svg", ".csv"].iter().any(|end| name.ends_with(end)) {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        let (_, written) = benchtop::lab::report(&again).unwrap();
        assert!(written.iter().any(|path| path.ends_with("report.md")));
        for path in written {
            let name = path.file_name().unwrap();
            let (made, committed) = (fs::read(&path).unwrap(), fs::read(run.join(name)).unwrap());
            assert!(made == committed, "{} of {} is not what is committed", path.display(), run.display());
        }
    }
}
