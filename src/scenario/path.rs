//! YAML paths as people read them: `nodes.web.services.nginx`, `load.connections[0]`. Knows nothing of what they lead to.

use std::fmt;

/// One step down a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Step {
    /// Into a mapping.
    Key(String),
    /// Into a sequence, from 0.
    Index(usize),
}

/// A way from the root of a document to a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Path(pub Vec<Step>);

impl Path {
    /// Reads dotted text; there are no indices in it, since lists are replaced whole.
    pub(super) fn dotted(text: &str) -> Self {
        Self(text.split('.').map(|part| Step::Key(part.to_owned())).collect())
    }

    /// A path of keys.
    pub(super) fn of(keys: &[&str]) -> Self {
        Self(keys.iter().map(|key| Step::Key((*key).to_owned())).collect())
    }

    /// One key further down.
    pub(super) fn key(&self, key: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Key(key.to_owned()));
        Self(steps)
    }

    /// One index further down.
    pub(super) fn index(&self, index: usize) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Index(index));
        Self(steps)
    }

    /// This path followed by another.
    pub(super) fn join(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    /// The first key, when there is one.
    pub(super) fn first(&self) -> Option<&str> {
        self.key_at(0)
    }

    /// The key at a position from the root.
    pub(super) fn key_at(&self, position: usize) -> Option<&str> {
        match self.0.get(position) {
            Some(Step::Key(key)) => Some(key),
            _ => None,
        }
    }

    /// Whether one of the two leads through the other.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(one, two)| one == two)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if position == 0 => formatter.write_str(key)?,
                Step::Key(key) => write!(formatter, ".{key}")?,
                Step::Index(index) => write!(formatter, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_shows_as_it_was_written() {
        assert_eq!(Path::dotted("nodes.backend.count").to_string(), "nodes.backend.count");
        assert_eq!(Path::of(&["load", "connections"]).index(2).to_string(), "load.connections[2]");
        assert_eq!(Path::default().to_string(), "");
    }

    #[test]
    fn a_path_overlaps_what_lies_above_and_below_it() {
        let node = Path::dotted("nodes.web");
        assert!(node.overlaps(&Path::dotted("nodes.web.cpus")));
        assert!(Path::dotted("nodes.web.cpus").overlaps(&node));
        assert!(!node.overlaps(&Path::dotted("nodes.db.cpus")));
    }
}
