//! The order of overlays: profile, then the variant's `set`, then `--set`; and the document that says the same without options.

use std::sync::Arc;

use crate::catalog::Catalog;
use crate::model::experiment::DriverKind;
use crate::scenario::check::Options;
use crate::scenario::environment;
use crate::scenario::language::AROUND_VARIANTS;
use crate::scenario::language::VARIABLE_PARTS;
use crate::scenario::overlay;
use crate::scenario::overlay::Setting;
use crate::scenario::parse;
use crate::scenario::path::Path;
use crate::scenario::problem::Collector;
use crate::scenario::problem::Complaint;
use crate::scenario::problem::one_of;
use crate::scenario::read::Reader;
use crate::scenario::read::Requirements;
use crate::scenario::tree::Entry;
use crate::scenario::tree::Origin;
use crate::scenario::tree::Style;
use crate::scenario::tree::Tree;

/// A scenario with profile and `--set` applied.
pub(super) struct Applied {
    /// What every variant begins with.
    pub base: Tree,
    /// `--set`s that must win over what a variant sets.
    pub for_variants: Vec<Setting>,
    /// Whether the scenario is not as written: a profile, a `--set`, or a document that had them.
    pub overlaid: bool,
}

/// Applies profile and `--set`; every profile is checked, the one asked for is used.
pub(super) fn apply(
    tree: Tree,
    catalog: &Catalog,
    options: &Options,
    problems: &mut Collector<'_>,
) -> Applied {
    let mut base = profiles(tree, catalog, options, problems);
    let mut for_variants = Vec::new();
    for text in &options.sets {
        let Some(setting) = read_set(text, options, problems) else { continue };
        let varies = setting.path.first().is_some_and(|part| VARIABLE_PARTS.contains(&part));
        let variants = base.get("variants").and_then(Tree::map).is_some_and(|variants| !variants.is_empty());
        let result = overlay::apply(&mut base, &setting, catalog);
        if varies && variants {
            let somewhere = result.is_ok() || somewhere(&base, &setting, catalog);
            if !somewhere && let Err(complaint) = result {
                problems.add(&setting.key, &setting.path, complaint);
            }
            for_variants.push(setting);
        } else if let Err(complaint) = result {
            problems.add(&setting.key, &setting.path, complaint);
        }
    }
    let overlaid = options.profile.is_some() || !options.sets.is_empty();
    Applied { base, for_variants, overlaid }
}

/// Whether a path exists in at least one variant.
fn somewhere(base: &Tree, setting: &Setting, catalog: &Catalog) -> bool {
    let variants = base.get("variants").and_then(Tree::map).into_iter().flatten();
    variants.into_iter().any(|(_, entry)| {
        let mut tree = base.clone();
        for own in overlay::settings(entry.tree.get("set")) {
            let _unchecked = overlay::apply(&mut tree, &own, catalog);
        }
        overlay::resolve(&tree, setting, catalog).is_ok()
    })
}

fn profiles(tree: Tree, catalog: &Catalog, options: &Options, problems: &mut Collector<'_>) -> Tree {
    let empty = Tree::empty(Origin::Nowhere);
    let profiles = tree.get("profiles").cloned().unwrap_or(empty);
    let known: Vec<&str> = profiles.map().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let mut chosen = None;
    for name in &known {
        let mut changed = tree.clone();
        for setting in overlay::settings(profiles.get(name)) {
            if let Err(complaint) = overlay::apply(&mut changed, &setting, catalog) {
                let path = Path::of(&["profiles", name]).join(&setting.path);
                problems.add(&setting.key, &path, complaint);
            }
        }
        if options.profile.as_deref() == Some(*name) {
            chosen = Some(changed);
        } else {
            let requirements = Requirements::OutsideVariableParts;
            Reader { root: &changed, catalog, problems, requirements }.scenario();
        }
    }
    if let Some(wanted) = options.profile.as_deref().filter(|wanted| !known.contains(wanted)) {
        let complaint =
            Complaint::new(format!("unknown profile `{wanted}`")).among(wanted, known.iter().copied());
        let allowed =
            if known.is_empty() { "the scenario has no `profiles:`".to_owned() } else { one_of(&known) };
        problems.add(
            &tree.locate(&Path::of(&["profiles"])),
            &Path::of(&["profiles"]),
            complaint.allowed(allowed),
        );
    }
    chosen.unwrap_or(tree)
}

