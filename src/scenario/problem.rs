//! Problems of a scenario: what, where, what would be allowed, and how they are shown. Finding them is for others.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use annotate_snippets::AnnotationKind;
use annotate_snippets::Level;
use annotate_snippets::Renderer;
use annotate_snippets::Snippet;
use indexmap::IndexMap;

use crate::scenario::conceal::conceal_line;
use crate::scenario::path::Path;
use crate::scenario::tree::Origin;
use crate::scenario::tree::Tree;

/// One thing wrong (or doubtful) in a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, in one sentence.
    pub message: String,
    /// YAML path of the value; empty for the whole file.
    pub path: String,
    /// Bytes of the text, when it is in the text.
    pub span: Option<Range<usize>>,
    /// Line from 1; 0 without a span.
    pub line: usize,
    /// Column from 1, in characters; 0 without a span.
    pub column: usize,
    /// What would be right here.
    pub allowed: Option<String>,
    /// The known name most like the one written.
    pub nearest: Option<String>,
    /// Doubtful only: the scenario can be used.
    pub warning: bool,
    /// Bytes of the text that hold secrets, on the same line.
    pub(super) concealed: Vec<Range<usize>>,
}

/// Everything that is wrong with a scenario; never empty, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl std::error::Error for Problems {}

impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.0.first() else { return formatter.write_str("the scenario has problems") };
        write!(formatter, "the scenario has {} problem(s); the first", self.0.len())?;
        if first.line > 0 {
            write!(formatter, " (line {})", first.line)?;
        }
        write!(formatter, ": {}", first.message)
    }
}

impl Problems {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some("`benchtop check FILE` shows every problem with its line".to_owned())
    }
}

/// Shows a problem as text without colour: its message, place, line of the file, and advice.
#[must_use]
pub fn show(problem: &Problem, file: &str, text: &str) -> String {
    let level = if problem.warning { Level::WARNING } else { Level::ERROR };
    let mut group =
        level.primary_title(problem.message.as_str()).elements(Vec::<annotate_snippets::Message<'_>>::new());
    let shown = problem.span.as_ref().map(|span| {
        let (begin, line, range) = clip(text, span);
        (conceal_line(line, begin, &problem.concealed), range)
    });
    if let Some((source, range)) = shown {
        group = group.element(
            Snippet::source(source)
                .line_start(problem.line)
                .path(file)
                .annotation(AnnotationKind::Primary.span(range)),
        );
    } else {
        group = group.element(Level::NOTE.message(format!("in {file}")));
    }
    if let Some(nearest) = &problem.nearest {
        group = group.element(Level::HELP.message(format!("did you mean `{nearest}`?")));
    }
    if let Some(allowed) = &problem.allowed {
        group = group.element(Level::HELP.message(format!("allowed: {allowed}")));
    }
    if !problem.path.is_empty() {
        group = group.element(Level::NOTE.message(format!("at {}", problem.path)));
    }
    Renderer::plain().render(&[group])
}

/// The line a span begins in, with where it begins and the part of the span on it.
fn clip<'a>(text: &'a str, span: &Range<usize>) -> (usize, &'a str, Range<usize>) {
    let start = floor_boundary(text, span.start);
    let begin = text[..start].rfind('\n').map_or(0, |position| position + 1);
    let end = text[start..].find('\n').map_or(text.len(), |position| start + position);
    let line = text[begin..end].trim_end_matches('\r');
    let from = (start - begin).min(line.len());
    let to = floor_boundary(text, span.end).saturating_sub(begin).clamp(from, line.len());
    (begin, line, from..to)
}

/// The nearest character boundary at or before a byte position.
pub(super) fn floor_boundary(text: &str, position: usize) -> usize {
    let mut position = position.min(text.len());
    while !text.is_char_boundary(position) {
        position -= 1;
    }
    position
}

/// What is known about a problem besides its place.
#[derive(Debug, Clone, Default)]
pub(super) struct Complaint {
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub allowed: Option<String>,
    /// The nearest known name.
    pub nearest: Option<String>,
    /// Doubtful only.
    pub warning: bool,
}

impl Complaint {
    /// Something wrong.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Something doubtful.
    pub(super) fn warning(message: impl Into<String>) -> Self {
        Self { message: message.into(), warning: true, ..Self::default() }
    }

    /// Adds what would be right.
    pub(super) fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }

    /// Adds the known names: the nearest one, and all of them while they fit on a line.
    pub(super) fn among<'a>(mut self, written: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        self.nearest = nearest(written, &known);
        if !known.is_empty() {
            self.allowed = Some(one_of(&known));
        }
        self
    }
}

/// Names for a message, cut when there are many.
pub(super) fn one_of(known: &[&str]) -> String {
    const SHOWN: usize = 24;
    let mut text = known.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if known.len() > SHOWN {
        text.push_str(&format!(" and {} more", known.len() - SHOWN));
    }
    text
}

