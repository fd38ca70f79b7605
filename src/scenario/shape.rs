//! What a value of the language may be. Checking, suggestions, JSON Schema and reference all derive from these shapes;
//! the table itself is in `language`, and the shapes of software parameters in `software`.

use std::time::Duration;

use crate::model::unit::ByteSize;
use crate::model::unit::show_duration;
use crate::scenario::tree::Origin;
use crate::scenario::tree::Style;
use crate::scenario::tree::Tree;
use crate::scenario::tree::Value;

/// Smallest and largest legal value.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Bounds<T> {
    /// Smallest.
    pub min: Option<T>,
    /// Largest.
    pub max: Option<T>,
}

impl<T: PartialOrd + Copy> Bounds<T> {
    /// No less than this.
    pub(super) const fn at_least(min: T) -> Self {
        Self { min: Some(min), max: None }
    }

    /// Between two values, both legal.
    pub(super) const fn between(min: T, max: T) -> Self {
        Self { min: Some(min), max: Some(max) }
    }

    /// Whether a value is legal.
    pub(super) fn holds(&self, value: T) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
    }

    /// ` from 1 to 5`, ` of at least 1`, or nothing.
    fn show(&self, show: impl Fn(T) -> String) -> String {
        match (self.min, self.max) {
            (Some(min), Some(max)) => format!(" from {} to {}", show(min), show(max)),
            (Some(min), None) => format!(" of at least {}", show(min)),
            (None, Some(max)) => format!(" of at most {}", show(max)),
            (None, None) => String::new(),
        }
    }
}

/// What a text must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextRule {
    /// Anything.
    Any,
    /// Anything but nothing.
    Filled,
    /// The scenario's name.
    ScenarioName,
    /// The name of a node, service, variant or profile.
    Name,
    /// The name of a level.
    LevelName,
    /// A distribution package.
    Package,
    /// An image name with an optional tag.
    Image,
    /// A header's name.
    HeaderName,
    /// A header's value.
    HeaderValue,
    /// The path of a URL.
    UrlPath,
}

impl TextRule {
    /// Whether a text obeys.
    pub(super) fn holds(self, text: &str) -> bool {
        match self {
            Self::Any => !text.chars().any(char::is_control),
            Self::Filled => !text.trim().is_empty(),
            Self::ScenarioName => {
                named(text, 32, |first| first.is_ascii_lowercase() || first.is_ascii_digit(), "-")
            }
            Self::Name => named(text, 32, |first| first.is_ascii_lowercase(), "-"),
            Self::LevelName => {
                named(text, 32, |first| first.is_ascii_lowercase() || first.is_ascii_digit(), "-_")
            }
            Self::Package => {
                named(text, 128, |first| first.is_ascii_lowercase() || first.is_ascii_digit(), "+-.")
            }
            Self::Image => {
                named(text, 200, |first| first.is_ascii_lowercase() || first.is_ascii_digit(), "-._/:")
            }
            Self::HeaderName => {
                !text.is_empty()
                    && text.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
            }
            Self::HeaderValue => !text.chars().any(char::is_control),
            Self::UrlPath => text.starts_with('/') && text.chars().all(|c| c.is_ascii_graphic() && c != '#'),
        }
    }

    /// The rule in words.
    pub(super) const fn describe(self) -> &'static str {
        match self {
            Self::Any => "text",
            Self::Filled => "text that is not empty",
            Self::ScenarioName => "a name of a-z, 0-9 and -, at most 32 characters",
            Self::Name => "a name of a-z, 0-9 and - that begins with a letter, at most 32 characters",
            Self::LevelName => "a name of a-z, 0-9, - and _, at most 32 characters",
            Self::Package => "a package name of a-z, 0-9, +, - and .",
            Self::Image => "an image such as debian:bookworm",
            Self::HeaderName => "a header name",
            Self::HeaderValue => "text on one line",
            Self::UrlPath => "a path that begins with /, blanks percent-encoded",
        }
    }

    /// The rule as a regular expression for the schema, where it has one.
    pub(super) const fn pattern(self) -> Option<&'static str> {
        match self {
            Self::Any => None,
            Self::Filled => Some(r"\S"),
            Self::ScenarioName => Some("^[a-z0-9][a-z0-9-]{0,31}$"),
            Self::Name => Some("^[a-z][a-z0-9-]{0,31}$"),
            Self::LevelName => Some("^[a-z0-9][a-z0-9_-]{0,31}$"),
            Self::Package => Some("^[a-z0-9][a-z0-9+.-]*$"),
            Self::Image => Some("^[a-z0-9][A-Za-z0-9._/:-]*$"),
            Self::HeaderName => Some("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"),
            Self::HeaderValue => Some(r"^[^\r\n]*$"),
            Self::UrlPath => Some(r#"^/[!"$-~]*$"#),
        }
    }
}

