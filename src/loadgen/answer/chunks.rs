//! Undoes the chunked transfer coding (RFC 9112 section 7.1) piece by piece. Keeps nothing of what passes through.

/// Longest chunk-size line, extensions included.
const SIZE_LINE_BYTES_MAX: usize = 16 * 1024;
/// Longest trailer section.
const TRAILER_BYTES_MAX: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Size { digits: bool, value: u64 },
    Extension { value: u64 },
    SizeLineFeed { value: u64 },
    Content { left: u64 },
    ContentEnd,
    ContentLineFeed,
    TrailerStart,
    TrailerLine,
    TrailerLineFeed,
}

const FIRST: State = State::Size { digits: false, value: 0 };

/// Where in the coding the stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunks {
    state: State,
    line_bytes: usize,
}

/// What a piece led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// All taken, more must come.
    More,
    /// The last chunk and the trailer ended after this many bytes of the piece.
    Done(usize),
}

impl Chunks {
    /// Before the first chunk.
    pub fn new() -> Self {
        Self { state: FIRST, line_bytes: 0 }
    }

    /// Takes a piece and hands content to `content`.
    pub fn push(&mut self, bytes: &[u8], content: &mut impl FnMut(&[u8])) -> Result<Step, &'static str> {
        let mut at = 0;
        while at < bytes.len() {
            if let State::Content { left } = self.state {
                let available = (bytes.len() - at) as u64;
                let taken = left.min(available);
                // It fits: it is at most the length of a slice.
                let end = at + taken as usize;
                content(&bytes[at..end]);
                at = end;
                self.state =
                    if taken == left { State::ContentEnd } else { State::Content { left: left - taken } };
                continue;
            }
            let byte = bytes[at];
            at += 1;
            self.line_bytes += 1;
            match self.framing_byte(byte)? {
                Some(next) => self.state = next,
                None => return Ok(Step::Done(at)),
            }
        }
        Ok(Step::More)
    }

    /// The state after one byte outside of content; none after the last one.
    fn framing_byte(&mut self, byte: u8) -> Result<Option<State>, &'static str> {
        let next = match (self.state, byte) {
            (State::Size { digits: true, value }, b'\r') => State::SizeLineFeed { value },
            (State::Size { digits: true, value }, b'\n') => self.after_size(value),
            (State::Size { digits: true, value }, b';' | b' ' | b'\t') => State::Extension { value },
            (State::Size { value, .. }, digit) => {
                let digit = (digit as char).to_digit(16).ok_or("a chunk without a size")?;
                let value = value.checked_mul(16).ok_or("a chunk size that overflows")?;
                State::Size { digits: true, value: value + u64::from(digit) }
            }
            (State::Extension { value } | State::SizeLineFeed { value }, b'\n') => self.after_size(value),
            (State::Extension { value }, _) => State::Extension { value },
            (State::ContentEnd, b'\r') => State::ContentLineFeed,
            (State::ContentEnd | State::ContentLineFeed, b'\n') => {
                self.line_bytes = 0;
                FIRST
            }
            (State::TrailerStart, b'\r') => State::TrailerLineFeed,
            (State::TrailerStart | State::TrailerLineFeed, b'\n') => return Ok(None),
            (State::TrailerLine, b'\n') => State::TrailerStart,
            (State::TrailerStart | State::TrailerLine, _) => State::TrailerLine,
            (State::SizeLineFeed { .. } | State::ContentEnd | State::ContentLineFeed, _)
            | (State::TrailerLineFeed | State::Content { .. }, _) => {
                return Err("a chunk that does not end where it says");
            }
        };
        let in_size_line = matches!(self.state, State::Size { .. } | State::Extension { .. });
        if in_size_line && self.line_bytes > SIZE_LINE_BYTES_MAX || self.line_bytes > TRAILER_BYTES_MAX {
            return Err("a chunk line or trailer that does not end");
        }
        Ok(Some(next))
    }

    fn after_size(&mut self, size: u64) -> State {
        self.line_bytes = 0;
        if size == 0 { State::TrailerStart } else { State::Content { left: size } }
    }
}

#[cfg(test)]
mod tests {
    use super::Chunks;
    use super::Step;

    fn decode(text: &[u8]) -> Result<(Step, Vec<u8>), &'static str> {
        let mut body = Vec::new();
        let step = Chunks::new().push(text, &mut |bytes| body.extend_from_slice(bytes))?;
        Ok((step, body))
    }

    #[test]
    fn extensions_and_trailers_are_skipped() {
        let text = b"3;a=\"b\"\r\nabc\r\n0A \r\n0123456789\r\n0\r\nX: y\r\nZ: w\r\n\r\nrest";
        let (step, body) = decode(text).unwrap();
        assert_eq!(step, Step::Done(text.len() - 4));
        assert_eq!(body, b"abc0123456789");
    }

    #[test]
    fn bare_line_feeds_are_accepted() {
        assert_eq!(decode(b"1\nx\n0\n\n").unwrap().0, Step::Done(7));
    }

    #[test]
    fn wrong_sizes_are_errors() {
        for text in [&b"\r\n"[..], b"g\r\n", b"-1\r\n", b"11111111111111111\r\n", b"1\r\nxx\r\n", b"1\rx"] {
            assert!(decode(text).is_err(), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn a_size_line_that_never_ends_is_an_error() {
        let mut text = b"1;".to_vec();
        text.resize(20 * 1024, b'x');
        assert!(decode(&text).is_err());
        let mut trailer = b"0\r\n".to_vec();
        trailer.resize(70 * 1024, b'x');
        assert!(decode(&trailer).is_err());
    }
}
