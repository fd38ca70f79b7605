//! A scenario text as a tree that remembers where each value was written. Reading text is `parse`'s business.

use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Number;

use crate::scenario::path::Path;
use crate::scenario::path::Step;

/// Where a value or key was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// Byte range of the scenario's text.
    Text(Range<usize>),
    /// The path of a `--set`.
    Set(Arc<str>),
    /// Nowhere a person could look: a default, or a resumed document.
    Nowhere,
}

/// How a scalar was written, which decides what it may mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Without quotes: text, number, `true`, `false` or nothing.
    Plain,
    /// In quotes or as a block: always text.
    Quoted,
    /// From the environment or a resumed document: text that may also be read as a number or flag, never as nothing.
    Lenient,
}

/// A scalar, unresolved: what it means is the language's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scalar {
    /// Its text after YAML's escapes and the environment.
    pub text: String,
    /// How it was written.
    pub style: Style,
    /// The text with its `${…}`, when it had any.
    pub source: Option<String>,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// One scalar.
    Scalar(Scalar),
    /// A sequence.
    List(Vec<Tree>),
    /// A mapping, in its order.
    Map(IndexMap<String, Entry>),
}

/// A mapping's entry.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// Where the key was written.
    pub key: Origin,
    /// Its value.
    pub tree: Tree,
}

/// A value with its origin.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tree {
    /// The value.
    pub value: Value,
    /// Where it was written.
    pub origin: Origin,
}

impl Tree {
    /// A scalar that came from nowhere in the text.
    pub(super) fn scalar(text: impl Into<String>, style: Style) -> Self {
        let scalar = Scalar { text: text.into(), style, source: None };
        Self { value: Value::Scalar(scalar), origin: Origin::Nowhere }
    }

    /// An empty mapping.
    pub(super) fn empty(origin: Origin) -> Self {
        Self { value: Value::Map(IndexMap::new()), origin }
    }

