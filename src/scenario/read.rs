//! A tree held against the language's shapes: unknown keys, wrong types and units, missing keys; what fits comes back as values.
//! What values mean together is for `lower`.

use indexmap::IndexMap;

use crate::catalog::Catalog;
use crate::model::parameter::ParameterValue;
use crate::model::secret::MASK;
use crate::model::secret::Secret;
use crate::scenario::conceal::is_secret_header;
use crate::scenario::conceal::is_secret_key;
use crate::scenario::language;
use crate::scenario::path::Path;
use crate::scenario::path::Step;
use crate::scenario::problem::Collector;
use crate::scenario::problem::Complaint;
use crate::scenario::scalar;
use crate::scenario::shape::Bounds;
use crate::scenario::shape::Fields;
use crate::scenario::shape::Key;
use crate::scenario::shape::Shape;
use crate::scenario::shape::TextRule;
use crate::scenario::software::fields_by_name;
use crate::scenario::software::software_of;
use crate::scenario::together;
use crate::scenario::tree::Entry;
use crate::scenario::tree::Tree;
use crate::scenario::tree::Value;

/// Values by key.
pub(super) type Values = IndexMap<String, ParameterValue>;

/// Which required keys must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Requirements {
    /// All: this is what a lab is built from.
    All,
    /// All but those that each variant may bring.
    OutsideVariableParts,
}

/// Reads one tree.
pub(super) struct Reader<'a, 'p, 'c> {
    /// The whole tree, for places.
    pub root: &'a Tree,
    /// Software.
    pub catalog: &'a Catalog,
    /// Where problems go.
    pub problems: &'p mut Collector<'c>,
    /// What must be there.
    pub requirements: Requirements,
}