/// Reads `PATH=YAML`. The value is never shown: it may be a password.
fn read_set(text: &str, options: &Options, problems: &mut Collector<'_>) -> Option<Setting> {
    let Some((path, value)) = text.split_once('=').filter(|(path, _)| !path.trim().is_empty()) else {
        let complaint = Complaint::new("a `--set` without `=`")
            .allowed("`--set PATH=YAML`, for example `--set repeat=3`");
        problems.add(&Origin::Nowhere, &Path::default(), complaint);
        return None;
    };
    let path = path.trim();
    let origin = Origin::Set(Arc::from(path));
    let mut inner = Collector::new(value);
    let mut tree = match value.trim() {
        "" => Some(Tree::scalar("null", Style::Plain)),
        _ => parse::parse_within(value, &mut inner),
    };
    if let Some(tree) = &mut tree {
        environment::expand(tree, &Path::default(), &options.environment, &mut inner);
    }
    for problem in inner.finish() {
        let complaint =
            Complaint { message: problem.message, allowed: problem.allowed, ..Complaint::default() };
        problems.add(&origin, &Path::dotted(path), complaint);
    }
    Some(Setting { path: Path::dotted(path), key: origin.clone(), value: tree?.with_origin(&origin) })
}

/// The tree of one variant, without what stands around the variants.
pub(super) fn variant(
    applied: &Applied,
    name: &str,
    catalog: &Catalog,
    problems: &mut Collector<'_>,
) -> Tree {
    let own = applied.base.get("variants").and_then(|variants| variants.get(name));
    let mut tree = applied.base.clone();
    for setting in overlay::settings(own.and_then(|own| own.get("set"))) {
        let path = Path::of(&["variants", name, "set"]).join(&setting.path);
        let part = setting.path.first().unwrap_or_default();
        let known = crate::scenario::language::scenario().key(part).is_some();
        if known && !VARIABLE_PARTS.contains(&part) {
            let complaint = Complaint::new(format!("variants cannot differ in `{part}`"));
            problems.add(
                &setting.key,
                &path,
                complaint.allowed(format!("paths below {}", one_of(&VARIABLE_PARTS))),
            );
        } else if let Err(complaint) = overlay::apply(&mut tree, &setting, catalog) {
            problems.add(&setting.key, &path, complaint);
        }
    }
    for setting in &applied.for_variants {
        // A path that this variant lacks was found in another one, or complained about already.
        let _elsewhere = overlay::apply(&mut tree, setting, catalog);
    }
    if let Some(map) = tree.map_mut() {
        map.retain(|key, _| !AROUND_VARIANTS.contains(&key.as_str()));
    }
    tree
}

/// The document that means the same without options: no profiles, and every variant that sets the same as a `--set` gets it
/// too, as its last word.
pub(super) fn document(applied: &Applied, driver: Option<DriverKind>) -> Tree {
    let mut tree = applied.base.clone();
    let Some(map) = tree.map_mut() else { return tree };
    map.shift_remove("profiles");
    if let Some(driver) = driver {
        let name = match driver {
            DriverKind::Docker => "docker",
            DriverKind::Fake => "fake",
        };
        map.insert("driver".to_owned(), entry(Tree::scalar(name, Style::Plain)));
    }
    let variants = map.get_mut("variants").and_then(|entry| entry.tree.map_mut());
    for own in variants.into_iter().flatten().filter_map(|(_, entry)| entry.tree.map_mut()) {
        let Some(sets) = own.get_mut("set").and_then(|entry| entry.tree.map_mut()) else { continue };
        for setting in &applied.for_variants {
            let touched = sets.keys().any(|path| touches(&Path::dotted(path), &setting.path));
            if touched {
                let path = setting.path.to_string();
                sets.shift_remove(&path);
                sets.insert(path, entry(setting.value.clone()));
            }
        }
    }
    tree
}

fn entry(tree: Tree) -> Entry {
    Entry { key: Origin::Nowhere, tree }
}

/// Whether a variant's setting says something about what a `--set` says, or stands beside it in the same mapping, where one
/// key may drive out another.
fn touches(path: &Path, set: &Path) -> bool {
    let above = |path: &Path| path.0.split_last().map(|(_, above)| above.to_vec());
    path.overlaps(set) || above(path) == above(set)
}
