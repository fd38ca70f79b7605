//! Text to tree: syntax, duplicate keys, anchors with a budget, unquoted calls. What the keys mean is not known here.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::Event;
use granit_parser::Options as ParserOptions;
use granit_parser::Parser;
use granit_parser::ScalarStyle;
use granit_parser::ScanError;
use granit_parser::Span;
use granit_parser::StructureStyle;
use indexmap::IndexMap;

use crate::model::secret::MASK;
use crate::scenario::call;
use crate::scenario::conceal::is_secret_key;
use crate::scenario::path::Path;
use crate::scenario::problem::Collector;
use crate::scenario::problem::Complaint;
use crate::scenario::problem::floor_boundary;
use crate::scenario::tree::Entry;
use crate::scenario::tree::Origin;
use crate::scenario::tree::Scalar;
use crate::scenario::tree::Style;
use crate::scenario::tree::Tree;
use crate::scenario::tree::Value;

/// Longest scenario, bytes: what a person writes is far below, and the time to refuse nonsense stays short.
pub(super) const BYTES_MAX: usize = 1 << 20;
/// Most values in a scenario, those that aliases repeat included.
const VALUES_MAX: usize = 50_000;
/// Deepest nesting; the language itself needs a dozen.
const DEPTH_MAX: usize = 48;

/// Reads a text. Nothing comes back when its syntax is broken; the reason is in `problems` then.
pub(super) fn parse(problems: &mut Collector<'_>) -> Option<Tree> {
    let text = problems.text();
    if text.len() > BYTES_MAX {
        let complaint = Complaint::new(format!("the file is larger than 1 MiB ({} KiB)", text.len() / 1024))
            .allowed("a scenario of at most 1 MiB");
        problems.add(&Origin::Text(0..0), &Path::default(), complaint);
        return None;
    }
    parse_within(text, problems)
}

/// Reads a text that may be another one than the collector's (a `--set` value); origins are bytes of `text`.
pub(super) fn parse_within(text: &str, problems: &mut Collector<'_>) -> Option<Tree> {
    let mut builder = Builder::new(text, problems);
    let mut parser = Parser::new_from_str_with_options(text, ParserOptions::default());
    while let Some(next) = parser.next_event() {
        let alive = match next {
            Ok((event, span)) => builder.event(event, &span),
            Err(error) => {
                builder.syntax(&error);
                false
            }
        };
        if !alive {
            return None;
        }
    }
    if builder.root.is_none() {
        builder.complain(
            0..0,
            "",
            Complaint::new("the file holds no scenario").allowed("a mapping that begins with `name:`"),
        );
    }
    builder.root
}

/// A collection that is not closed yet.
enum Open {
    List {
        items: Vec<Tree>,
        start: usize,
        anchor: usize,
        flow: bool,
    },
    Map {
        entries: Vec<(String, Range<usize>, Tree)>,
        key: Option<(String, Range<usize>)>,
        start: usize,
        anchor: usize,
        flow: bool,
    },
}

struct Builder<'t, 'p, 'c> {
    text: &'t str,
    problems: &'p mut Collector<'c>,
    open: Vec<Open>,
    anchors: HashMap<usize, Tree>,
    values: usize,
    root: Option<Tree>,
}

impl<'t, 'p, 'c> Builder<'t, 'p, 'c> {
    fn new(text: &'t str, problems: &'p mut Collector<'c>) -> Self {
        Self { text, problems, open: Vec::new(), anchors: HashMap::new(), values: 0, root: None }
    }

