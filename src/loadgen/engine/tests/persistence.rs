//! Connections: kept, closed by either side, lost between requests; and answers in every framing.

use std::io::Write as _;
use std::net::TcpStream;

use super::measure;
use super::spec;
use crate::loadgen::contract::CellSpec;
use crate::loadgen::scripted::Scripted;
use crate::loadgen::scripted::answer;
use crate::loadgen::scripted::read_request;
use crate::loadgen::scripted::wait_for_close;
use crate::model::load::Expect;
use crate::model::load::Extent;
use crate::model::measurement::Outcome;

/// One connection, so that the counts below are exact.
fn single(server: &Scripted) -> CellSpec {
    CellSpec { connections: 1, ..spec(server.address) }
}

#[test]
fn a_kept_connection_is_used_again() {
    let server = Scripted::answering(answer("200 OK", "x"));
    let seen = measure(&single(&server));
    assert_eq!((seen.good, seen.reused, seen.generator.connections_opened), (6, 5, 1));
    assert_eq!(server.accepted(), 1);
}

#[test]
fn without_keep_alive_every_request_has_its_connection() {
    let server = Scripted::answering(answer("200 OK", "x"));
    let seen = measure(&CellSpec { keep_alive: false, ..single(&server) });
    assert_eq!((seen.good, seen.reused, seen.generator.connections_opened), (6, 0, 6));
}

#[test]
fn a_server_that_says_close_gets_a_new_connection() {
    let bytes = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
    let server = Scripted::answering(bytes);
    let seen = measure(&single(&server));
    assert_eq!((seen.good, seen.reused, seen.generator.connections_opened), (6, 0, 6));
}

#[test]
fn http_1_0_is_kept_only_when_it_says_so() {
    let closing = Scripted::answering_once("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok");
    assert_eq!(measure(&single(&closing)).reused, 0);
    let kept =
        Scripted::answering("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok");
    assert_eq!(measure(&single(&kept)).reused, 5);
}

#[test]
fn a_body_ended_by_the_close_is_whole() {
    let server = Scripted::answering_once("HTTP/1.1 200 OK\r\n\r\nall of it");
    let cell = CellSpec {
        expect: Expect { status: 200, contains: Some("all of it".to_owned()), min_bytes: Some(9) },
        ..single(&server)
    };
    let seen = measure(&cell);
    assert_eq!((seen.good, seen.body_bytes), (6, 54));
}

#[test]
fn a_connection_closed_between_requests_is_replaced_without_an_error() {
    let server = Scripted::new(|stream, _| {
        for _ in 0..2 {
            if !read_request(stream) || stream.write_all(answer("200 OK", "x").as_bytes()).is_err() {
                return;
            }
        }
    });
    let seen = measure(&CellSpec { extent: Extent::Requests(8), ..single(&server) });
    assert_eq!((seen.good, seen.generator.connections_opened, seen.reused), (8, 4, 4));
}

#[test]
fn a_connection_closed_after_the_next_request_is_replaced_once() {
    let server = Scripted::new(|stream, number| {
        if read_request(stream) && number == 0 {
            let _ = stream.write_all(answer("200 OK", "x").as_bytes());
            read_request(stream);
        }
    });
    let seen = measure(&CellSpec { extent: Extent::Requests(3), ..single(&server) });
    assert_eq!(seen.outcomes.get(&Outcome::Success), Some(&1));
    assert_eq!(seen.outcomes.get(&Outcome::ClosedEarly), Some(&2));
    assert_eq!(seen.generator.connections_opened, 3);
}

#[test]
fn a_kept_connection_that_breaks_inside_an_answer_is_an_error() {
    let server = Scripted::new(|stream, _| {
        if read_request(stream) {
            let _ = stream.write_all(answer("200 OK", "x").as_bytes());
            read_request(stream);
            let _ = stream.write_all(b"HTTP/1.1 200");
        }
    });
    let seen = measure(&single(&server));
    assert_eq!((seen.good, seen.outcomes[&Outcome::ClosedEarly]), (3, 3));
}

#[test]
fn bytes_after_an_answer_end_its_connection() {
    let server = Scripted::answering(format!("{}HTTP/1.1 500 surplus", answer("200 OK", "x")));
    let seen = measure(&single(&server));
    assert_eq!((seen.good, seen.reused), (6, 0));
}

fn by_the_byte(stream: &mut TcpStream, bytes: &[u8]) -> bool {
    stream.set_nodelay(true).unwrap();
    bytes.iter().all(|byte| stream.write_all(&[*byte]).is_ok())
}

#[test]
fn chunks_trailers_and_interim_answers_come_one_byte_at_a_time() {
    let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
                4;x=\"y\"\r\n<htm\r\n3\r\nl/>\r\n0\r\nDigest: z\r\n\r\n";
    let server =
        Scripted::new(|stream, _| while read_request(stream) && by_the_byte(stream, text.as_bytes()) {});
    let cell = CellSpec {
        expect: Expect { status: 200, contains: Some("<html/>".to_owned()), min_bytes: Some(7) },
        ..single(&server)
    };
    let seen = measure(&cell);
    assert_eq!((seen.good, seen.reused, seen.body_bytes), (6, 5, 42));
}

#[test]
fn answers_without_a_body_are_whole_at_their_head() {
    for (status, line) in [(204, "HTTP/1.1 204 No Content"), (304, "HTTP/1.1 304 Same\r\nContent-Length: 9")]
    {
        let server = Scripted::answering(format!("{line}\r\n\r\n"));
        let expect = Expect { status, contains: None, min_bytes: None };
        let seen = measure(&CellSpec { expect, ..single(&server) });
        assert_eq!((seen.good, seen.reused), (6, 5));
    }
}

#[test]
fn connections_go_round_the_addresses() {
    let one = Scripted::answering(answer("200 OK", "x"));
    let two = Scripted::new(|stream, _| wait_for_close(stream));
    let cell = CellSpec { addresses: vec![one.address, two.address], connections: 5, ..spec(one.address) };
    let seen = measure(&cell);
    assert_eq!(seen.good, 6);
    one.wait_for_accepted(3);
    two.wait_for_accepted(2);
    assert!(seen.unfinished >= 2);
}