/// The known name most like `written`, if one is like it at all (a third of its letters may differ).
fn nearest(written: &str, known: &[&str]) -> Option<String> {
    let lower = written.to_lowercase();
    let limit = (written.chars().count() / 3).clamp(1, 4);
    known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(&lower, &name.to_lowercase()), *name))
        .filter(|(distance, name)| *distance <= limit && *name != written)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name.to_owned())
}

/// Gathers problems of all variants, each once.
#[derive(Debug)]
pub(super) struct Collector<'a> {
    text: &'a str,
    line_starts: Vec<usize>,
    variants: usize,
    current: Option<String>,
    secrets: Vec<Range<usize>>,
    found: IndexMap<(Option<Range<usize>>, String, String), Found>,
}

/// A problem and the variants it was met in; none means met outside of any.
#[derive(Debug)]
struct Found {
    problem: Problem,
    variants: Option<BTreeSet<String>>,
}

impl<'a> Collector<'a> {
    /// For one text.
    pub(super) fn new(text: &'a str) -> Self {
        let breaks = text.match_indices('\n').map(|(position, _)| position + 1);
        let line_starts = std::iter::once(0).chain(breaks).collect();
        Self { text, line_starts, variants: 0, current: None, secrets: Vec::new(), found: IndexMap::new() }
    }

    /// Says how many variants there are, so that "in all of them" need not be said.
    pub(super) fn expect_variants(&mut self, variants: usize) {
        self.variants = variants;
    }

    /// Says where in the text secrets stand, so that no line is shown with one.
    pub(super) fn conceal(&mut self, secrets: impl IntoIterator<Item = Origin>) {
        self.secrets.extend(secrets.into_iter().filter_map(|origin| match origin {
            Origin::Text(range) => Some(range),
            _ => None,
        }));
    }

    /// Problems from here on belong to this variant, or to none.
    pub(super) fn enter(&mut self, variant: Option<&str>) {
        self.current = variant.map(str::to_owned);
    }

    /// Line and column of a byte position, both from 1, the column in characters.
    pub(super) fn place(&self, position: usize) -> (usize, usize) {
        let position = floor_boundary(self.text, position);
        let line = self.line_starts.partition_point(|start| *start <= position);
        let begin = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        (line, self.text[begin..position].chars().count() + 1)
    }

    /// The scenario's text.
    pub(super) const fn text(&self) -> &'a str {
        self.text
    }

    /// Adds a problem with the value at a path of a tree.
    pub(super) fn at(&mut self, tree: &Tree, path: &Path, complaint: Complaint) {
        let origin = tree.locate(path);
        self.add(&origin, path, complaint);
    }

    /// Adds a problem.
    pub(super) fn add(&mut self, origin: &Origin, path: &Path, complaint: Complaint) {
        let span = match origin {
            Origin::Text(range) => {
                let start = floor_boundary(self.text, range.start);
                Some(start..floor_boundary(self.text, range.end).max(start))
            }
            _ => None,
        };
        let (line, column) = span.as_ref().map_or((0, 0), |span| self.place(span.start));
        let message = match origin {
            Origin::Set(set) => format!("in --set {set}: {}", complaint.message),
            _ => complaint.message,
        };
        let path = path.to_string();
        let place = if span.is_some() { String::new() } else { path.clone() };
        let variant = self.current.clone();
        let found = self.found.entry((span.clone(), place, message.clone())).or_insert_with(|| Found {
            problem: Problem {
                message,
                path,
                span,
                line,
                column,
                allowed: complaint.allowed,
                nearest: complaint.nearest,
                warning: complaint.warning,
                concealed: Vec::new(),
            },
            variants: Some(BTreeSet::new()),
        });
        match variant {
            Some(name) => {
                if let Some(names) = &mut found.variants {
                    names.insert(name);
                }
            }
            None => found.variants = None,
        }
    }

    /// Whether something wrong (not only doubtful) was found.
    pub(super) fn failed(&self) -> bool {
        self.found.values().any(|found| !found.problem.warning)
    }

    /// Every problem, in the order of the text, warnings last.
    pub(super) fn finish(self) -> Vec<Problem> {
        let all = self.variants;
        let (text, secrets) = (self.text, self.secrets);
        let mut problems: Vec<Problem> = self
            .found
            .into_values()
            .map(|found| {
                let mut problem = found.problem;
                if let Some(names) = found.variants.filter(|names| !names.is_empty() && names.len() < all) {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    let word = if names.len() == 1 { "variant" } else { "variants" };
                    problem.message.push_str(&format!(" (in {word} {})", one_of(&names)));
                }
                problem
            })
            .collect();
        for problem in &mut problems {
            let Some(span) = &problem.span else { continue };
            let (begin, line, _) = clip(text, span);
            let on_line =
                secrets.iter().filter(|range| range.start < begin + line.len() && range.end > begin);
            problem.concealed = on_line.cloned().collect();
        }
        problems.sort_by_key(|problem| (problem.warning, problem.line, problem.column));
        problems
    }
}
