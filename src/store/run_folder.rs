//! One run's folder: `run.json`, `repetitions.jsonl`, `telemetry.jsonl`, configurations, evidence, report files.
//!
//! Lines are appended and synced, everything else is written to a temporary name and renamed, so that a killed
//! benchtop leaves at worst one torn last line, which readers skip.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::model::measurement::{Repetition, TelemetryLine};
use crate::model::run::{RUN_FORMAT, RunRecord};
use crate::store::error::StoreError;

const RECORD: &str = "run.json";
const REPETITIONS: &str = "repetitions.jsonl";
const TELEMETRY: &str = "telemetry.jsonl";

/// A run's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Makes `REPORTS/SCENARIO/RUN`.
    ///
    /// # Errors
    /// When a directory cannot be made.
    pub fn create(reports: &Path, scenario: &str, run: &str) -> Result<Self, StoreError> {
        let path = reports.join(scenario).join(run);
        fs::create_dir_all(&path).map_err(StoreError::io("make", &path))?;
        Ok(Self { path })
    }

    /// Opens a folder that holds a `run.json`.
    ///
    /// # Errors
    /// [`StoreError::NotARun`] otherwise.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if path.join(RECORD).is_file() {
            Ok(Self { path: path.to_owned() })
        } else {
            Err(StoreError::NotARun { path: path.to_owned() })
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes `run.json`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_record(&self, record: &RunRecord) -> Result<(), StoreError> {
        let mut text = to_json_pretty(record, &self.path.join(RECORD))?;
        text.push('\n');
        self.write_file(RECORD, text.as_bytes())
    }

    /// Reads `run.json`.
    ///
    /// # Errors
    /// When it cannot be read, is malformed, or has a newer format.
    pub fn record(&self) -> Result<RunRecord, StoreError> {
        let path = self.path.join(RECORD);
        let text = fs::read(&path).map_err(StoreError::io("read", &path))?;
        let malformed =
            |source| StoreError::Malformed { path: path.clone(), line: None, what: RECORD, source };
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(malformed)?;
        let found = value.get("format").and_then(serde_json::Value::as_u64).unwrap_or(0);
        if found > u64::from(RUN_FORMAT) {
            let found = u32::try_from(found).unwrap_or(u32::MAX);
            return Err(StoreError::NewerFormat { path, found, known: RUN_FORMAT });
        }
        serde_json::from_value(value).map_err(malformed)
    }

    /// Appends one repetition and syncs it to disk.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append_repetition(&self, repetition: &Repetition) -> Result<(), StoreError> {
        self.append(REPETITIONS, std::slice::from_ref(repetition))
    }

    /// Appends telemetry lines and syncs them to disk.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append_telemetry(&self, lines: &[TelemetryLine]) -> Result<(), StoreError> {
        if lines.is_empty() { Ok(()) } else { self.append(TELEMETRY, lines) }
    }

    /// Every repetition that was not superseded, in the order of measuring.
    ///
    /// # Errors
    /// When a line other than a torn last one is malformed.
    pub fn repetitions(&self) -> Result<Vec<Repetition>, StoreError> {
        let all: Vec<Repetition> = self.read_lines(REPETITIONS)?;
        Ok(all.into_iter().filter(|repetition| !repetition.superseded).collect())
    }

    /// Telemetry of the repetitions that count.
    ///
    /// # Errors
    /// When a line other than a torn last one is malformed.
    pub fn telemetry(&self) -> Result<Vec<TelemetryLine>, StoreError> {
        let live: BTreeSet<(u32, u32, String, String)> = self
            .repetitions()?
            .into_iter()
            .map(|repetition| (repetition.round, repetition.attempt, repetition.variant, repetition.level))
            .collect();
        let all: Vec<TelemetryLine> = self.read_lines(TELEMETRY)?;
        let counts = |line: &TelemetryLine| {
            live.contains(&(line.round, line.attempt, line.variant.clone(), line.level.clone()))
        };
        Ok(all.into_iter().filter(counts).collect())
    }

    /// Marks every line of the given round as superseded, drops a torn last line, and returns the attempt number
    /// that the round's new lines must carry. This is the only rewrite of the file: temporary name, then rename.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn supersede_round(&self, round: u32) -> Result<u32, StoreError> {
        let mut all: Vec<Repetition> = self.read_lines(REPETITIONS)?;
        let mut attempt = 0;
        for repetition in all.iter_mut().filter(|repetition| repetition.round == round) {
            attempt = attempt.max(repetition.attempt);
            repetition.superseded = true;
        }
        let path = self.path.join(REPETITIONS);
        self.write_file(REPETITIONS, lines_of(&all, &path)?.as_bytes())?;
        let telemetry: Vec<TelemetryLine> = self.read_lines(TELEMETRY)?;
        let telemetry_path = self.path.join(TELEMETRY);
        self.write_file(TELEMETRY, lines_of(&telemetry, &telemetry_path)?.as_bytes())?;
        let seen_in_telemetry =
            telemetry.iter().filter(|line| line.round == round).map(|line| line.attempt).max().unwrap_or(0);
        Ok(attempt.max(seen_in_telemetry) + 1)
    }

    /// Writes a file of the folder, its directories made, through a temporary name.
    ///
    /// # Errors
    /// When it cannot be written, or when the name leads out of the folder.
    pub fn write_file(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.inside(name)?;
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(StoreError::io("make", parent))?;
        }
        let mut temporary = path.clone().into_os_string();
        temporary.push(".partial");
        let temporary = PathBuf::from(temporary);
        let written = File::create(&temporary).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        written.map_err(StoreError::io("write", &temporary))?;
        fs::rename(&temporary, &path).map_err(StoreError::io("write", &path))
    }

    /// The texts of the named files; what is not there is left out.
    ///
    /// # Errors
    /// When a name leads out of the folder.
    pub fn texts<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<BTreeMap<String, String>, StoreError> {
        let mut texts = BTreeMap::new();
        for name in names {
            if let Ok(bytes) = fs::read(self.inside(name)?) {
                texts.insert(name.to_owned(), String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        Ok(texts)
    }

    /// A path below the folder; `..` and absolute names are refused.
    fn inside(&self, name: &str) -> Result<PathBuf, StoreError> {
        let relative = Path::new(name);
        let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
        if plain && !name.is_empty() {
            return Ok(self.path.join(relative));
        }
        let source =
            std::io::Error::new(std::io::ErrorKind::InvalidInput, "the name leads out of the run folder");
        Err(StoreError::Io { doing: "write", path: relative.to_owned(), source })
    }

    fn append<T: Serialize>(&self, name: &str, items: &[T]) -> Result<(), StoreError> {
        let path = self.path.join(name);
        let text = lines_of(items, &path)?;
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(StoreError::io("open", &path))?;
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_data())
            .map_err(StoreError::io("write", &path))
    }

    /// All lines of a file; none when it is absent. A last line without its line end was torn by a kill.
    fn read_lines<T: DeserializeOwned>(&self, name: &'static str) -> Result<Vec<T>, StoreError> {
        let path = self.path.join(name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::io("read", &path)(source)),
        };
        let end = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
        let lines = bytes[..end].split(|byte| *byte == b'\n').enumerate();
        lines
            .filter(|(_, line)| !line.trim_ascii().is_empty())
            .map(|(index, line)| {
                serde_json::from_slice(line).map_err(|source| StoreError::Malformed {
                    path: path.clone(),
                    line: Some(index + 1),
                    what: name,
                    source,
                })
            })
            .collect()
    }
}

