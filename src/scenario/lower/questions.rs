//! Questions and thresholds: the variants and levels they name must exist.

use std::ops::Range;

use indexmap::IndexMap;

use crate::model::experiment::Question;
use crate::model::parameter::ParameterValue;
use crate::model::threshold::Threshold;
use crate::scenario::path::Path;
use crate::scenario::problem::Collector;
use crate::scenario::problem::Complaint;
use crate::scenario::read;
use crate::scenario::read::Values;
use crate::scenario::threshold;
use crate::scenario::tree::Origin;
use crate::scenario::tree::Tree;

/// What stands around the variants, and what they are.
pub(in crate::scenario) struct Around<'a, 'p, 'c> {
    /// The document.
    pub tree: &'a Tree,
    /// Level names by variant; none for a variant whose load could not be read.
    pub levels: &'a IndexMap<String, Option<Vec<String>>>,
    /// Whether a profile or `--set` may have taken levels away: then a missing one is only doubtful.
    pub overlaid: bool,
    /// Where problems go.
    pub problems: &'p mut Collector<'c>,
}

impl Around<'_, '_, '_> {
    /// Complains about the value at a path.
    pub(super) fn complain(&mut self, path: &Path, complaint: Complaint) {
        self.problems.at(self.tree, path, complaint);
    }

    /// Whether there is a variant of this name.
    ///
    /// # Errors
    /// What to say when there is none.
    pub(super) fn variant(&self, name: &str) -> Result<(), Complaint> {
        if self.levels.contains_key(name) {
            return Ok(());
        }
        Err(Complaint::new(format!("unknown variant `{name}`"))
            .among(name, self.levels.keys().map(String::as_str)))
    }

    fn level(&self, variant: &str, level: &str) -> Result<(), Complaint> {
        let Some(Some(levels)) = self.levels.get(variant) else { return Ok(()) };
        if levels.iter().any(|known| known == level) {
            return Ok(());
        }
        let complaint = Complaint::new(format!("variant `{variant}` has no level `{level}`"))
            .among(level, levels.iter().map(String::as_str));
        Err(Complaint { warning: self.overlaid, ..complaint })
    }
}

/// Lowers `questions`.
pub(in crate::scenario) fn questions(around: &mut Around<'_, '_, '_>, values: &Values) -> Vec<Question> {
    let mut questions = Vec::new();
    for (position, value) in read::list(values, "questions").iter().enumerate() {
        let ParameterValue::Map(question) = value else { continue };
        let path = Path::of(&["questions"]).index(position);
        let at = read::text(question, "at");
        let compare = read::texts(question, "compare");
        for (side, name) in compare.iter().enumerate() {
            if let Err(complaint) = around.variant(name) {
                around.complain(&path.key("compare").index(side), complaint);
            } else if let Some(Err(complaint)) = at.as_ref().map(|at| around.level(name, at)) {
                around.complain(&path.key("at"), complaint);
            }
        }
        if compare.len() == 2 && compare[0] == compare[1] {
            let complaint =
                Complaint::new("a variant is compared with itself").allowed("two different variants");
            around.complain(&path.key("compare"), complaint);
        }
        if let (Some(ask), Ok(compare)) = (read::text(question, "ask"), <[String; 2]>::try_from(compare)) {
            questions.push(Question { ask, compare, at });
        }
    }
    questions
}

/// Lowers `thresholds`.
pub(in crate::scenario) fn thresholds(around: &mut Around<'_, '_, '_>, values: &Values) -> Vec<Threshold> {
    let mut thresholds = Vec::new();
    for (position, text) in read::texts(values, "thresholds").into_iter().enumerate() {
        let path = Path::of(&["thresholds"]).index(position);
        match threshold::parse(&text) {
            Err((range, complaint)) => fault(around, &path, &text, &range, complaint),
            Ok((expression, mentions)) => {
                for mention in mentions {
                    check(around, &path, &text, &mention);
                }
                thresholds.push(Threshold { text, expression });
            }
        }
    }
    thresholds
}

fn check(around: &mut Around<'_, '_, '_>, path: &Path, text: &str, mention: &threshold::Mention) {
    for (variant, range) in &mention.variants {
        if let Err(complaint) = around.variant(variant) {
            fault(around, path, text, range, complaint);
        } else if let Some((level, range)) = &mention.level
            && let Err(complaint) = around.level(variant, level)
        {
            fault(around, path, text, range, complaint);
        }
    }
}

/// Complains about a part of a text; about the whole of it when the part cannot be found in the file (escapes, folding).
fn fault(
    around: &mut Around<'_, '_, '_>,
    path: &Path,
    text: &str,
    range: &Range<usize>,
    complaint: Complaint,
) {
    let origin = around.tree.locate(path);
    if let Origin::Text(whole) = &origin {
        let written = around.problems.text().get(whole.clone()).unwrap_or_default();
        if let Some(offset) = written.find(text).filter(|_| !text.is_empty()) {
            let start = whole.start + offset;
            let part = Origin::Text(start + range.start..start + range.end);
            return around.problems.add(&part, path, complaint);
        }
    }
    around.problems.add(&origin, path, complaint);
}
