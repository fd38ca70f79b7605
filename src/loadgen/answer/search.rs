//! Finds a text in a body that comes in pieces, without keeping the body. Not for more than one text.

use memchr::memmem::Finder;

/// The text looked for, prepared once and shared by all connections of a thread.
#[derive(Debug, Clone)]
pub struct Needle {
    finder: Finder<'static>,
    length: usize,
}

impl Needle {
    /// Prepares a search for `text`; the empty text is found everywhere.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { finder: Finder::new(text.as_bytes()).into_owned(), length: text.len() }
    }
}

/// The state of one search: whether it was found, and the last bytes that could begin a match.
#[derive(Debug, Default)]
pub struct StreamSearch {
    tail: Vec<u8>,
    found: bool,
}

impl StreamSearch {
    /// Begins anew; keeps its memory.
    pub fn reset(&mut self) {
        self.tail.clear();
        self.found = false;
    }

    /// Whether the needle was in what came so far.
    #[must_use]
    pub fn found(&self, needle: &Needle) -> bool {
        self.found || needle.length == 0
    }

    /// Searches the next piece.
    pub fn push(&mut self, needle: &Needle, bytes: &[u8]) {
        if self.found(needle) {
            return;
        }
        let keep = needle.length - 1;
        let joined = keep.min(bytes.len());
        if !self.tail.is_empty() {
            self.tail.extend_from_slice(&bytes[..joined]);
            if needle.finder.find(&self.tail).is_some() {
                self.found = true;
                return;
            }
            let surplus = self.tail.len().saturating_sub(keep);
            self.tail.drain(..surplus);
        } else {
            self.tail.extend_from_slice(&bytes[..joined]);
        }
        if bytes.len() > keep {
            self.found = needle.finder.find(bytes).is_some();
            self.tail.clear();
            self.tail.extend_from_slice(&bytes[bytes.len() - keep..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::prop;
    use proptest::prelude::prop_assert_eq;
    use proptest::proptest;

    use super::Needle;
    use super::StreamSearch;

    fn found(needle: &str, pieces: &[&[u8]]) -> bool {
        let needle = Needle::new(needle);
        let mut search = StreamSearch::default();
        for piece in pieces {
            search.push(&needle, piece);
        }
        search.found(&needle)
    }

    #[test]
    fn a_text_over_three_pieces_is_found() {
        assert!(found("</html>", &[b"<html></h", b"tm", b"l>\n"]));
        assert!(!found("</html>", &[b"<html></h", b"tm", b"x>\n"]));
    }

    #[test]
    fn the_empty_text_is_found_in_nothing() {
        assert!(found("", &[]));
    }

    proptest! {
        #[test]
        fn pieces_give_what_the_whole_gives(
            body in prop::collection::vec(0_u8..3, 0..60),
            needle in prop::collection::vec(0_u8..3, 0..6),
            cut in 1_usize..9,
        ) {
            let text = String::from_utf8(needle.clone()).unwrap();
            let whole = needle.is_empty() || body.windows(needle.len()).any(|window| window == needle);
            let pieces: Vec<&[u8]> = body.chunks(cut).collect();
            prop_assert_eq!(found(&text, &pieces), whole);
        }
    }
}
