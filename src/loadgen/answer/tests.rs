//! The reader as a whole: every framing, every cut, and bytes that mean harm.

use proptest::prelude::any;
use proptest::prelude::prop;
use proptest::prelude::prop_assert;
use proptest::prelude::prop_assert_eq;
use proptest::proptest;

use crate::loadgen::answer::AnswerReader;
use crate::loadgen::answer::Progress;
use crate::loadgen::answer::Sink;

#[derive(Debug, Default, PartialEq, Eq)]
struct Kept {
    lines: Vec<Vec<u8>>,
    interim: u32,
    body: Vec<u8>,
}

impl Sink for Kept {
    fn head_line(&mut self, line: &[u8]) {
        self.lines.push(line.to_vec());
    }
    fn interim(&mut self) {
        self.interim += 1;
        self.lines.clear();
    }
    fn body(&mut self, bytes: &[u8]) {
        self.body.extend_from_slice(bytes);
    }
}

/// Everything there is to know after the pieces: end, bytes used in total, status, reuse, and what the sink got.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    end: Result<Option<usize>, &'static str>,
    status: u16,
    reusable: bool,
    whole_at_close: bool,
    kept: Kept,
}

fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Seen {
    let mut reader = AnswerReader::default();
    let mut kept = Kept::default();
    let mut end = Ok(None);
    let mut before = 0;
    for piece in pieces {
        match reader.push(piece, &mut kept) {
            Progress::More => before += piece.len(),
            Progress::Done(taken) => {
                end = Ok(Some(before + taken));
                break;
            }
            Progress::Broken(why) => {
                end = Err(why);
                break;
            }
        }
    }
    let (status, reusable) = (reader.status(), reader.is_reusable());
    Seen { end, status, reusable, whole_at_close: reader.close(), kept }
}

const ANSWERS: [&str; 8] = [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 100 Continue\r\nX: y\r\n\r\nHTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n2;x=1\r\nhe\r\n3\r\nllo\r\n0\r\nA: b\r\n\r\n",
    "HTTP/1.1 204 No Content\r\nServer: x\r\n\r\n",
    "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 304 Not Modified\nContent-Length: 99\n\n",
    "\r\nHTTP/1.1 500 \r\nContent-Length: 1\r\nConnection: close\r\n\r\n!",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
    "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
];

#[test]
fn every_framing_ends_exactly_at_its_end() {
    for text in ANSWERS {
        let with_more = format!("{text}surplus");
        let seen = read([with_more.as_bytes()]);
        assert_eq!(seen.end, Ok(Some(text.len())), "{text}");
    }
}

#[test]
fn one_byte_at_a_time_gives_the_same() {
    for text in ANSWERS {
        let whole = read([text.as_bytes()]);
        assert_eq!(read(text.as_bytes().chunks(1)), whole, "{text}");
    }
}

#[test]
fn a_body_until_close_is_whole_only_when_closed() {
    let seen = read([&b"HTTP/1.1 200 OK\r\n\r\nabc"[..], b"def"]);
    assert_eq!(seen.end, Ok(None));
    assert_eq!(seen.kept.body, b"abcdef");
    assert!(seen.whole_at_close && !seen.reusable);
}

#[test]
fn a_close_inside_a_counted_body_is_not_the_end() {
    assert!(!read([&b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"[..]]).whole_at_close);
    assert!(!read([&b"HTTP/1.1 200 OK\r\nContent-"[..]]).whole_at_close);
}

#[test]
fn what_is_no_http_is_refused_at_its_first_bytes() {
    assert!(read([&b"SSH-2.0"[..]]).end.is_err());
    assert!(read([&b"HTT"[..], b"X"]).end.is_err());
    assert_eq!(read([&b"HTT"[..]]).end, Ok(None));
}

#[test]
fn a_head_without_end_is_refused_at_64_kib() {
    let line = b"X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n";
    let pieces = std::iter::once(&b"HTTP/1.1 200 OK\r\n"[..]).chain(std::iter::repeat_n(&line[..], 3000));
    assert_eq!(read(pieces).end, Err("a head over 64 KiB"));
    let one_line =
        std::iter::once(&b"HTTP/1.1 200 OK\r\nX: "[..]).chain(std::iter::repeat_n(&b"yyyy"[..], 30_000));
    assert_eq!(read(one_line).end, Err("a head over 64 KiB"));
    let interims = std::iter::repeat_n(&b"HTTP/1.1 100 Continue\r\n\r\n"[..], 3000);
    assert_eq!(read(interims).end, Err("a head over 64 KiB"));
}

#[test]
fn a_reader_after_reset_is_like_new() {
    let mut reader = AnswerReader::default();
    let mut kept = Kept::default();
    assert!(matches!(reader.push(b"HTTP/1.1 200 OK\r\nConte", &mut kept), Progress::More));
    reader.reset();
    let text = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    assert_eq!(reader.push(text, &mut kept), Progress::Done(text.len()));
    assert_eq!((reader.body_bytes(), reader.is_reusable()), (2, true));
}

fn cut<'a>(bytes: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let mut rest = bytes;
    let mut pieces = Vec::new();
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at((*length).min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

proptest! {
    #[test]
    fn cuts_never_change_what_is_read(
        which in 0..ANSWERS.len(),
        damage in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
        lengths in prop::collection::vec(1_usize..20, 1..8),
    ) {
        let mut bytes = ANSWERS[which].as_bytes().to_vec();
        if let Some((place, byte)) = damage {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        prop_assert_eq!(read(cut(&bytes, &lengths)), read([&bytes[..]]));
    }

    #[test]
    fn arbitrary_bytes_never_panic_and_are_never_taken_twice(
        begin in prop::sample::select(vec!["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"]),
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        lengths in prop::collection::vec(1_usize..50, 1..4),
    ) {
        let all = [begin.as_bytes(), &bytes].concat();
        let seen = read(cut(&all, &lengths));
        prop_assert!(seen.kept.body.len() <= all.len());
        if let Ok(Some(used)) = seen.end {
            prop_assert!(used <= all.len());
        }
    }
}