impl Reader<'_, '_, '_> {
    /// Reads the whole tree.
    pub(super) fn scenario(&mut self) -> Values {
        self.fields(self.root, &language::scenario(), &Path::default())
    }

    fn complain(&mut self, path: &Path, complaint: Complaint) {
        self.problems.at(self.root, path, complaint);
    }

    /// Reads a mapping with fixed keys.
    fn fields(&mut self, tree: &Tree, fields: &Fields, path: &Path) -> Values {
        let empty = IndexMap::new();
        let map = tree.map().unwrap_or(&empty);
        let mut misspelt = Vec::new();
        for name in map.keys().filter(|name| fields.key(name).is_none()) {
            let here = path.key(name);
            let complaint = unknown_key(name, fields);
            misspelt.extend(complaint.nearest.clone());
            self.problems.add(&self.root.locate_key(&here), &here, complaint);
        }
        let given: Vec<&str> = map.keys().map(String::as_str).collect();
        for (key, complaint) in together::complaints(fields, &given, &misspelt) {
            let here = key.map_or_else(|| path.clone(), |key| path.key(key));
            self.problems.add(&self.root.locate_key(&here), &here, complaint);
        }
        let mut values = Values::new();
        for key in &fields.keys {
            let here = path.key(&key.name);
            let given = map.get(&key.name).map(|entry| &entry.tree);
            let Some(tree) = given.or(key.default.as_ref()) else {
                // A misspelt key is not missing as well.
                if !misspelt.contains(&key.name) {
                    self.missing(key, path);
                }
                continue;
            };
            let shape = shape_of_entry(&key.name, &key.shape);
            if let Some(value) = self.value(tree, &shape, &here, &key.doc) {
                values.insert(key.name.clone(), value);
            }
        }
        values
    }

    fn missing(&mut self, key: &Key, path: &Path) {
        let part = path.first().unwrap_or(&key.name);
        let expected = self.requirements == Requirements::All || !language::VARIABLE_PARTS.contains(&part);
        if key.required && expected {
            let complaint = Complaint::new(format!("`{}` is missing", key.name));
            let allowed = format!("{} ({})", key.shape.describe(), key.doc);
            self.complain(&path.key(&key.name), complaint.allowed(allowed));
        }
    }

    /// Reads any value; nothing comes back for what does not fit.
    fn value(&mut self, tree: &Tree, shape: &Shape, path: &Path, doc: &str) -> Option<ParameterValue> {
        let collection =
            matches!(shape, Shape::Struct(_) | Shape::Map { .. } | Shape::Service(_) | Shape::Sets);
        if tree.is_null() && !collection {
            let complaint = Complaint::new("nothing is given here").allowed(with_doc(&shape.describe(), doc));
            self.complain(path, complaint);
            return None;
        }
        let shape = shape.form(&tree.value).unwrap_or(shape);
        match (shape, &tree.value) {
            (Shape::Struct(fields), Value::Map(_)) => {
                Some(ParameterValue::Map(self.fields(tree, fields, path)))
            }
            (Shape::Struct(fields), _) if tree.is_null() => {
                Some(ParameterValue::Map(self.fields(tree, fields, path)))
            }
            (Shape::Service(_), Value::Map(_)) => Some(self.service(tree, path)),
            (Shape::Service(_), _) if tree.is_null() => Some(self.service(tree, path)),
            (Shape::Map { names, value, size }, Value::Map(map)) => {
                Some(self.map(map, (*names, value, *size), path, doc))
            }
            (Shape::Map { names, value, size }, _) if tree.is_null() => {
                Some(self.map(&IndexMap::new(), (*names, value, *size), path, doc))
            }
            (Shape::List { item, size }, Value::List(list)) => self.list(list, (item, *size), path, doc),
            (Shape::Reference, Value::List(list)) => {
                self.list(list, (&Shape::Text(TextRule::Filled), Bounds::default()), path, doc)
            }
            (Shape::Sets, Value::Map(_)) => Some(ParameterValue::Map(Values::new())),
            (Shape::Sets, _) if tree.is_null() => Some(ParameterValue::Map(Values::new())),
            (_, Value::Scalar(written)) => match scalar::read(written, shape) {
                Ok(value) => Some(value),
                Err(complaint) => {
                    let secret = path
                        .0
                        .last()
                        .is_some_and(|step| matches!(step, Step::Key(key) if is_secret_header(key)));
                    let complaint = if secret { concealed(complaint, &written.text) } else { complaint };
                    let allowed = complaint.allowed.as_ref().map(|allowed| with_doc(allowed, doc));
                    self.complain(path, Complaint { allowed, ..complaint });
                    None
                }
            },
            (_, written) => {
                let found = if matches!(written, Value::List(_)) { "a list" } else { "a mapping" };
                let complaint = Complaint::new(format!("{found} cannot stand here"));
                self.complain(path, complaint.allowed(with_doc(&shape.describe(), doc)));
                None
            }
        }
    }

    fn map(
        &mut self,
        map: &IndexMap<String, Entry>,
        (names, shape, size): (TextRule, &Shape, Bounds<u64>),
        path: &Path,
        doc: &str,
    ) -> ParameterValue {
        let count = map.len() as u64;
        let expected = self.requirements == Requirements::All
            || !path.first().is_some_and(|part| language::VARIABLE_PARTS.contains(&part));
        if !size.holds(count) && (expected || count > 0) {
            let message =
                if count == 0 { "nothing is given here".to_owned() } else { format!("{count} are too many") };
            let limit = size
                .max
                .filter(|_| count > 0)
                .map_or("at least one".to_owned(), |max| format!("at most {max}"));
            self.complain(path, Complaint::new(message).allowed(with_doc(&limit, doc)));
        }
        let mut values = Values::new();
        for (name, entry) in map {
            let here = path.key(name);
            if !names.holds(name) {
                let complaint =
                    Complaint::new(format!("`{name}` cannot be a name here")).allowed(names.describe());
                self.problems.add(&entry.key, &here, complaint);
            }
            let shape = shape_of_entry(name, shape);
            if let Some(value) = self.value(&entry.tree, &shape, &here, "") {
                values.insert(name.clone(), value);
            }
        }
        ParameterValue::Map(values)
    }

    fn list(
        &mut self,
        list: &[Tree],
        (shape, size): (&Shape, Bounds<u64>),
        path: &Path,
        doc: &str,
    ) -> Option<ParameterValue> {
        if !size.holds(list.len() as u64) {
            let whole = Shape::List { item: Box::new(shape.clone()), size };
            let given = match list.len() {
                1 => "1 value is given here".to_owned(),
                count => format!("{count} values are given here"),
            };
            let complaint = Complaint::new(given);
            self.complain(path, complaint.allowed(with_doc(&whole.describe(), doc)));
            return None;
        }
        let read = list
            .iter()
            .enumerate()
            .filter_map(|(position, item)| self.value(item, shape, &path.index(position), doc));
        let values: Vec<ParameterValue> = read.collect();
        // A list with a hole would shift the positions that later problems name.
        (values.len() == list.len()).then_some(ParameterValue::List(values))
    }

    /// Reads a service: its keys depend on its software.
    fn service(&mut self, tree: &Tree, path: &Path) -> ParameterValue {
        let name =
            path.0.last().map(|_| path.key_at(path.0.len() - 1).unwrap_or_default()).unwrap_or_default();
        let software = software_of(name, tree).to_owned();
        let mut values = if let Some(fields) = fields_by_name(&software, self.catalog) {
            self.fields(tree, &fields, path)
        } else {
            let given = tree.get("software").is_some();
            let place = if given { path.key("software") } else { path.clone() };
            let mut complaint = Complaint::new(format!("unknown software `{software}`"))
                .among(&software, self.catalog.names());
            if !given {
                let hint = "a service is named after its software or says `software:`; known are";
                let more = "; `--templates DIR` adds your own";
                complaint.allowed = complaint.allowed.map(|known| format!("{hint} {known}{more}"));
            }
            self.complain(&place, complaint);
            Values::new()
        };
        values.insert("software".to_owned(), ParameterValue::Text(software));
        ParameterValue::Map(values)
    }
}

