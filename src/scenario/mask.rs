//! Which values of a document are secret, and what stands in their place in a run folder.

use crate::catalog::Catalog;
use crate::model::secret::MASK;
use crate::scenario::conceal::is_secret_header;
use crate::scenario::conceal::is_secret_key;
use crate::scenario::language;
use crate::scenario::overlay;
use crate::scenario::overlay::Setting;
use crate::scenario::path::Path;
use crate::scenario::shape::Shape;
use crate::scenario::software::fields_by_name;
use crate::scenario::software::software_of;
use crate::scenario::tree::Tree;
use crate::scenario::tree::Value;

/// Paths of all secret scalars of a document: parameters of kind secret, keys named `password`, headers that carry a login.
pub(super) fn masked(document: &Tree, catalog: &Catalog) -> Vec<Path> {
    let mut walk = Walk { document, catalog, found: Vec::new() };
    walk.value(document, Some(&Shape::Struct(language::scenario())), &Path::default());
    walk.found
}

/// The text that stands for a secret: its `${…}` as written, or the mask.
pub(super) fn mask(tree: &Tree) -> String {
    match &tree.value {
        Value::Scalar(scalar) => scalar.source.clone().unwrap_or_else(|| MASK.to_owned()),
        _ => MASK.to_owned(),
    }
}

struct Walk<'a> {
    document: &'a Tree,
    catalog: &'a Catalog,
    found: Vec<Path>,
}

impl Walk<'_> {
    fn value(&mut self, tree: &Tree, shape: Option<&Shape>, path: &Path) {
        match &tree.value {
            Value::Scalar(_) if matches!(shape, Some(Shape::Secret)) && !tree.is_null() => {
                self.found.push(path.clone())
            }
            Value::Scalar(_) => {}
            Value::List(list) => {
                let item = match shape {
                    Some(Shape::List { item, .. }) => Some(&**item),
                    _ => None,
                };
                for (position, tree) in list.iter().enumerate() {
                    self.value(tree, item, &path.index(position));
                }
            }
            Value::Map(map) => {
                for (key, entry) in map {
                    self.entry(key, &entry.tree, shape, path);
                }
            }
        }
    }

    fn entry(&mut self, key: &str, tree: &Tree, parent: Option<&Shape>, path: &Path) {
        let here = path.key(key);
        let last = key.rsplit('.').next().unwrap_or(key);
        // A header below a dotted key, `target.headers.Cookie`, is as secret as one in a mapping.
        if (is_secret_key(last) || is_secret_header(last))
            && matches!(tree.value, Value::Scalar(_))
            && !tree.is_null()
        {
            self.found.push(here);
            return;
        }
        let shape = match parent {
            Some(Shape::Struct(fields)) => fields.key(key).map(|key| key.shape.clone()),
            Some(Shape::Map { value, .. }) => match &**value {
                Shape::Service(_) => {
                    let other = self.document.at(path).and_then(|services| services.get(key));
                    let software = tree.get("software").and_then(Tree::text);
                    let software = software.or(other.map(|service| software_of(key, service)));
                    Some(Shape::Service(Some(software.unwrap_or(key).to_owned())))
                }
                other => Some(other.clone()),
            },
            Some(Shape::Service(software)) => {
                let fields = software.as_ref().and_then(|software| fields_by_name(software, self.catalog));
                fields.and_then(|fields| fields.key(key).map(|key| key.shape.clone()))
            }
            Some(Shape::Sets) => {
                let setting =
                    Setting { path: Path::dotted(key), key: tree.origin.clone(), value: tree.clone() };
                overlay::resolve(self.document, &setting, self.catalog).ok()
            }
            _ => None,
        };
        self.value(tree, shape.as_ref(), &here);
    }
}
