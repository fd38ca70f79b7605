//! Profiles, a variant's `set` and `--set` laid over a tree: mappings merge, lists and scalars replace, `null` removes. Whether
//! a path exists is decided here; whether the new value fits, when the result is read.

use crate::catalog::Catalog;
use crate::scenario::language;
use crate::scenario::path::Path;
use crate::scenario::path::Step;
use crate::scenario::problem::Complaint;
use crate::scenario::read::unknown_key;
use crate::scenario::shape::Shape;
use crate::scenario::shape::TextRule;
use crate::scenario::software::fields_by_name;
use crate::scenario::software::software_of;
use crate::scenario::tree::Entry;
use crate::scenario::tree::Origin;
use crate::scenario::tree::Tree;
use crate::scenario::tree::Value;

/// One dotted path and its new value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Setting {
    /// The path to set.
    pub path: Path,
    /// Where the path was written.
    pub key: Origin,
    /// The new value.
    pub value: Tree,
}

/// The settings of a mapping of dotted paths, in its order.
pub(super) fn settings(sets: Option<&Tree>) -> Vec<Setting> {
    sets.and_then(Tree::map)
        .into_iter()
        .flatten()
        .map(|(path, entry)| Setting {
            path: Path::dotted(path),
            key: entry.key.clone(),
            value: entry.tree.clone(),
        })
        .collect()
}

/// Applies a setting.
///
/// # Errors
/// What is wrong with its path.
pub(super) fn apply(tree: &mut Tree, setting: &Setting, catalog: &Catalog) -> Result<(), Complaint> {
    let shape = resolve(tree, setting, catalog)?;
    let Some((Step::Key(last), above)) = setting.path.0.split_last() else { return Ok(()) };
    let mut place = tree;
    for step in above {
        let Step::Key(key) = step else { return Ok(()) };
        let map = force_map(place);
        let entry = map
            .entry(key.clone())
            .or_insert_with(|| Entry { key: setting.key.clone(), tree: Tree::empty(setting.key.clone()) });
        place = &mut entry.tree;
    }
    let parent = shape_at(&Path(above.to_vec()));
    let entry = Entry { key: setting.key.clone(), tree: setting.value.clone() };
    put(force_map(place), last, entry, parent.as_ref(), Some(&shape));
    Ok(())
}

/// The mapping at a place, made one when nothing useful is there.
fn force_map(tree: &mut Tree) -> &mut indexmap::IndexMap<String, Entry> {
    if tree.map().is_none() {
        tree.value = Value::Map(indexmap::IndexMap::new());
    }
    tree.map_mut().expect("it was made a mapping just above")
}

/// Lays a tree over another.
pub(super) fn merge(base: &mut Tree, over: Tree, shape: Option<&Shape>) {
    match (&mut base.value, over.value) {
        (Value::Map(base), Value::Map(over)) => {
            let both: Vec<String> = over.keys().cloned().collect();
            for (key, entry) in over {
                let below = shape.and_then(|shape| step_into(shape, &key));
                let shape = shape.filter(|_| !excluded_within(shape, &key, &both));
                put(base, &key, entry, shape, below.as_ref());
            }
        }
        (_, value) => *base = without_nulls(Tree { value, origin: over.origin }),
    }
}

/// Whether the key's rival is in the same overlay: then both stay, and reading the result complains.
fn excluded_within(shape: Option<&Shape>, key: &str, keys: &[String]) -> bool {
    rival(shape, key).is_some_and(|rival| keys.iter().any(|key| key == rival))
}

fn rival(parent: Option<&Shape>, key: &str) -> Option<&'static str> {
    match parent {
        Some(Shape::Struct(fields)) => fields.key(key)?.instead_of,
        _ => None,
    }
}

/// Puts one entry into a mapping.
fn put(
    map: &mut indexmap::IndexMap<String, Entry>,
    key: &str,
    entry: Entry,
    parent: Option<&Shape>,
    shape: Option<&Shape>,
) {
    if entry.tree.is_null() {
        map.shift_remove(key);
        return;
    }
    if let Some(rival) = rival(parent, key) {
        map.shift_remove(rival);
    }
    match map.get_mut(key) {
        Some(old) if old.tree.map().is_some() && entry.tree.map().is_some() => {
            merge(&mut old.tree, entry.tree, shape)
        }
        Some(old) => *old = Entry { tree: without_nulls(entry.tree), ..entry },
        None => {
            map.insert(key.to_owned(), Entry { tree: without_nulls(entry.tree), ..entry });
        }
    }
}