/// What to say about a key that is not one.
pub(super) fn unknown_key(name: &str, fields: &Fields) -> Complaint {
    if fields.later.contains(&name) {
        let known: Vec<&str> = fields.names().collect();
        return Complaint::new(format!("`{name}` is not supported by this version"))
            .allowed(crate::scenario::problem::one_of(&known));
    }
    Complaint::new(format!("unknown key `{name}` in {}", fields.name)).among(name, fields.names())
}

/// A text under the key `password` is a secret whatever its kind.
fn shape_of_entry(name: &str, shape: &Shape) -> Shape {
    match shape {
        Shape::Text(_) if is_secret_key(name) => Shape::Secret,
        other => other.clone(),
    }
}

/// The same complaint without the value it quotes.
fn concealed(complaint: Complaint, text: &str) -> Complaint {
    Complaint { message: complaint.message.replace(text, MASK), ..complaint }
}

fn with_doc(allowed: &str, doc: &str) -> String {
    if doc.is_empty() { allowed.to_owned() } else { format!("{allowed} ({doc})") }
}

/// Text of a value that is text, choice or secret.
pub(super) fn text(values: &Values, key: &str) -> Option<String> {
    match values.get(key)? {
        ParameterValue::Text(text) | ParameterValue::Choice(text) => Some(text.clone()),
        ParameterValue::Secret(secret) => Some(Secret::reveal(secret).to_owned()),
        _ => None,
    }
}

/// A whole number.
pub(super) fn count(values: &Values, key: &str) -> Option<u64> {
    match values.get(key)? {
        ParameterValue::Count(count) => Some(*count),
        _ => None,
    }
}

/// A flag.
pub(super) fn flag(values: &Values, key: &str) -> Option<bool> {
    match values.get(key)? {
        ParameterValue::Flag(flag) => Some(*flag),
        _ => None,
    }
}

/// A time.
pub(super) fn duration(values: &Values, key: &str) -> Option<std::time::Duration> {
    match values.get(key)? {
        ParameterValue::Duration(duration) => Some(*duration),
        _ => None,
    }
}

/// A size.
pub(super) fn bytes(values: &Values, key: &str) -> Option<crate::model::unit::ByteSize> {
    match values.get(key)? {
        ParameterValue::Bytes(bytes) => Some(*bytes),
        _ => None,
    }
}

/// A mapping.
pub(super) fn map<'a>(values: &'a Values, key: &str) -> Option<&'a Values> {
    match values.get(key)? {
        ParameterValue::Map(map) => Some(map),
        _ => None,
    }
}

/// A list; empty when it is not there.
pub(super) fn list<'a>(values: &'a Values, key: &str) -> &'a [ParameterValue] {
    match values.get(key) {
        Some(ParameterValue::List(list)) => list,
        _ => &[],
    }
}

/// A list of texts; empty when it is not there.
pub(super) fn texts(values: &Values, key: &str) -> Vec<String> {
    list(values, key)
        .iter()
        .filter_map(|value| match value {
            ParameterValue::Text(text) => Some(text.clone()),
            _ => None,
        })
        .collect()
}