fn named(text: &str, longest: usize, first: impl Fn(char) -> bool, also: &str) -> bool {
    let upper = also.contains(':');
    text.len() <= longest
        && text.starts_with(first)
        && text.chars().all(|c| {
            c.is_ascii_lowercase()
                || c.is_ascii_digit()
                || also.contains(c)
                || (upper && c.is_ascii_uppercase())
        })
}

/// What a value may be.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// Text.
    Text(TextRule),
    /// A whole number.
    Count(Bounds<u64>),
    /// A number.
    Number(Bounds<f64>),
    /// A size.
    Bytes(Bounds<ByteSize>),
    /// A time.
    Duration(Bounds<Duration>),
    /// true or false.
    Flag,
    /// One of some words; `later` ones are known and refused by name.
    Choice { words: Vec<String>, later: &'static [&'static str] },
    /// Text that is never shown.
    Secret,
    /// A TCP port.
    Port(Bounds<u64>),
    /// A number of workers, or `BUDGET/WORKER`.
    Workers(Bounds<u64>),
    /// Fixed keys.
    Struct(Fields),
    /// Free keys that follow a rule.
    Map { names: TextRule, value: Box<Shape>, size: Bounds<u64> },
    /// A sequence.
    List { item: Box<Shape>, size: Bounds<u64> },
    /// A service or node by name, or several.
    Reference,
    /// A service: its keys depend on its software. The software is known already where a path was followed.
    Service(Option<String>),
    /// Dotted paths of the language with new values.
    Sets,
    /// One of several, told apart by being one value, a list or a mapping; at most one of each.
    Forms(Vec<Shape>),
}

/// The keys of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fields {
    /// What it is, for headings and schema.
    pub name: String,
    /// Keys in the order of the reference.
    pub keys: Vec<Key>,
    /// Keys that a later version will know.
    pub later: &'static [&'static str],
    /// Keys of which one is given, and no more than one.
    pub exactly_one: &'static [&'static str],
    /// Keys of which one is given, or more.
    pub at_least_one: &'static [&'static str],
}

/// One key.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    /// Its name.
    pub name: String,
    /// Its meaning.
    pub doc: String,
    /// What its value may be.
    pub shape: Shape,
    /// Must be given.
    pub required: bool,
    /// The value when it is not given.
    pub default: Option<Tree>,
    /// The key it cannot stand beside.
    pub instead_of: Option<&'static str>,
    /// The key without which it means nothing.
    pub needs: Option<&'static str>,
}

impl Key {
    /// An optional key.
    pub(super) fn new(name: &str, shape: Shape, doc: &str) -> Self {
        Self {
            name: name.to_owned(),
            doc: doc.to_owned(),
            shape,
            required: false,
            default: None,
            instead_of: None,
            needs: None,
        }
    }

    /// Makes it required.
    pub(super) fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Gives it a default, as written in YAML.
    pub(super) fn default(mut self, text: &str) -> Self {
        self.default = Some(Tree::scalar(text, Style::Plain));
        self
    }

    /// Reads an empty mapping when it is not given, so that the defaults inside hold.
    pub(super) fn filled(mut self) -> Self {
        self.default = Some(Tree::empty(Origin::Nowhere));
        self
    }

    /// Says which key it replaces.
    pub(super) const fn instead_of(mut self, other: &'static str) -> Self {
        self.instead_of = Some(other);
        self
    }

    /// Says which key must stand beside it.
    pub(super) const fn needs(mut self, other: &'static str) -> Self {
        self.needs = Some(other);
        self
    }
}

