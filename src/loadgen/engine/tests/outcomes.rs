//! Every way a request can end has its class.

use std::io::Write as _;
use std::time::Duration;

use super::measure;
use super::spec;
use crate::loadgen::scripted::Scripted;
use crate::loadgen::scripted::answer;
use crate::loadgen::scripted::read_request;
use crate::loadgen::scripted::refusing_address;
use crate::loadgen::scripted::reset;
use crate::loadgen::scripted::wait_for_close;
use crate::model::load::Expect;
use crate::model::measurement::Measurement;
use crate::model::measurement::Outcome;

/// All six requests ended in this class; so many of them were good.
fn all(seen: &Measurement, outcome: Outcome, good: u64) {
    assert_eq!(
        seen.outcomes.iter().map(|(class, count)| (*class, *count)).collect::<Vec<_>>(),
        [(outcome, 6)]
    );
    assert_eq!(seen.good, good);
}

fn expecting(server: &Scripted, contains: Option<&str>, min_bytes: Option<u64>) -> Measurement {
    let mut cell = spec(server.address);
    cell.expect = Expect { status: 200, contains: contains.map(str::to_owned), min_bytes };
    measure(&cell)
}

/// The connection's first answer, whatever its request.
fn one_answer(bytes: &'static [u8]) -> Measurement {
    let server = Scripted::answering_once(bytes);
    measure(&spec(server.address))
}

#[test]
fn a_good_answer_is_good() {
    let server = Scripted::answering(answer("200 OK", "hello"));
    let seen = expecting(&server, Some("ell"), Some(5));
    all(&seen, Outcome::Success, 6);
    assert_eq!((seen.body_bytes, seen.good_body_bytes_range), (30, Some((5, 5))));
    assert_eq!(seen.bytes, 6 * answer("200 OK", "hello").len() as u64);
}

#[test]
fn a_missing_text_or_a_short_body_is_a_wrong_body() {
    let server = Scripted::answering(answer("200 OK", "hello"));
    all(&expecting(&server, Some("</html>"), None), Outcome::WrongBody, 0);
    all(&expecting(&server, None, Some(6)), Outcome::WrongBody, 0);
}

#[test]
fn other_statuses_have_their_classes() {
    for (status, outcome) in [
        ("301 Moved", Outcome::Redirect),
        ("404 Not Found", Outcome::ClientError),
        ("503 Busy", Outcome::ServerError),
        ("700 ?", Outcome::ServerError),
        ("206 Partial", Outcome::Success),
    ] {
        let server = Scripted::answering(answer(status, "x"));
        all(&measure(&spec(server.address)), outcome, 0);
    }
}

#[test]
fn a_dead_target_is_refused_and_costs_time_not_requests() {
    let seen = measure(&spec(refusing_address()));
    all(&seen, Outcome::Refused, 0);
    // Two slots with three attempts each rest at least 10 and 20 ms in between.
    assert!(seen.duration_s >= 0.03, "{}", seen.duration_s);
    assert!(seen.generator.in_flight_mean < 2.0);
    assert_eq!(seen.generator.connections_opened, 0);
}

#[test]
fn a_reset_is_a_reset() {
    let server = Scripted::new(|stream, _| {
        read_request(stream);
        reset(stream);
    });
    all(&measure(&spec(server.address)), Outcome::Reset, 0);
}

#[test]
fn a_close_without_or_inside_an_answer_is_closed_early() {
    all(&one_answer(b""), Outcome::ClosedEarly, 0);
    all(&one_answer(b"HTTP/1.1 200 OK\r\nContent-Le"), Outcome::ClosedEarly, 0);
    all(&one_answer(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), Outcome::ClosedEarly, 0);
    all(
        &one_answer(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
        Outcome::ClosedEarly,
        0,
    );
}

#[test]
fn a_server_that_accepts_and_closes_at_once_is_never_good() {
    let server = Scripted::new(|_, _| {});
    let seen = measure(&spec(server.address));
    assert_eq!(seen.good, 0);
    let bad = |outcome: &Outcome| matches!(outcome, Outcome::ClosedEarly | Outcome::Reset);
    assert!(seen.outcomes.keys().all(bad), "{:?}", seen.outcomes);
}

#[test]
fn no_answer_or_a_stalled_one_times_out_on_time() {
    for begun in
        ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\nx"]
    {
        let server = Scripted::new(move |stream, _| {
            let _ = stream.write_all(begun.as_bytes());
            wait_for_close(stream);
        });
        let mut cell = spec(server.address);
        cell.timeout = Duration::from_millis(60);
        let seen = measure(&cell);
        all(&seen, Outcome::TimedOut, 0);
        assert!(seen.latency_us_sum >= 6 * 60_000);
        assert_eq!(seen.reused, 0);
    }
}

#[test]
fn a_body_that_never_ends_is_ended_by_the_timeout() {
    let server = Scripted::new(|stream, _| {
        read_request(stream);
        let flood = vec![b'x'; 256 * 1024];
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&flood).is_ok() {}
    });
    let mut cell = spec(server.address);
    cell.timeout = Duration::from_millis(60);
    let seen = measure(&cell);
    all(&seen, Outcome::TimedOut, 0);
    assert!(seen.body_bytes > 64 * 1024);
}

#[test]
fn what_is_no_http_is_closed_early_without_waiting() {
    let server = Scripted::new(|stream, _| {
        let _ = stream.write_all(b"220 mail.example.org ESMTP\r\n");
        wait_for_close(stream);
    });
    all(&measure(&spec(server.address)), Outcome::ClosedEarly, 0);
}

#[test]
fn a_head_without_end_and_an_overflowing_chunk_are_closed_early() {
    let endless = Scripted::new(|stream, _| {
        read_request(stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"X-Filler: yyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n").is_ok() {}
    });
    all(&measure(&spec(endless.address)), Outcome::ClosedEarly, 0);
    let chunk = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n";
    all(&one_answer(chunk), Outcome::ClosedEarly, 0);
}

#[test]
fn an_answer_before_the_request_was_asked_is_an_answer() {
    let early = answer("200 OK", "early");
    let server = Scripted::new(move |stream, _| {
        let _ = stream.write_all(early.as_bytes());
        wait_for_close(stream);
    });
    let mut cell = spec(server.address);
    cell.keep_alive = false;
    all(&measure(&cell), Outcome::Success, 6);
}

#[test]
fn an_answer_while_a_long_request_is_still_being_sent_counts_and_ends_the_connection() {
    let too_large = answer("413 Too Large", "no");
    let server = Scripted::new(move |stream, _| {
        let _ = stream.write_all(too_large.as_bytes());
        std::thread::park_timeout(Duration::from_millis(50));
    });
    let mut cell = spec(server.address);
    cell.path = format!("/{}", "x".repeat(8 * 1024 * 1024));
    let seen = measure(&cell);
    all(&seen, Outcome::ClientError, 0);
    assert_eq!(seen.reused, 0);
}
