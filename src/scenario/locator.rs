//! Lines of a scenario by YAML path, for failures that come long after checking.

use std::collections::BTreeMap;

use crate::scenario::path::Path;
use crate::scenario::tree::Origin;
use crate::scenario::tree::Tree;
use crate::scenario::tree::Value;

/// Finds the line of the scenario that a path came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Locator {
    lines: BTreeMap<String, usize>,
}

impl Locator {
    /// The line, from 1, of the value at a YAML path (`nodes.web.services.nginx`), of the nearest thing above it when it
    /// was never written; a member of a group (`backend2`) is found at its group. Nothing after a resume.
    #[must_use]
    pub fn line(&self, path: &str) -> Option<usize> {
        let mut path = path;
        loop {
            if let Some(line) = self.lines.get(path).or_else(|| self.lines.get(&as_group(path)?)) {
                return Some(*line);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }

    /// Adds every path of a tree that is not known yet.
    pub(super) fn add(&mut self, tree: &Tree, text: &str) {
        let breaks: Vec<usize> = text.match_indices('\n').map(|(position, _)| position).collect();
        self.walk(tree, &Path::default(), &breaks);
    }

    fn walk(&mut self, tree: &Tree, path: &Path, breaks: &[usize]) {
        match &tree.value {
            Value::Scalar(_) => {}
            Value::List(list) => {
                for (position, item) in list.iter().enumerate() {
                    self.remember(&item.origin, &path.index(position), breaks);
                    self.walk(item, &path.index(position), breaks);
                }
            }
            Value::Map(map) => {
                for (key, entry) in map {
                    self.remember(&entry.key, &path.key(key), breaks);
                    self.walk(&entry.tree, &path.key(key), breaks);
                }
            }
        }
    }

    fn remember(&mut self, origin: &Origin, path: &Path, breaks: &[usize]) {
        if let Origin::Text(range) = origin {
            let line = breaks.partition_point(|position| *position < range.start) + 1;
            self.lines.entry(path.to_string()).or_insert(line);
        }
    }
}

/// `nodes.backend2.services` as `nodes.backend.services`.
fn as_group(path: &str) -> Option<String> {
    let rest = path.strip_prefix("nodes.")?;
    let (node, below) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    Some(format!("nodes.{}{below}", node.trim_end_matches(|c: char| c.is_ascii_digit())))
}