/// What is laid over nothing: its own nulls have nothing to remove.
fn without_nulls(mut tree: Tree) -> Tree {
    if let Value::Map(map) = &mut tree.value {
        let kept = std::mem::take(map).into_iter().filter(|(_, entry)| !entry.tree.is_null());
        *map = kept.map(|(key, entry)| (key, Entry { tree: without_nulls(entry.tree), ..entry })).collect();
    }
    tree
}

/// The shape one key below.
fn step_into(shape: &Shape, key: &str) -> Option<Shape> {
    match shape {
        Shape::Struct(fields) => fields.key(key).map(|key| key.shape.clone()),
        Shape::Map { value, .. } => Some((**value).clone()),
        _ => None,
    }
}

/// The shape at a path as far as the table alone tells; nothing inside services.
fn shape_at(path: &Path) -> Option<Shape> {
    let root = Shape::Struct(language::scenario());
    path.0.iter().try_fold(root, |shape, step| match step {
        Step::Key(key) => step_into(&shape, key),
        Step::Index(_) => None,
    })
}

/// The shape a setting's path leads to in a tree.
///
/// # Errors
/// Which part of the path does not exist, with the names that do.
pub(super) fn resolve(tree: &Tree, setting: &Setting, catalog: &Catalog) -> Result<Shape, Complaint> {
    let mut shape = Shape::Struct(language::scenario());
    let mut here = Path::default();
    for (position, step) in setting.path.0.iter().enumerate() {
        let Step::Key(key) = step else { continue };
        let place = tree.at(&here);
        let last = position + 1 == setting.path.0.len();
        shape = match shape {
            Shape::Struct(fields) => {
                let found =
                    fields.key(key).ok_or_else(|| no_path(&setting.path, unknown_key(key, &fields)))?;
                found.shape.clone()
            }
            Shape::Map { names, value, .. } => {
                let known = place.and_then(|place| place.get(key)).is_some();
                let defines = last && creates(key, names, setting);
                if !(known || defines) {
                    return Err(no_name(tree, &here, key, &setting.path));
                }
                match *value {
                    Shape::Service(_) => {
                        let new = setting.value.get("software").and_then(Tree::text).filter(|_| last);
                        let old =
                            place.and_then(|place| place.get(key)).map(|service| software_of(key, service));
                        Shape::Service(Some(new.or(old).unwrap_or(key).to_owned()))
                    }
                    other => other,
                }
            }
            Shape::Service(software) => {
                let fields = software.and_then(|software| fields_by_name(&software, catalog));
                // Unknown software is complained about where it is named.
                let Some(fields) = fields else { return Ok(Shape::Text(TextRule::Any)) };
                let found =
                    fields.key(key).ok_or_else(|| no_path(&setting.path, unknown_key(key, &fields)))?;
                found.shape.clone()
            }
            Shape::Sets => return Ok(Shape::Sets),
            _ => {
                let message = format!("`{here}` has nothing below it to set");
                return Err(Complaint::new(message).allowed("lists and single values are replaced whole"));
            }
        };
        here = here.key(key);
        // Below one of several forms leads only what is written as a mapping already.
        if !last && let Some(form) = tree.at(&here).and_then(|written| shape.form(&written.value)) {
            shape = form.clone();
        }
    }
    Ok(shape)
}

/// Whether a setting may define something new under a name.
fn creates(key: &str, names: TextRule, setting: &Setting) -> bool {
    names.holds(key) && !setting.value.is_null()
}

fn no_path(path: &Path, complaint: Complaint) -> Complaint {
    Complaint { message: format!("the path `{path}` does not exist: {}", complaint.message), ..complaint }
}

/// What to say about a name that is not there.
fn no_name(tree: &Tree, here: &Path, key: &str, path: &Path) -> Complaint {
    let known: Vec<&str> =
        tree.at(here).and_then(Tree::map).into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let group = key.trim_end_matches(|c: char| c.is_ascii_digit());
    let member = group != key && tree.at(&here.key(group)).is_some_and(|node| node.get("count").is_some());
    if member && here.first() == Some("nodes") {
        return Complaint::new(format!(
            "the path `{path}` does not exist: `{key}` is a member of the group `{group}`"
        ))
        .allowed(format!("`nodes.{group}…` sets every member"));
    }
    let what = here.0.last().map_or_else(String::new, |_| here.to_string());
    Complaint::new(format!("the path `{path}` does not exist: no `{key}` in `{what}`")).among(key, known)
}
