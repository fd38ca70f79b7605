//! Reads what the lower floors get as text: scenarios, software folders, the environment.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::catalog::Catalog;
use crate::cli::arguments::{SourceOptions, TemplateOptions};
use crate::cli::error::CliError;
use crate::cli::output;
use crate::scenario::{self, Checked, Options, Problem};

/// Folders below a software folder are not followed deeper than this.
const DEPTH_MAX: usize = 8;
/// No file of ours is longer, bytes; the scenario's own limit is lower and told with its place.
const LENGTH_MAX: u64 = 4 << 20;

/// The built-in software and whatever `--templates` adds.
///
/// # Errors
/// [`CliError::Read`] for a folder that cannot be read, [`CliError::Catalog`] for a wrong manifest.
pub fn catalog(options: &TemplateOptions) -> Result<Catalog, CliError> {
    let mut catalog = Catalog::builtin().map_err(CliError::Catalog)?;
    for folder in &options.templates {
        for software in software_folders(folder)? {
            let name =
                software.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let mut files = BTreeMap::new();
            read_folder(&software, &software, 0, &mut files)?;
            catalog = catalog.with_folder(&name, files).map_err(CliError::Catalog)?;
        }
    }
    Ok(catalog)
}

/// The environment as text.
#[must_use]
pub fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// A scenario's file with its text and what came of it.
pub struct Source {
    /// As typed.
    pub file: String,
    /// Content.
    pub text: String,
    /// The check's outcome: a scenario, or every mistake.
    pub checked: Result<Checked, Vec<Problem>>,
}

/// Reads and checks one scenario.
///
/// # Errors
/// [`CliError::Read`] when the file cannot be read; mistakes are in the result.
pub fn source(path: &Path, options: &SourceOptions, catalog: &Catalog) -> Result<Source, CliError> {
    let text = read_text(path)?;
    let options = Options {
        profile: options.profile.clone(),
        sets: options.sets.clone(),
        environment: environment(),
        driver: options.driver.map(Into::into),
    };
    let checked = scenario::check(&text, catalog, &options).map_err(|problems| problems.0);
    Ok(Source { file: path.display().to_string(), text, checked })
}

/// Reads and checks one scenario that must be right; shows its mistakes and warnings.
///
/// # Errors
/// [`CliError::Read`], or [`CliError::Scenario`] after the mistakes were shown.
pub fn scenario(path: &Path, options: &SourceOptions, catalog: &Catalog) -> Result<Checked, CliError> {
    let source = source(path, options, catalog)?;
    match source.checked {
        Ok(checked) => {
            show_problems(&checked.warnings, &source.file, &source.text);
            Ok(checked)
        }
        Err(problems) => {
            show_problems(&problems, &source.file, &source.text);
            Err(CliError::Scenario { problems: mistakes(&problems), file: source.file })
        }
    }
}

/// Shows problems one after the other on standard error.
pub fn show_problems(problems: &[Problem], file: &str, text: &str) {
    for problem in problems {
        output::say(&scenario::show(problem, file, text));
    }
}

/// `1 mistake`, `3 mistakes`; warnings do not count.
#[must_use]
pub fn mistakes(problems: &[Problem]) -> String {
    match problems.iter().filter(|problem| !problem.warning).count() {
        1 => "1 mistake".to_owned(),
        count => format!("{count} mistakes"),
    }
}

/// A folder of software folders, or one of them.
fn software_folders(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let folder = fs::canonicalize(folder).map_err(|source| read_error(folder, source))?;
    if folder.join("software.yaml").is_file() {
        return Ok(vec![folder]);
    }
    let mut found: Vec<PathBuf> =
        entries(&folder)?.into_iter().filter(|path| path.join("software.yaml").is_file()).collect();
    found.sort();
    if found.is_empty() {
        return Err(CliError::usage(
            format!("{} holds no software folder", folder.display()),
            "a software folder has a `software.yaml`; give the folder itself or the one above it",
        ));
    }
    Ok(found)
}

