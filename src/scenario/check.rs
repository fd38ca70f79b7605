//! The way from a scenario's text, or a run's document, to an experiment: the order of overlays and checks.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use crate::catalog::Catalog;
use crate::model::experiment::DriverKind;
use crate::model::experiment::Experiment;
use crate::model::experiment::Language;
use crate::model::experiment::Order;
use crate::model::experiment::ReportSettings;
use crate::model::experiment::Variant;
use crate::model::parameter::ParameterValue;
use crate::model::secret::Secret;
use crate::scenario::environment;
use crate::scenario::environment::Defaults;
use crate::scenario::language;
use crate::scenario::locator::Locator;
use crate::scenario::lower;
use crate::scenario::mask;
use crate::scenario::parse;
use crate::scenario::path::Path;
use crate::scenario::problem::Collector;
use crate::scenario::problem::Complaint;
use crate::scenario::problem::Problem;
use crate::scenario::problem::Problems;
use crate::scenario::read;
use crate::scenario::read::Reader;
use crate::scenario::read::Requirements;
use crate::scenario::read::Values;
use crate::scenario::sets;
use crate::scenario::tree::Origin;
use crate::scenario::tree::Style;
use crate::scenario::tree::Tree;
use crate::scenario::tree::Value;

/// What a call adds to the text of a scenario.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `--profile`.
    pub profile: Option<String>,
    /// `--set PATH=YAML`, in order.
    pub sets: Vec<String>,
    /// Environment variables for `${…}`.
    pub environment: BTreeMap<String, String>,
    /// `--driver`; the scenario's own when absent.
    pub driver: Option<DriverKind>,
}

/// A scenario in which nothing is wrong.
#[derive(Debug, Clone)]
pub struct Checked {
    /// What is meant.
    pub experiment: Experiment,
    /// The scenario with profile and `--set` applied, secrets masked: what [`from_document`] reads again.
    pub document: serde_json::Value,
    /// Real values of the masked fields, by YAML path in the document.
    pub secrets: BTreeMap<String, Secret>,
    /// What is doubtful.
    pub warnings: Vec<Problem>,
    /// Lines by path.
    pub locator: Locator,
}

/// Checks a scenario's text.
///
/// # Errors
/// Every problem of the text and of the options.
pub fn check(text: &str, catalog: &Catalog, options: &Options) -> Result<Checked, Problems> {
    let mut problems = Collector::new(text);
    let Some(mut tree) = parse::parse(&mut problems) else { return Err(Problems(problems.finish())) };
    if tree.map().is_none() {
        let complaint =
            Complaint::new("this is not a scenario").allowed("a mapping that begins with `name:`");
        problems.add(&tree.origin, &Path::default(), complaint);
        return Err(Problems(problems.finish()));
    }
    environment::expand(&mut tree, &Path::default(), &options.environment, &mut problems);
    problems.conceal(mask::masked(&tree, catalog).iter().map(|path| tree.locate(path)));
    let applied = sets::apply(tree, catalog, options, &mut problems);
    finish(applied, catalog, options.driver, problems)
}

/// Reads the document of a run again: what `run --resume` goes on with. Masked fields get their value from `secrets`, else
/// from the environment variable they name.
///
/// # Errors
/// Fields whose value is nowhere to be found, and whatever [`check`] finds.
pub fn from_document(
    document: &serde_json::Value,
    secrets: &BTreeMap<String, Secret>,
    catalog: &Catalog,
    environment: &BTreeMap<String, String>,
) -> Result<Checked, Problems> {
    let mut problems = Collector::new("");
    let mut tree = Tree::from_json(document);
    let driver = take_fake_driver(&mut tree);
    for path in mask::masked(&tree, catalog) {
        if let Err(complaint) = fill(&mut tree, &path, secrets, environment) {
            problems.add(&Origin::Nowhere, &path, complaint);
        }
    }
    let applied = sets::Applied { base: tree, for_variants: Vec::new(), overlaid: true };
    finish(applied, catalog, driver, problems)
}

/// A document of the fake driver says so, which no scenario may.
fn take_fake_driver(tree: &mut Tree) -> Option<DriverKind> {
    let driver = &mut tree.map_mut()?.get_mut("driver")?.tree;
    if driver.text() != Some("fake") {
        return None;
    }
    *driver = Tree::scalar("docker", Style::Plain);
    Some(DriverKind::Fake)
}

/// Gives a masked field its value back.
fn fill(
    tree: &mut Tree,
    path: &Path,
    secrets: &BTreeMap<String, Secret>,
    environment: &BTreeMap<String, String>,
) -> Result<(), Complaint> {
    let Some(Value::Scalar(scalar)) = tree.at_mut(path).map(|tree| &mut tree.value) else { return Ok(()) };
    let written = scalar.text.clone();
    let named = written.contains("${");
    scalar.text = match secrets.get(&path.to_string()) {
        Some(secret) => secret.reveal().to_owned(),
        None if named => environment::substitute(&written, environment, Defaults::Refused)?,
        None => {
            return Err(Complaint::new(format!("the value of `{path}` was not kept with the run"))
                .allowed("the lab's state, or a scenario that names an environment variable: `${NAME}`"));
        }
    };
    scalar.style = Style::Lenient;
    scalar.source = named.then_some(written);
    Ok(())
}