    /// Whether it says nothing: an empty value, `~` or `null`.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar) if scalar.style == Style::Plain
            && matches!(scalar.text.as_str(), "" | "~" | "null"))
    }

    /// The scalar's text, when it is one and not null.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(scalar) if !self.is_null() => Some(&scalar.text),
            _ => None,
        }
    }

    /// The mapping, when it is one.
    pub(super) fn map(&self) -> Option<&IndexMap<String, Entry>> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The mapping, to change it.
    pub(super) fn map_mut(&mut self) -> Option<&mut IndexMap<String, Entry>> {
        match &mut self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The sequence, when it is one.
    pub(super) fn list(&self) -> Option<&[Tree]> {
        match &self.value {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    /// A mapping's value.
    pub(super) fn get(&self, key: &str) -> Option<&Tree> {
        Some(&self.map()?.get(key)?.tree)
    }

    /// The value at a path.
    pub(super) fn at(&self, path: &Path) -> Option<&Tree> {
        path.0.iter().try_fold(self, |tree, step| match step {
            Step::Key(key) => tree.get(key),
            Step::Index(index) => tree.list()?.get(*index),
        })
    }

    /// The value at a path, to change it.
    pub(super) fn at_mut(&mut self, path: &Path) -> Option<&mut Tree> {
        path.0.iter().try_fold(self, |tree, step| match (step, &mut tree.value) {
            (Step::Key(key), Value::Map(map)) => Some(&mut map.get_mut(key)?.tree),
            (Step::Index(index), Value::List(list)) => list.get_mut(*index),
            _ => None,
        })
    }

    /// Where a problem with the value at `path` should point: a scalar itself, a collection's key, and for a value
    /// that is not there the nearest thing above it.
    pub(super) fn locate(&self, path: &Path) -> Origin {
        let mut found = match &self.origin {
            Origin::Text(range) => Origin::Text(range.start..range.start),
            other => other.clone(),
        };
        let mut tree = self;
        for step in &path.0 {
            let next = match step {
                Step::Key(key) => {
                    tree.map().and_then(|map| map.get(key)).map(|entry| (&entry.key, &entry.tree))
                }
                Step::Index(index) => {
                    tree.list().and_then(|list| list.get(*index)).map(|item| (&item.origin, item))
                }
            };
            let Some((key, value)) = next else { return found };
            let scalar = matches!(value.value, Value::Scalar(_)) && !value.is_null();
            found = if scalar { value.origin.clone() } else { key.clone() };
            tree = value;
        }
        found
    }

    /// Where the key of the value at `path` was written; the nearest thing above it when there is none.
    pub(super) fn locate_key(&self, path: &Path) -> Origin {
        let above = Path(path.0[..path.0.len().saturating_sub(1)].to_vec());
        match (self.at(&above).and_then(Self::map), path.0.last()) {
            (Some(map), Some(Step::Key(key))) if map.contains_key(key) => map[key].key.clone(),
            _ => self.locate(path),
        }
    }

    /// The number of values in it, itself included.
    pub(super) fn size(&self) -> usize {
        1 + match &self.value {
            Value::Scalar(_) => 0,
            Value::List(list) => list.iter().map(Self::size).sum::<usize>(),
            Value::Map(map) => map.values().map(|entry| entry.tree.size()).sum(),
        }
    }

    /// Gives the whole tree one origin.
    pub(super) fn with_origin(mut self, origin: &Origin) -> Self {
        self.origin = origin.clone();
        match &mut self.value {
            Value::Scalar(_) => {}
            Value::List(list) => {
                *list = std::mem::take(list).into_iter().map(|item| item.with_origin(origin)).collect();
            }
            Value::Map(map) => {
                for entry in map.values_mut() {
                    entry.key = origin.clone();
                    let tree = std::mem::replace(&mut entry.tree, Self::empty(Origin::Nowhere));
                    entry.tree = tree.with_origin(origin);
                }
            }
        }
        self
    }

    /// A manifest's value or a resumed document.
    pub(super) fn from_json(value: &serde_json::Value) -> Self {
        let value = match value {
            serde_json::Value::Null => return Self::scalar("null", Style::Plain),
            serde_json::Value::Bool(flag) => return Self::scalar(flag.to_string(), Style::Plain),
            serde_json::Value::Number(number) => return Self::scalar(number.to_string(), Style::Plain),
            serde_json::Value::String(text) => return Self::scalar(text.clone(), Style::Lenient),
            serde_json::Value::Array(items) => Value::List(items.iter().map(Self::from_json).collect()),
            serde_json::Value::Object(map) => Value::Map(
                map.iter()
                    .map(|(key, value)| {
                        (key.clone(), Entry { key: Origin::Nowhere, tree: Self::from_json(value) })
                    })
                    .collect(),
            ),
        };
        Self { value, origin: Origin::Nowhere }
    }

    /// A manifest's value; what JSON cannot say (a non-text key) becomes nothing, which the manifest's own checks refuse.
    pub(super) fn from_yaml(value: &serde_yaml::Value) -> Self {
        Self::from_json(&serde_json::to_value(value).unwrap_or(serde_json::Value::Null))
    }

    /// As JSON. `mask` gives the text to write instead of a scalar's own, by path.
    pub(super) fn to_json(&self, path: &Path, mask: &dyn Fn(&Path) -> Option<String>) -> serde_json::Value {
        match &self.value {
            Value::Scalar(scalar) => match mask(path) {
                Some(text) => serde_json::Value::String(text),
                None => scalar.to_json(),
            },
            Value::List(list) => list
                .iter()
                .enumerate()
                .map(|(position, item)| item.to_json(&path.index(position), mask))
                .collect(),
            Value::Map(map) => serde_json::Value::Object(
                map.iter()
                    .map(|(key, entry)| (key.clone(), entry.tree.to_json(&path.key(key), mask)))
                    .collect(),
            ),
        }
    }
}

impl Scalar {
    /// Numbers are written as numbers only if reading them back gives the same text.
    fn to_json(&self) -> serde_json::Value {
        let text = || serde_json::Value::String(self.text.clone());
        if self.style != Style::Plain {
            return text();
        }
        match self.text.as_str() {
            "" | "~" | "null" => serde_json::Value::Null,
            "true" => serde_json::Value::Bool(true),
            "false" => serde_json::Value::Bool(false),
            other => match other.parse::<Number>() {
                Ok(number) if number.to_string() == *other => serde_json::Value::Number(number),
                _ => text(),
            },
        }
    }
}