fn read_folder(
    root: &Path,
    folder: &Path,
    depth: usize,
    files: &mut BTreeMap<String, String>,
) -> Result<(), CliError> {
    for path in entries(folder)? {
        let kind = fs::symlink_metadata(&path).map_err(|source| read_error(&path, source))?.file_type();
        if kind.is_dir() {
            if depth < DEPTH_MAX {
                read_folder(root, &path, depth + 1, files)?;
            }
        } else if stays_inside(root, &path) {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            files.insert(name, read_text(&path)?);
        } else {
            let cause = "it is not a regular file of the folder: put a copy in its place";
            return Err(read_error(&path, io::Error::other(cause)));
        }
    }
    Ok(())
}

/// A regular file, or a link to one below the same root: a folder of others must not lead to files of the user's, to
/// endless circles or to devices.
fn stays_inside(root: &Path, path: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|real| real.starts_with(root) && real.is_file())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let read = || -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
    };
    read().map_err(|source| read_error(folder, source))
}

/// Reads a whole text file; a device that never ends is left after [`LENGTH_MAX`].
fn read_text(path: &Path) -> Result<String, CliError> {
    let read = || -> io::Result<String> {
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(LENGTH_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LENGTH_MAX {
            return Err(io::Error::other(format!("it is longer than {} MiB", LENGTH_MAX >> 20)));
        }
        String::from_utf8(bytes).map_err(|error| {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
            io::Error::other(format!("line {line} is not UTF-8 text: save the file as UTF-8"))
        })
    };
    read().map_err(|source| read_error(path, source))
}

fn read_error(path: &Path, source: io::Error) -> CliError {
    CliError::Read { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_software_folder_is_read_with_everything_below_it() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("caddy");
        fs::create_dir_all(folder.join("config")).unwrap();
        fs::write(folder.join("software.yaml"), "name: caddy\n").unwrap();
        fs::write(folder.join("config/Caddyfile.j2"), "x").unwrap();
        for given in [root.path(), folder.as_path()] {
            let found = software_folders(given).unwrap();
            assert_eq!(found.len(), 1);
            let mut files = BTreeMap::new();
            read_folder(&found[0], &found[0], 0, &mut files).unwrap();
            assert_eq!(files.keys().collect::<Vec<_>>(), ["config/Caddyfile.j2", "software.yaml"]);
        }
    }

    #[test]
    fn a_link_that_leaves_a_software_folder_is_refused_and_a_circle_is_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        let folder = root.join("caddy");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("software.yaml"), "name: caddy\n").unwrap();
        fs::write(root.join("secret"), "canary").unwrap();
        std::os::unix::fs::symlink("software.yaml", folder.join("inside")).unwrap();
        let mut files = BTreeMap::new();
        read_folder(&folder, &folder, 0, &mut files).unwrap();
        assert_eq!(files.keys().collect::<Vec<_>>(), ["inside", "software.yaml"]);
        for target in ["../secret", ".", "/dev/zero", "nowhere"] {
            let link = folder.join("link");
            std::os::unix::fs::symlink(target, &link).unwrap();
            let error = read_folder(&folder, &folder, 0, &mut files).unwrap_err().show();
            assert!(error.contains("link cannot be read") && error.contains("a copy"), "{error}");
            fs::remove_file(&link).unwrap();
        }
    }

    #[test]
    fn a_file_that_is_no_text_is_told_with_its_line_and_an_endless_one_is_left() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.yaml");
        fs::write(&path, b"name: a\ntitle: \xe9\n").unwrap();
        assert!(read_text(&path).unwrap_err().show().contains("line 2 is not UTF-8"));
        assert!(read_text(Path::new("/dev/zero")).unwrap_err().show().contains("longer than 4 MiB"));
    }

    #[test]
    fn a_folder_without_software_is_a_usage_error_and_a_missing_one_names_itself() {
        let root = tempfile::tempdir().unwrap();
        assert!(matches!(software_folders(root.path()), Err(CliError::Usage { .. })));
        let missing = root.path().join("none");
        assert!(software_folders(&missing).unwrap_err().show().contains("none cannot be read"));
    }
}
