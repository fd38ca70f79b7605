//! Single exchanges against a server that misbehaves.

use std::io::Write as _;
use std::time::Duration;

use crate::loadgen::contract::FetchRequest;
use crate::loadgen::error::LoadError;
use crate::loadgen::scripted::Scripted;
use crate::loadgen::scripted::answer;
use crate::loadgen::scripted::refusing_address;
use crate::loadgen::scripted::wait_for_close;
use crate::loadgen::single::exchange;
use crate::loadgen::single::fetch;

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(50);

fn request(address: std::net::SocketAddr) -> FetchRequest {
    FetchRequest {
        address,
        host: "www.example.org".to_owned(),
        path: "/status".to_owned(),
        headers: Vec::new(),
        at_most: LONG,
        body_bytes_max: 100,
    }
}

#[tokio::test]
async fn a_chunked_answer_comes_decoded_with_its_head() {
    let text = "HTTP/1.1 100 Continue\r\nX: 1\r\n\r\nHTTP/1.1 404 Not Found\r\nServer: a\r\nTransfer-Encoding: chunked\r\n\r\n\
                3\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\n";
    let server = Scripted::answering_once(text);
    let seen = fetch(&request(server.address)).await.unwrap();
    assert_eq!((seen.status, seen.body.as_slice()), (404, &b"abcde"[..]));
    assert_eq!(seen.head, "HTTP/1.1 404 Not Found\r\nServer: a\r\nTransfer-Encoding: chunked");
    assert_eq!(seen.header("SERVER"), Some("a"));
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused() {
    let server = Scripted::answering(answer("200 OK", &"x".repeat(101)));
    assert!(matches!(fetch(&request(server.address)).await, Err(LoadError::BadAnswer { .. })));
    let fits = Scripted::answering(answer("200 OK", &"x".repeat(100)));
    assert_eq!(fetch(&request(fits.address)).await.unwrap().body.len(), 100);
}

#[tokio::test]
async fn no_answer_says_why() {
    let silent = Scripted::new(|stream, _| wait_for_close(stream));
    let half = Scripted::answering_once("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
    for (address, at_most, kind) in [
        (silent.address, SHORT, std::io::ErrorKind::TimedOut),
        (half.address, LONG, std::io::ErrorKind::UnexpectedEof),
        (refusing_address(), LONG, std::io::ErrorKind::ConnectionRefused),
    ] {
        match fetch(&FetchRequest { at_most, ..request(address) }).await {
            Err(LoadError::NoAnswer { source, .. }) => assert_eq!(source.kind(), kind),
            other => panic!("{other:?}"),
        }
    }
    let mail = Scripted::answering("220 mail\r\n");
    assert!(matches!(fetch(&request(mail.address)).await, Err(LoadError::BadAnswer { .. })));
}

#[tokio::test]
async fn an_exchange_returns_what_came_by_close_or_by_time() {
    let closing = Scripted::new(|stream, _| {
        let _ = stream.write_all(b"hello");
    });
    assert_eq!(exchange(closing.address, b"?", LONG).await.unwrap(), b"hello");
    let open = Scripted::new(|stream, _| {
        let _ = stream.write_all(b"hello");
        wait_for_close(stream);
    });
    assert!(exchange(open.address, b"stats\r\n", SHORT).await.unwrap().len() <= 5);
    // Nothing to say: the connection is the answer, whatever the peer would have said later.
    assert_eq!(exchange(open.address, b"", LONG).await.unwrap(), b"");
    let endless = Scripted::new(|stream, _| while stream.write_all(&[b'x'; 65536]).is_ok() {});
    assert_eq!(exchange(endless.address, b"?", LONG).await.unwrap().len(), 1 << 20);
    assert!(matches!(exchange(refusing_address(), b"", LONG).await, Err(LoadError::NoAnswer { .. })));
}
