//! The bytes of a GET request, built once. Nothing from a scenario can break out of its line.

use crate::model::secret::Secret;

/// What happens to the connection after the answer, as told to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Persistence {
    /// It will carry more requests (HTTP/1.1's default: nothing is said).
    KeepAlive,
    /// `Connection: close`.
    Close,
}

/// Bytes of an HTTP/1.1 GET. A header of the caller's replaces the one of the same name that would be sent otherwise.
#[must_use]
pub fn request_bytes(
    host: &str,
    path: &str,
    headers: &[(String, Secret)],
    persistence: Persistence,
) -> Vec<u8> {
    let agent = concat!("benchtop/", env!("CARGO_PKG_VERSION"));
    let mut request = format!("GET {} HTTP/1.1\r\n", target(path)).into_bytes();
    let mut defaults = vec![("Host", host), ("User-Agent", agent), ("Accept", "*/*")];
    if persistence == Persistence::Close {
        defaults.push(("Connection", "close"));
    }
    for (name, value) in defaults {
        if !headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
            push_header(&mut request, name, value);
        }
    }
    for (name, value) in headers {
        push_header(&mut request, name, value.reveal());
    }
    request.extend_from_slice(b"\r\n");
    request
}

fn push_header(request: &mut Vec<u8>, name: &str, value: &str) {
    let clean = |byte: u8| if matches!(byte, b'\r' | b'\n' | 0) { b' ' } else { byte };
    request.extend(name.bytes().filter(|byte| byte.is_ascii_graphic() && *byte != b':'));
    request.extend_from_slice(b": ");
    request.extend(value.bytes().map(clean));
    request.extend_from_slice(b"\r\n");
}

/// The request target: blanks, control characters and non-ASCII bytes percent-encoded, a leading slash added.
fn target(path: &str) -> String {
    let mut target = String::with_capacity(path.len() + 1);
    if !path.starts_with('/') {
        target.push('/');
    }
    for byte in path.bytes() {
        if byte.is_ascii_graphic() {
            target.push(char::from(byte));
        } else {
            target.push_str(&format!("%{byte:02X}"));
        }
    }
    target
}

#[cfg(test)]
mod tests {
    use super::Persistence;
    use super::request_bytes;
    use crate::model::secret::Secret;

    fn text(path: &str, headers: &[(&str, &str)], persistence: Persistence) -> String {
        let headers: Vec<(String, Secret)> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), Secret::new(*value))).collect();
        String::from_utf8(request_bytes("www.example.org", path, &headers, persistence)).unwrap()
    }

    #[test]
    fn a_plain_request_has_three_headers() {
        let agent = concat!("benchtop/", env!("CARGO_PKG_VERSION"));
        assert_eq!(
            text("/a?b=c", &[], Persistence::KeepAlive),
            format!(
                "GET /a?b=c HTTP/1.1\r\nHost: www.example.org\r\nUser-Agent: {agent}\r\nAccept: */*\r\n\r\n"
            )
        );
        assert!(text("/", &[], Persistence::Close).contains("\r\nConnection: close\r\n"));
    }

    #[test]
    fn a_header_of_the_scenario_replaces_the_default() {
        let request = text("/", &[("host", "other"), ("X-Token", "s3cret")], Persistence::KeepAlive);
        assert!(!request.contains("www.example.org"));
        assert!(request.contains("host: other\r\nX-Token: s3cret\r\n\r\n"));
    }

    #[test]
    fn nothing_breaks_out_of_its_line() {
        let request = text("/a b\r\nX: y", &[("A\r\nB", "c\r\nD: e")], Persistence::KeepAlive);
        assert!(request.starts_with("GET /a%20b%0D%0AX:%20y HTTP/1.1\r\n"));
        assert_eq!(request.matches("\r\n").count(), 6);
    }
}