/// From the tree with all overlays to the experiment.
fn finish(
    applied: sets::Applied,
    catalog: &Catalog,
    driver: Option<DriverKind>,
    mut problems: Collector<'_>,
) -> Result<Checked, Problems> {
    let base = &applied.base;
    let names: Vec<String> = base
        .get("variants")
        .and_then(Tree::map)
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    let too_many = names.len() as u64 > language::VARIANTS_MAX;
    problems.expect_variants(names.len());
    let requirements = if names.is_empty() { Requirements::All } else { Requirements::OutsideVariableParts };
    let whole = Reader { root: base, catalog, problems: &mut problems, requirements }.scenario();
    let mut locator = Locator::default();
    locator.add(base, problems.text());
    let mut variants = IndexMap::new();
    let mut levels = IndexMap::new();
    let lowered = if names.is_empty() { vec!["base".to_owned()] } else { names.clone() };
    for name in lowered.iter().filter(|_| !too_many) {
        problems.enter(names.contains(name).then_some(name.as_str()));
        let (variant, known) = lower_variant(&applied, name, &whole, catalog, &mut problems, &mut locator);
        levels.insert(name.clone(), known);
        if let Some(variant) = variant {
            variants.insert(name.clone(), variant);
        }
    }
    problems.enter(None);
    let mut around =
        lower::Around { tree: base, levels: &levels, overlaid: applied.overlaid, problems: &mut problems };
    let questions = lower::questions(&mut around, &whole);
    let thresholds = lower::thresholds(&mut around, &whole);
    let evidence = lower::evidence(&mut around, catalog, &variants, &whole);
    let verify = lower::verify(&mut around, &variants, &whole);
    let published = lower::published(&mut around, &whole);
    if problems.failed() {
        return Err(Problems(problems.finish()));
    }
    let (document, secrets) = document(&applied, catalog, driver);
    let frame = frame(&whole, driver);
    let experiment = Experiment { variants, questions, thresholds, evidence, verify, published, ..frame };
    Ok(Checked { experiment, document, secrets, warnings: problems.finish(), locator })
}

/// Everything of the experiment but its variants.
fn frame(values: &Values, driver: Option<DriverKind>) -> Experiment {
    let name = read::text(values, "name").unwrap_or_default();
    let report = read::map(values, "report");
    let line = |key: &str| report.and_then(|report| read::text(report, key)).unwrap_or_default();
    let order = if read::text(values, "order").as_deref() == Some("sequential") {
        Order::Sequential
    } else {
        Order::Random
    };
    Experiment {
        title: read::text(values, "title").unwrap_or_else(|| name.clone()),
        name,
        driver: driver.unwrap_or(DriverKind::Docker),
        report: ReportSettings {
            author: line("author"),
            course: line("course"),
            language: if line("language") == "es" { Language::Es } else { Language::En },
        },
        variants: IndexMap::new(),
        repeat: read::count(values, "repeat").and_then(|repeat| u32::try_from(repeat).ok()).unwrap_or(5),
        order,
        questions: Vec::new(),
        thresholds: Vec::new(),
        evidence: Vec::new(),
        verify: Vec::new(),
        published: None,
    }
}

/// One variant, and the names of its levels when its load could be read.
fn lower_variant(
    applied: &sets::Applied,
    name: &str,
    whole: &Values,
    catalog: &Catalog,
    problems: &mut Collector<'_>,
    locator: &mut Locator,
) -> (Option<Variant>, Option<Vec<String>>) {
    let tree = sets::variant(applied, name, catalog, problems);
    locator.add(&tree, problems.text());
    let values = Reader { root: &tree, catalog, problems, requirements: Requirements::All }.scenario();
    let empty = Values::new();
    let own = match read::map(whole, "variants").and_then(|variants| variants.get(name)) {
        Some(ParameterValue::Map(map)) => map,
        _ => &empty,
    };
    let place = Path::of(&["variants", name]);
    let mut context = lower::Context { tree: &tree, catalog, problems };
    let mut topology = lower::topology(&mut context, &values);
    let mut around = lower::Context { tree: &applied.base, catalog, problems: context.problems };
    lower::toggle(&mut around, &mut topology, own, &place);
    let mut context = lower::Context { tree: &tree, catalog, problems: around.problems };
    let graph = lower::relations(&mut context, &mut topology);
    lower::clashes(&mut context, &topology, graph);
    lower::budgets(&mut context, &values, &topology);
    lower::networks(&mut context, &values, &topology);
    let target = lower::target(&mut context, &values, &topology);
    let load = lower::load(&mut context, &values);
    let mut around = lower::Context { tree: &applied.base, catalog, problems: context.problems };
    let actions = lower::actions(&mut around, (&topology, load.as_ref()), own, &place);
    let levels =
        load.as_ref().map(|load| load.levels.iter().map(|level| level.name.clone()).collect::<Vec<_>>());
    let levels = levels.filter(|levels| !levels.is_empty());
    let title = read::text(own, "title").unwrap_or_else(|| name.to_owned());
    let variant = match (target, load) {
        (Some(target), Some(load)) => {
            Some(Variant { name: name.to_owned(), title, topology, target, load, actions })
        }
        _ => None,
    };
    (variant, levels)
}

/// The masked document and the real values of what is masked in it.
fn document(
    applied: &sets::Applied,
    catalog: &Catalog,
    driver: Option<DriverKind>,
) -> (serde_json::Value, BTreeMap<String, Secret>) {
    let tree = sets::document(applied, driver);
    let mut masks = BTreeMap::new();
    let mut secrets = BTreeMap::new();
    for path in mask::masked(&tree, catalog) {
        let Some(field) = tree.at(&path) else { continue };
        masks.insert(path.clone(), mask::mask(field));
        secrets.insert(path.to_string(), Secret::new(field.text().unwrap_or_default()));
    }
    (tree.to_json(&Path::default(), &|path| masks.get(path).cloned()), secrets)
}
