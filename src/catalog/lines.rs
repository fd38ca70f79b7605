//! Where the keys of a manifest stand: dotted path → line. Only for messages; meaning is read elsewhere.

use std::collections::BTreeMap;

use granit_parser::{Event, Parser};

/// Lines of a YAML text by path: `parameters.bind.kind`, `steps.0.run`.
#[derive(Debug, Default)]
pub(super) struct Lines {
    by_path: BTreeMap<String, usize>,
    /// The first key that is written twice: its path and its second line.
    pub(super) duplicate: Option<(String, usize)>,
}

enum Open {
    Mapping { path: String, key: Option<String> },
    Sequence { path: String, next: usize },
}

impl Lines {
    /// Reads a text; what cannot be parsed ends the index early, and the caller's own parser says why.
    pub(super) fn read(text: &str) -> Self {
        let mut lines = Self::default();
        let mut open: Vec<Open> = Vec::new();
        for next in Parser::new_from_str(text) {
            let Ok((event, span)) = next else { break };
            let line = span.start.line();
            match event {
                Event::Scalar(text, ..) => lines.scalar(&mut open, &text, line),
                Event::Alias(_) => drop(lines.enter(&mut open, line)),
                Event::MappingStart(..) => {
                    let path = lines.enter(&mut open, line);
                    open.push(Open::Mapping { path, key: None });
                }
                Event::SequenceStart(..) => {
                    let path = lines.enter(&mut open, line);
                    open.push(Open::Sequence { path, next: 0 });
                }
                Event::MappingEnd | Event::SequenceEnd => drop(open.pop()),
                _ => {}
            }
        }
        lines
    }

    /// The line of a path, or of its nearest parent that has one; 1 for the whole text.
    pub(super) fn line(&self, path: &str) -> usize {
        let mut path = path;
        loop {
            if let Some(line) = self.by_path.get(path) {
                return *line;
            }
            match path.rsplit_once('.') {
                Some((parent, _)) => path = parent,
                None => return 1,
            }
        }
    }

    fn scalar(&mut self, open: &mut [Open], text: &str, line: usize) {
        if let Some(Open::Mapping { path, key: key @ None }) = open.last_mut() {
            let path = join(path, text);
            if self.by_path.insert(path.clone(), line).is_some() && self.duplicate.is_none() {
                self.duplicate = Some((path, line));
            }
            *key = Some(text.to_owned());
            return;
        }
        self.enter(open, line);
    }

    /// The path of the value that begins here.
    fn enter(&mut self, open: &mut [Open], line: usize) -> String {
        match open.last_mut() {
            None => String::new(),
            Some(Open::Mapping { path, key }) => join(path, &key.take().unwrap_or_default()),
            Some(Open::Sequence { path, next }) => {
                let path = join(path, &next.to_string());
                *next += 1;
                self.by_path.insert(path.clone(), line);
                path
            }
        }
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_list_members_have_lines_and_parents_stand_in() {
        let lines = Lines::read("a: 1\nb:\n  c: {d: 2}\n  e:\n    - f: 1\n    - g\nh: 3\n");
        for (path, line) in
            [("a", 1), ("b.c.d", 3), ("b.e.0.f", 5), ("b.e.1", 6), ("h", 7), ("b.x.y", 2), ("z", 1)]
        {
            assert_eq!(lines.line(path), line, "{path}");
        }
        assert!(lines.duplicate.is_none());
    }

    #[test]
    fn a_key_written_twice_is_noticed() {
        let lines = Lines::read("a:\n  b: 1\n  c: 2\n  b: 3\n");
        assert_eq!(lines.duplicate, Some(("a.b".to_owned(), 4)));
    }
}