impl Fields {
    /// A mapping of which nothing more is to be said than its keys.
    pub(super) fn new(name: impl Into<String>, keys: Vec<Key>, later: &'static [&'static str]) -> Self {
        Self { name: name.into(), keys, later, exactly_one: &[], at_least_one: &[] }
    }

    /// Says which keys exclude each other, one of them being given.
    pub(super) const fn exactly_one(mut self, of: &'static [&'static str]) -> Self {
        self.exactly_one = of;
        self
    }

    /// Says of which keys one must be given.
    pub(super) const fn at_least_one(mut self, of: &'static [&'static str]) -> Self {
        self.at_least_one = of;
        self
    }

    /// A key by name.
    pub(super) fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// Names of all keys.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|key| key.name.as_str())
    }
}

impl Shape {
    /// A choice of words.
    pub(super) fn choice(words: &[&str]) -> Self {
        Self::Choice { words: words.iter().map(|word| (*word).to_owned()).collect(), later: &[] }
    }

    /// A list of any length.
    pub(super) fn list(item: Self) -> Self {
        Self::List { item: Box::new(item), size: Bounds::default() }
    }

    /// A mapping of any size.
    pub(super) fn map(names: TextRule, value: Self) -> Self {
        Self::Map { names, value: Box::new(value), size: Bounds::default() }
    }

    /// The form a written value has; itself for what has but one.
    pub(super) fn form(&self, written: &Value) -> Option<&Self> {
        let Self::Forms(forms) = self else { return Some(self) };
        forms.iter().find(|form| match form {
            Self::Struct(_) | Self::Map { .. } | Self::Service(_) | Self::Sets => {
                matches!(written, Value::Map(_))
            }
            Self::List { .. } => matches!(written, Value::List(_)),
            _ => matches!(written, Value::Scalar(_)),
        })
    }

    /// What is allowed, in words.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Text(rule) => rule.describe().to_owned(),
            Self::Count(bounds) => format!("a whole number{}", bounds.show(|value| value.to_string())),
            Self::Number(bounds) => format!("a number{}", bounds.show(|value| value.to_string())),
            Self::Bytes(bounds) => format!("a size such as 256MiB{}", bounds.show(|value| value.to_string())),
            Self::Duration(bounds) => format!("a time such as 20s or 250ms{}", bounds.show(show_duration)),
            Self::Flag => "true or false".to_owned(),
            Self::Choice { words, .. } => {
                words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
            }
            Self::Secret => "text (it is never shown)".to_owned(),
            Self::Port(bounds) => format!("a TCP port{}", bounds.show(|value| value.to_string())),
            Self::Workers(bounds) => {
                let range = bounds.show(|value| value.to_string());
                format!("a whole number{range}, or memory for all and for one of them such as 400MB/32MB")
            }
            Self::Struct(fields) => format!("a mapping ({})", fields.name),
            Self::Map { value, .. } => format!("a mapping of names to {}", value.plural()),
            Self::List { item, size } => {
                let range = match (size.min, size.max) {
                    (Some(min), Some(max)) if min == max => format!("exactly {min} "),
                    (Some(min), _) if min > 0 => format!("at least {min} "),
                    _ => String::new(),
                };
                format!("a list of {range}{}", item.plural())
            }
            Self::Reference => "`service`, `node`, `node.service` or a list of them".to_owned(),
            Self::Service(_) => "a mapping (a service)".to_owned(),
            Self::Sets => "a mapping of dotted paths to values".to_owned(),
            Self::Forms(forms) => forms.iter().map(Self::describe).collect::<Vec<_>>().join(", or "),
        }
    }

    fn plural(&self) -> String {
        match self {
            Self::Text(_) | Self::Secret => "texts".to_owned(),
            Self::Count(bounds) => format!("whole numbers{}", bounds.show(|value| value.to_string())),
            Self::Struct(fields) => format!("mappings ({})", fields.name),
            Self::Service(_) => "services".to_owned(),
            Self::Sets => "mappings of dotted paths to values".to_owned(),
            other => format!("values, each {}", other.describe()),
        }
    }
}