    /// Takes one event; false when there is no going on.
    fn event(&mut self, event: Event<'_>, span: &Span) -> bool {
        let range = self.range(span);
        if let Event::Scalar(_, _, _, Some(_))
        | Event::SequenceStart(_, _, Some(_))
        | Event::MappingStart(_, _, Some(_)) = &event
        {
            self.complain(
                range.clone(),
                "",
                Complaint::new("tags (`!…`) are not part of the scenario language"),
            );
        }
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let style = if style == ScalarStyle::Plain { Style::Plain } else { Style::Quoted };
                let scalar = Scalar { text: text.into_owned(), style, source: None };
                self.close(Tree { value: Value::Scalar(scalar), origin: Origin::Text(range) }, anchor)
            }
            Event::SequenceStart(style, anchor, _) => {
                let flow = style == StructureStyle::Flow;
                self.begin(Open::List { items: Vec::new(), start: range.start, anchor, flow }, range)
            }
            Event::MappingStart(style, anchor, _) => {
                let flow = style == StructureStyle::Flow;
                self.begin(
                    Open::Map { entries: Vec::new(), key: None, start: range.start, anchor, flow },
                    range,
                )
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(range),
            Event::Alias(anchor) => self.alias(anchor, range),
            _ => true,
        }
    }

    fn begin(&mut self, open: Open, range: Range<usize>) -> bool {
        if self.open.len() >= DEPTH_MAX {
            self.complain(
                range,
                "",
                Complaint::new("nested too deeply").allowed(format!("at most {DEPTH_MAX} levels")),
            );
            return false;
        }
        self.open.push(open);
        true
    }

    fn end(&mut self, range: Range<usize>) -> bool {
        match self.open.pop() {
            Some(Open::List { items, start, anchor, flow }) => {
                let items = if flow { self.join_items(items) } else { items };
                let origin = Origin::Text(start..range.end.max(start));
                self.close(Tree { value: Value::List(items), origin }, anchor)
            }
            Some(Open::Map { entries, start, anchor, flow, .. }) => {
                let entries = if flow { self.join_entries(entries) } else { entries };
                let value = Value::Map(self.unique(entries));
                let origin = Origin::Text(start..range.end.max(start));
                self.close(Tree { value, origin }, anchor)
            }
            None => true,
        }
    }

    fn alias(&mut self, anchor: usize, range: Range<usize>) -> bool {
        let Some(tree) = self.anchors.get(&anchor).cloned() else {
            self.complain(range, "", Complaint::new("this alias refers to something that contains it"));
            return false;
        };
        self.values += tree.size() - 1;
        if self.values >= VALUES_MAX {
            self.complain(range, "", too_large());
            return false;
        }
        self.close(tree, 0)
    }

    /// A value is complete: it goes where it belongs.
    fn close(&mut self, tree: Tree, anchor: usize) -> bool {
        self.values += 1;
        if self.values > VALUES_MAX {
            let range = text_range(&tree.origin);
            self.complain(range, "", too_large());
            return false;
        }
        if anchor != 0 {
            self.anchors.insert(anchor, tree.clone());
        }
        let mut not_text = None;
        match self.open.last_mut() {
            Some(Open::List { items, .. }) => items.push(tree),
            Some(Open::Map { entries, key, .. }) => match (key.take(), &tree.value) {
                (Some((name, range)), _) => entries.push((name, range, tree)),
                (None, Value::Scalar(scalar)) => *key = Some((scalar.text.clone(), text_range(&tree.origin))),
                (None, _) => not_text = Some(text_range(&tree.origin)),
            },
            None if self.root.is_none() => self.root = Some(tree),
            None => not_text = Some(text_range(&tree.origin)),
        }
        let Some(range) = not_text else { return true };
        let complaint = if self.open.is_empty() {
            Complaint::new("a second document begins here").allowed("one scenario a file")
        } else if self.text.get(range.start.saturating_sub(1)..range.start) == Some("$") {
            environment_hint()
        } else {
            Complaint::new("a key must be text, not a list or a mapping")
        };
        self.complain(range, "", complaint);
        false
    }

    /// Puts back together what a call's commas tore apart in a list.
    fn join_items(&mut self, items: Vec<Tree>) -> Vec<Tree> {
        let mut joined: Vec<Tree> = Vec::new();
        let mut items = items.into_iter().peekable();
        while let Some(item) = items.next() {
            let Some(mut open) = plain(&item).and_then(call::unclosed) else {
                joined.push(item);
                continue;
            };
            let mut range = text_range(&item.origin);
            while open > 0 {
                let Some(next) = items.next_if(|next| plain(next).is_some()) else { break };
                open += plain(&next).map_or(0, call::balance);
                range.end = text_range(&next.origin).end.max(range.end);
            }
            joined.push(self.call(range, false));
        }
        joined
    }

    /// The same in a mapping, where the pieces became keys without a value.
    fn join_entries(
        &mut self,
        entries: Vec<(String, Range<usize>, Tree)>,
    ) -> Vec<(String, Range<usize>, Tree)> {
        let mut joined = Vec::new();
        let mut entries = entries.into_iter().peekable();
        while let Some((name, key, tree)) = entries.next() {
            let Some(mut open) = plain(&tree).and_then(call::unclosed) else {
                joined.push((name, key, tree));
                continue;
            };
            let mut range = text_range(&tree.origin);
            while open > 0 {
                let Some((piece, place, _)) = entries.next_if(|(_, _, value)| value.is_null()) else { break };
                open += call::balance(&piece);
                range.end = place.end.max(range.end);
            }
            let secret = is_secret_key(&name);
            joined.push((name, key, self.call(range, secret)));
        }
        joined
    }

    /// Complains about an unquoted call and gives the value that was meant.
    fn call(&mut self, range: Range<usize>, secret: bool) -> Tree {
        let whole = self.text.get(range.clone()).unwrap_or_default().to_owned();
        self.complain(range.clone(), "", call::complaint(if secret { MASK } else { &whole }));
        let scalar = Scalar { text: whole, style: Style::Quoted, source: None };
        Tree { value: Value::Scalar(scalar), origin: Origin::Text(range) }
    }

    /// The entries as a mapping: a key that comes twice is a problem, a merge key brings what is not there.
    fn unique(&mut self, entries: Vec<(String, Range<usize>, Tree)>) -> IndexMap<String, Entry> {
        let mut map: IndexMap<String, Entry> = IndexMap::new();
        let mut merged = Vec::new();
        for (name, range, tree) in entries {
            if name == "<<" && matches!(tree.value, Value::Map(_)) {
                merged.push(tree);
                continue;
            }
            if let Some(first) = map.get(&name) {
                let (line, _) = self.problems.place(text_range(&first.key).start);
                let complaint =
                    Complaint::new(format!("duplicate key `{name}`: it is already on line {line}"))
                        .allowed("each key once");
                self.complain(range, &name, complaint);
                continue;
            }
            map.insert(name, Entry { key: Origin::Text(range), tree });
        }
        for tree in merged {
            let Value::Map(more) = tree.value else { continue };
            for (name, entry) in more {
                map.entry(name).or_insert(entry);
            }
        }
        map
    }

    fn syntax(&mut self, error: &ScanError) {
        let marker = error.marker();
        let position = marker.byte_offset().unwrap_or(self.text.len()).min(self.text.len());
        if error.info().contains("recursion") || error.info().contains("nesting") {
            let complaint =
                Complaint::new("nested too deeply").allowed(format!("at most {DEPTH_MAX} levels"));
            return self.complain(position..position, "", complaint);
        }
        if let Some((range, complaint)) = call::pitfall(self.text, position) {
            return self.complain(range, "", complaint);
        }
        let position = self.text[..floor_boundary(self.text, position)].trim_end().len();
        let complaint = Complaint::new(format!("this is not valid YAML: {}", error.info()));
        self.complain(position..position, "", complaint);
    }

    fn complain(&mut self, range: Range<usize>, key: &str, complaint: Complaint) {
        let mut path = Path::default();
        for open in &self.open {
            path = match open {
                Open::List { items, .. } => path.index(items.len()),
                Open::Map { key: Some((name, _)), .. } => path.key(name),
                Open::Map { .. } => path,
            };
        }
        if !key.is_empty() {
            path = path.key(key);
        }
        self.problems.add(&Origin::Text(range), &path, complaint);
    }

    fn range(&self, span: &Span) -> Range<usize> {
        let range = span.byte_range().unwrap_or(0..0);
        let end = range.end.min(self.text.len());
        range.start.min(end)..end
    }
}

/// What to say about an unquoted `${…}` inside braces or brackets.
pub(super) fn environment_hint() -> Complaint {
    Complaint::new("looks like an environment value: quote it (`\"${NAME:-default}\"`)")
        .allowed("values that hold `${…}`, parentheses or commas are quoted inside […] and {…}")
}

fn too_large() -> Complaint {
    Complaint::new("the scenario grows too large: too many values, or aliases of aliases")
        .allowed(format!("at most {VALUES_MAX} values, those that aliases repeat included"))
}

/// The text of an unquoted scalar.
fn plain(tree: &Tree) -> Option<&str> {
    match &tree.value {
        Value::Scalar(scalar) if scalar.style == Style::Plain => Some(&scalar.text),
        _ => None,
    }
}

fn text_range(origin: &Origin) -> Range<usize> {
    match origin {
        Origin::Text(range) => range.clone(),
        _ => 0..0,
    }
}
