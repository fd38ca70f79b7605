//! What every lowering step is handed.

use crate::catalog::Catalog;
use crate::scenario::path::Path;
use crate::scenario::problem::Collector;
use crate::scenario::problem::Complaint;
use crate::scenario::tree::Tree;

/// What lowering one variant needs besides its values.
pub(in crate::scenario) struct Context<'a, 'p, 'c> {
    /// The tree the values were read from, for places.
    pub tree: &'a Tree,
    /// Software.
    pub catalog: &'a Catalog,
    /// Where problems go.
    pub problems: &'p mut Collector<'c>,
}

impl Context<'_, '_, '_> {
    /// Complains about the value at a path.
    pub(super) fn complain(&mut self, path: &Path, complaint: Complaint) {
        self.problems.at(self.tree, path, complaint);
    }
}
