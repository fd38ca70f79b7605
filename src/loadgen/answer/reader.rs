//! Reads one HTTP/1.x answer from pieces of any size. Copies nothing but lines cut by a piece's end; the body goes to a
//! sink. Whatever comes, its memory stays under [`HEAD_BYTES_MAX`].

use crate::loadgen::answer::chunks::Chunks;
use crate::loadgen::answer::chunks::Step;
use crate::loadgen::answer::head::Framing;
use crate::loadgen::answer::head::Head;

/// Longest head in bytes, interim answers included.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;
/// A line buffer that grew beyond this is given back after the answer.
const LINE_BYTES_KEPT: usize = 4 * 1024;

/// Who gets what was read.
pub trait Sink {
    /// A line of a head, without its line end.
    fn head_line(&mut self, _line: &[u8]) {}
    /// The head so far was that of an interim answer.
    fn interim(&mut self) {}
    /// Body bytes, transfer coding undone.
    fn body(&mut self, bytes: &[u8]);
}

/// What a piece led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// More must come.
    More,
    /// The answer is whole; this many bytes of the piece belonged to it.
    Done(usize),
    /// This is no HTTP, and why.
    Broken(&'static str),
}

#[derive(Debug, Clone, Copy)]
enum Stage {
    StatusLine,
    Headers,
    Length(u64),
    Chunked(Chunks),
    UntilClose,
    Done,
    Broken(&'static str),
}

/// One answer being read; `reset` makes it ready for the next one.
#[derive(Debug)]
pub struct AnswerReader {
    stage: Stage,
    head: Head,
    head_bytes: usize,
    line: Vec<u8>,
    body_bytes: u64,
}

impl Default for AnswerReader {
    fn default() -> Self {
        Self {
            stage: Stage::StatusLine,
            head: Head::default(),
            head_bytes: 0,
            line: Vec::new(),
            body_bytes: 0,
        }
    }
}

impl AnswerReader {
    /// Begins anew; keeps its line buffer unless it grew large.
    pub fn reset(&mut self) {
        self.stage = Stage::StatusLine;
        self.head_bytes = 0;
        self.body_bytes = 0;
        self.line.clear();
        self.line.shrink_to(LINE_BYTES_KEPT);
    }

    /// Status code; 0 before the status line.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.head.status()
    }

    /// Body bytes so far.
    #[must_use]
    pub fn body_bytes(&self) -> u64 {
        self.body_bytes
    }

    /// After a whole answer: the connection may carry another request.
    #[must_use]
    pub fn is_reusable(&self) -> bool {
        matches!(self.stage, Stage::Done) && self.head.is_reusable()
    }

    /// Takes the next piece. After `Done` or `Broken` nothing more is taken.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Progress {
        let mut at = 0;
        loop {
            let rest = &bytes[at..];
            match self.stage {
                Stage::Done => return Progress::Done(at),
                Stage::Broken(why) => return Progress::Broken(why),
                Stage::StatusLine | Stage::Headers => match self.push_head(rest, sink) {
                    Ok(Some(taken)) => at += taken,
                    Ok(None) => return Progress::More,
                    Err(why) => self.stage = Stage::Broken(why),
                },
                _ if rest.is_empty() => return Progress::More,
                Stage::UntilClose => {
                    self.take_body(rest, sink);
                    return Progress::More;
                }
                Stage::Length(left) => {
                    let taken = left.min(rest.len() as u64);
                    // It fits: it is at most the length of a slice.
                    self.take_body(&rest[..taken as usize], sink);
                    at += taken as usize;
                    self.stage = if taken == left { Stage::Done } else { Stage::Length(left - taken) };
                }
                Stage::Chunked(mut chunks) => {
                    let step = chunks.push(rest, &mut |content| self.take_body(content, sink));
                    match step {
                        Ok(Step::More) => {
                            self.stage = Stage::Chunked(chunks);
                            return Progress::More;
                        }
                        Ok(Step::Done(taken)) => {
                            at += taken;
                            self.stage = Stage::Done;
                        }
                        Err(why) => self.stage = Stage::Broken(why),
                    }
                }
            }
        }
    }

    /// The peer closed. True when that ends the answer as it should: a body delimited by the close.
    pub fn close(&mut self) -> bool {
        let whole = matches!(self.stage, Stage::UntilClose | Stage::Done);
        if whole {
            self.stage = Stage::Done;
        }
        whole
    }

    fn take_body(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        self.body_bytes += bytes.len() as u64;
        sink.body(bytes);
    }

    /// Takes lines until the head is over (some bytes taken) or the piece is (none).
    fn push_head(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Result<Option<usize>, &'static str> {
        let mut at = 0;
        while let Some(length) = memchr::memchr(b'\n', &bytes[at..]) {
            let piece = &bytes[at..at + length];
            at += length + 1;
            self.count_head(length + 1)?;
            let over = if self.line.is_empty() {
                self.take_line(piece, sink)?
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(piece);
                let over = self.take_line(&line, sink);
                line.clear();
                self.line = line;
                over?
            };
            if over {
                return Ok(Some(at));
            }
        }
        self.count_head(bytes.len() - at)?;
        self.line.extend_from_slice(&bytes[at..]);
        if matches!(self.stage, Stage::StatusLine) {
            expect_status_line(&self.line)?;
        }
        Ok(None)
    }

    fn count_head(&mut self, bytes: usize) -> Result<(), &'static str> {
        self.head_bytes += bytes;
        if self.head_bytes > HEAD_BYTES_MAX { Err("a head over 64 KiB") } else { Ok(()) }
    }

    /// Takes one line; true when it ended the head of the final answer.
    fn take_line(&mut self, line: &[u8], sink: &mut impl Sink) -> Result<bool, &'static str> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match (self.stage, line.is_empty()) {
            (Stage::StatusLine, true) => Ok(false), // Some servers send a stray line end after a body.
            (Stage::StatusLine, false) => {
                self.head = Head::from_status_line(line)?;
                self.stage = Stage::Headers;
                sink.head_line(line);
                Ok(false)
            }
            (_, false) => {
                self.head.header(line)?;
                sink.head_line(line);
                Ok(false)
            }
            (_, true) if self.head.is_interim() => {
                self.stage = Stage::StatusLine;
                sink.interim();
                Ok(false)
            }
            (_, true) => {
                self.stage = match self.head.framing() {
                    Framing::Length(0) => Stage::Done,
                    Framing::Length(length) => Stage::Length(length),
                    Framing::Chunked => Stage::Chunked(Chunks::new()),
                    Framing::UntilClose => Stage::UntilClose,
                };
                Ok(true)
            }
        }
    }
}

/// Refuses early what cannot become a status line, so that a peer that speaks something else is not waited for.
fn expect_status_line(begun: &[u8]) -> Result<(), &'static str> {
    const BEGIN: &[u8] = b"HTTP/1.";
    let common = BEGIN.len().min(begun.len());
    if begun[..common] == BEGIN[..common] || begun == b"\r" { Ok(()) } else { Err("no HTTP/1 status line") }
}
