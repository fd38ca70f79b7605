//! The catalogue: software folders by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use include_dir::{Dir, include_dir};

use crate::catalog::check;
use crate::catalog::check_templates;
use crate::catalog::error::CatalogError;
use crate::catalog::lines::Lines;
use crate::model::software::Software;

static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// The manifest's file name.
pub(super) const MANIFEST: &str = "software.yaml";

/// Every software benchtop knows, by folder name.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    folders: BTreeMap<String, Arc<Folder>>,
}

#[derive(Debug)]
struct Folder {
    software: Software,
    files: BTreeMap<String, String>,
}

impl Catalog {
    /// The folders that are compiled in.
    ///
    /// # Errors
    /// When one of them is wrong, which a test of this crate would have caught.
    pub fn builtin() -> Result<Self, CatalogError> {
        let mut catalog = Self::default();
        for folder in BUILT_IN.dirs() {
            let name = folder.path().to_string_lossy().into_owned();
            let mut files = BTreeMap::new();
            collect(&name, folder, folder, &mut files)?;
            catalog = catalog.with_folder(&name, files)?;
        }
        Ok(catalog)
    }

    /// Adds a folder, or takes the place of the one with the same name. `files` are paths relative to the folder.
    ///
    /// # Errors
    /// When the manifest is missing or wrong, or a template is missing or cannot be parsed.
    pub fn with_folder(mut self, name: &str, files: BTreeMap<String, String>) -> Result<Self, CatalogError> {
        let manifest =
            files.get(MANIFEST).ok_or_else(|| CatalogError::NoManifest { folder: name.to_owned() })?;
        let software = parse_manifest(name, manifest)?;
        check_templates::files(name, &software, &Lines::read(manifest), &files)?;
        self.folders.insert(name.to_owned(), Arc::new(Folder { software, files }));
        Ok(self)
    }

    /// The software of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Software> {
        self.folders.get(name).map(|folder| &folder.software)
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.folders.keys().map(String::as_str)
    }

    /// A file's text, by its path below the software's folder.
    #[must_use]
    pub fn file(&self, software: &str, path: &str) -> Option<&str> {
        self.folders.get(software)?.files.get(path).map(String::as_str)
    }

    /// All software, sorted by name.
    pub fn software(&self) -> impl Iterator<Item = &Software> {
        self.folders.values().map(|folder| &folder.software)
    }
}

/// Reads and judges a manifest; the files it names are not looked at.
///
/// # Errors
/// With folder, file, line and cause.
pub fn parse_manifest(folder: &str, text: &str) -> Result<Software, CatalogError> {
    let lines = Lines::read(text);
    let software: Software = serde_yaml::from_str(text).map_err(|source| CatalogError::Yaml {
        folder: folder.to_owned(),
        file: MANIFEST.to_owned(),
        line: source.location().map_or(1, |location| location.line()),
        source,
    })?;
    check::manifest(folder, &software, &lines)?;
    Ok(software)
}

fn collect(
    name: &str,
    root: &Dir<'_>,
    dir: &Dir<'_>,
    files: &mut BTreeMap<String, String>,
) -> Result<(), CatalogError> {
    for file in dir.files() {
        let path =
            file.path().strip_prefix(root.path()).unwrap_or(file.path()).to_string_lossy().into_owned();
        let text = file
            .contents_utf8()
            .ok_or_else(|| CatalogError::NotText { folder: name.to_owned(), file: path.clone() })?;
        files.insert(path, text.to_owned());
    }
    dir.dirs().try_for_each(|below| collect(name, root, below, files))
}