fn lines_of<T: Serialize>(items: &[T], path: &Path) -> Result<String, StoreError> {
    let mut text = String::new();
    for item in items {
        let line = serde_json::to_string(item).map_err(|source| StoreError::Malformed {
            path: path.to_owned(),
            line: None,
            what: "a line of JSON",
            source,
        })?;
        text.push_str(&line);
        text.push('\n');
    }
    Ok(text)
}

fn to_json_pretty<T: Serialize>(item: &T, path: &Path) -> Result<String, StoreError> {
    serde_json::to_string_pretty(item).map_err(|source| StoreError::Malformed {
        path: path.to_owned(),
        line: None,
        what: "JSON",
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::measurement::{Measurement, REPETITION_FORMAT};

    fn repetition(round: u32, variant: &str) -> Repetition {
        Repetition {
            format: REPETITION_FORMAT,
            run: "r".to_owned(),
            round,
            order: 1,
            variant: variant.to_owned(),
            level: "4".to_owned(),
            attempt: 1,
            superseded: false,
            started_at: "2026-11-30T00:00:00Z".to_owned(),
            started_after_s: 0.0,
            drain_s: 0.0,
            measurement: Measurement::default(),
            gates: Vec::new(),
            requests_logged: indexmap::IndexMap::new(),
        }
    }

    #[test]
    fn an_interrupted_round_is_superseded_and_a_torn_line_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(directory.path(), "s", "r").unwrap();
        for (round, variant) in [(1, "a"), (1, "b"), (2, "a")] {
            folder.append_repetition(&repetition(round, variant)).unwrap();
        }
        let path = folder.path().join(REPETITIONS);
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"format\":1,\"run\":\"r\",\"rou").unwrap();
        assert_eq!(folder.repetitions().unwrap().len(), 3);
        assert_eq!(folder.supersede_round(2).unwrap(), 2);
        assert_eq!(folder.repetitions().unwrap().len(), 2);
        let mut again = repetition(2, "a");
        again.attempt = 2;
        folder.append_repetition(&again).unwrap();
        assert_eq!(folder.repetitions().unwrap().last().unwrap(), &again);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 4);
        assert_eq!(folder.supersede_round(2).unwrap(), 3);
    }

    #[test]
    fn a_malformed_line_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(directory.path(), "s", "r").unwrap();
        fs::write(folder.path().join(REPETITIONS), "{}\n").unwrap();
        assert!(folder.repetitions().unwrap_err().to_string().contains("repetitions.jsonl:1"));
        fs::write(folder.path().join(REPETITIONS), b"\n\xff\xfe\n").unwrap();
        let error = folder.repetitions().unwrap_err();
        assert!(error.to_string().contains("repetitions.jsonl:2"), "{error}");
        assert_eq!(error.hint().unwrap(), "take line 2 out of the file: the rest is read without it");
        fs::write(folder.path().join(REPETITIONS), b"\xff\xfe torn").unwrap();
        assert!(folder.repetitions().unwrap().is_empty());
    }

    #[test]
    fn names_that_lead_out_of_the_folder_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(directory.path(), "s", "r").unwrap();
        for name in ["../x", "/etc/x", "a/../../x", ""] {
            assert!(folder.write_file(name, b"x").is_err(), "{name}");
        }
    }
}
