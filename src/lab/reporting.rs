//! From a run folder to its report, again and again the same; and what the load machine is.

use std::fs;
use std::path::{Path, PathBuf};

use crate::lab::error::{Kind, LabError};
use crate::model::run::HostFacts;
use crate::report::{Analysis, ReportInput, analyse, files};
use crate::store::RunFolder;

/// Writes a run's report from what its folder holds.
///
/// # Errors
/// When the folder is no run, cannot be read or written, or a chart cannot be drawn.
pub fn report(run_folder: &Path) -> Result<(Analysis, Vec<PathBuf>), LabError> {
    let folder = RunFolder::open(run_folder)?;
    let record = folder.record()?;
    let repetitions = folder.repetitions()?;
    let telemetry = folder.telemetry()?;
    let configs = record.configs.iter().map(|kept| kept.file.as_str());
    let texts = folder.texts(configs.chain(record.evidence.iter().map(|kept| kept.file.as_str())))?;
    let input = ReportInput { run: &record, repetitions: &repetitions, telemetry: &telemetry, texts: &texts };
    let analysis = analyse(&input);
    let written = files(&input, &analysis)
        .map_err(|source| LabError::new(Kind::Internal, "the report cannot be made").caused_by(source))?;
    let mut paths = Vec::new();
    for file in written {
        folder.write_file(&file.name, &file.bytes)?;
        paths.push(folder.path().join(file.name));
    }
    Ok((analysis, paths))
}

/// What the load machine is, read from `/proc`; what cannot be read stays empty.
pub(crate) fn host_facts() -> HostFacts {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let memory = read("/proc/meminfo");
    let total = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kilobytes = total.and_then(|text| text.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    let os = read("/etc/os-release");
    let name = os.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    HostFacts {
        cpus: std::thread::available_parallelism().map_or(1, |count| count.get() as u32),
        memory_bytes: kilobytes.unwrap_or(0) * 1024,
        kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
        os: name.unwrap_or_default().trim_matches('"').to_owned(),
        cpu_model: model.map_or("", |(_, name)| name.trim()).to_owned(),
        driver: String::new(),
    }
}
