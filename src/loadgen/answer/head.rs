//! What the lines of an answer's head say about its framing (RFC 9112). Lines come whole, without their line end.

/// How the body is delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Exactly this many bytes (none for 204, 304 and 101).
    Length(u64),
    /// Transfer coding `chunked`.
    Chunked,
    /// Everything until the peer closes.
    UntilClose,
}

/// What is known of a head after some of its lines.
#[derive(Debug, Clone, Copy, Default)]
pub struct Head {
    status: u16,
    minor: u8,
    content_length: Option<u64>,
    coded: bool,
    chunked: bool,
    close: bool,
    keep_alive: bool,
}

impl Head {
    /// Reads `HTTP/1.1 200 OK`; the reason may be missing altogether.
    pub fn from_status_line(line: &[u8]) -> Result<Self, &'static str> {
        let [b'H', b'T', b'T', b'P', b'/', b'1', b'.', minor, b' ', a, b, c, rest @ ..] = line else {
            return Err("no HTTP/1 status line");
        };
        let digits = [*minor, *a, *b, *c];
        if !digits.iter().all(u8::is_ascii_digit) || !matches!(rest.first(), None | Some(b' ')) {
            return Err("a status line without a three-digit status");
        }
        let status = digits[1..].iter().fold(0_u16, |sum, digit| sum * 10 + u16::from(digit - b'0'));
        Ok(Self { status, minor: minor - b'0', ..Self::default() })
    }

    /// Takes a header line; only those about framing and connection are looked at.
    pub fn header(&mut self, line: &[u8]) -> Result<(), &'static str> {
        if matches!(line.first(), Some(b' ' | b'\t')) {
            return Ok(()); // A folded line belongs to the one before it, which is none of ours.
        }
        let colon = memchr::memchr(b':', line).ok_or("a header line without a colon")?;
        let name = line[..colon].trim_ascii_end();
        let value = &line[colon + 1..];
        match name.len() {
            10 if name.eq_ignore_ascii_case(b"connection") => self.connection(value),
            14 if name.eq_ignore_ascii_case(b"content-length") => return self.content_length(value),
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => self.transfer_encoding(value),
            _ => {}
        }
        Ok(())
    }

    fn connection(&mut self, value: &[u8]) {
        for token in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
            self.close |= token.eq_ignore_ascii_case(b"close");
            self.keep_alive |= token.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    fn content_length(&mut self, value: &[u8]) -> Result<(), &'static str> {
        for token in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
            let length = decimal(token).ok_or("a content length that is no number")?;
            if self.content_length.is_some_and(|before| before != length) {
                return Err("two different content lengths");
            }
            self.content_length = Some(length);
        }
        Ok(())
    }

    fn transfer_encoding(&mut self, value: &[u8]) {
        for token in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
            if !token.is_empty() && !token.eq_ignore_ascii_case(b"identity") {
                self.coded = true;
                self.chunked = token.eq_ignore_ascii_case(b"chunked");
            }
        }
    }

    /// Status code, 0–999.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// An interim answer (100, 103, …) that the real one follows. 101 ends the conversation in HTTP and is final.
    pub fn is_interim(&self) -> bool {
        (100..200).contains(&self.status) && self.status != 101
    }

    /// How the body is delimited (RFC 9112 section 6.3, for an answer to GET).
    pub fn framing(&self) -> Framing {
        match (self.status, self.coded, self.content_length) {
            (101 | 204 | 304, ..) => Framing::Length(0),
            (_, true, _) if self.chunked => Framing::Chunked,
            (_, false, Some(length)) => Framing::Length(length),
            _ => Framing::UntilClose,
        }
    }

    /// The connection may carry another request. Doubtful framing (both kinds, or a coding in HTTP/1.0) says no.
    pub fn is_reusable(&self) -> bool {
        let wanted = if self.minor == 0 { self.keep_alive } else { true };
        let doubtful = self.coded && (self.content_length.is_some() || self.minor == 0);
        wanted && !self.close && !doubtful && self.status != 101 && self.framing() != Framing::UntilClose
    }
}

fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |sum, digit| {
        let value = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        sum.checked_mul(10)?.checked_add(value)
    })
}

#[cfg(test)]
mod tests {
    use super::Framing;
    use super::Head;

    fn head(lines: &[&str]) -> Result<Head, &'static str> {
        let mut head = Head::from_status_line(lines[0].as_bytes())?;
        for line in &lines[1..] {
            head.header(line.as_bytes())?;
        }
        Ok(head)
    }

    #[test]
    fn a_status_line_needs_no_reason() {
        assert_eq!(head(&["HTTP/1.1 404"]).unwrap().status(), 404);
        assert_eq!(head(&["HTTP/1.0 999 What"]).unwrap().status(), 999);
    }

    #[test]
    fn what_is_no_status_line_is_refused() {
        for line in ["", "HTTP/2 200", "HTTP/1.1 20", "HTTP/1.1 2000", "ICY 200 OK", "HTTP/1.1  200"] {
            assert!(head(&[line]).is_err(), "{line}");
        }
    }

    #[test]
    fn framing_follows_status_then_coding_then_length() {
        let framing = |lines: &[&str]| head(lines).unwrap().framing();
        assert_eq!(framing(&["HTTP/1.1 304 x", "Content-Length: 7"]), Framing::Length(0));
        assert_eq!(framing(&["HTTP/1.1 200 x", "content-length : 7"]), Framing::Length(7));
        assert_eq!(
            framing(&["HTTP/1.1 200 x", "Content-Length: 7", "Transfer-Encoding: gzip, CHUNKED"]),
            Framing::Chunked
        );
        assert_eq!(framing(&["HTTP/1.1 200 x", "Transfer-Encoding: chunked, gzip"]), Framing::UntilClose);
        assert_eq!(framing(&["HTTP/1.1 200 x"]), Framing::UntilClose);
    }

    #[test]
    fn lengths_must_agree_and_fit() {
        assert!(head(&["HTTP/1.1 200 x", "Content-Length: 5, 5"]).is_ok());
        for value in ["5, 6", "-1", "", "0x5", "18446744073709551616"] {
            assert!(head(&["HTTP/1.1 200 x", &format!("Content-Length: {value}")]).is_err(), "{value}");
        }
    }

    #[test]
    fn reuse_follows_version_and_connection_header() {
        let reusable = |lines: &[&str]| head(lines).unwrap().is_reusable();
        assert!(reusable(&["HTTP/1.1 200 x", "Content-Length: 1"]));
        assert!(!reusable(&["HTTP/1.1 200 x", "Content-Length: 1", "Connection: foo, Close"]));
        assert!(!reusable(&["HTTP/1.0 200 x", "Content-Length: 1"]));
        assert!(reusable(&["HTTP/1.0 200 x", "Content-Length: 1", "Connection: Keep-Alive"]));
        assert!(!reusable(&["HTTP/1.1 200 x"]));
        assert!(!reusable(&["HTTP/1.1 200 x", "Content-Length: 1", "Transfer-Encoding: chunked"]));
    }
}
