//! Sorts what happened to a request into an outcome class, and says whether it was good.

use std::io;

use crate::model::load::Expect;
use crate::model::measurement::Outcome;

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Class.
    pub outcome: Outcome,
    /// Accepted by `expect`.
    pub good: bool,
}

impl Verdict {
    /// A request without a usable answer.
    pub fn failed(outcome: Outcome) -> Self {
        Self { outcome, good: false }
    }

    /// A whole answer. `found` is whether the text asked for was in the body.
    pub fn answered(status: u16, body_bytes: u64, found: bool, expect: &Expect) -> Self {
        let body_is_good = found && expect.min_bytes.is_none_or(|least| body_bytes >= least);
        if status == expect.status && !body_is_good {
            return Self::failed(Outcome::WrongBody);
        }
        let outcome = match status {
            200..=299 => Outcome::Success,
            300..=399 => Outcome::Redirect,
            400..=499 => Outcome::ClientError,
            _ => Outcome::ServerError,
        };
        Self { outcome, good: status == expect.status }
    }
}

/// The class of an error on an established connection.
pub fn class_of_break(error: &io::Error) -> Outcome {
    match error.kind() {
        io::ErrorKind::TimedOut => Outcome::TimedOut,
        _ => Outcome::Reset,
    }
}

/// The class of a failed connect attempt; none when it is this machine that could not try (no free port, no memory).
pub fn class_of_refusal(error: &io::Error) -> Option<Outcome> {
    match error.kind() {
        io::ErrorKind::ConnectionRefused
        | io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable => Some(Outcome::Refused),
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::NotConnected => Some(Outcome::Reset),
        io::ErrorKind::TimedOut => Some(Outcome::TimedOut),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict;
    use crate::model::load::Expect;
    use crate::model::measurement::Outcome;

    #[test]
    fn classes_follow_the_status_and_goodness_the_expectation() {
        let expect = Expect { status: 301, contains: None, min_bytes: None };
        let seen = |status| Verdict::answered(status, 0, true, &expect);
        assert_eq!(seen(301), Verdict { outcome: Outcome::Redirect, good: true });
        assert_eq!(seen(302), Verdict::failed(Outcome::Redirect));
        assert_eq!(seen(200), Verdict::failed(Outcome::Success));
        assert_eq!(seen(404), Verdict::failed(Outcome::ClientError));
        assert_eq!(seen(999), Verdict::failed(Outcome::ServerError));
        assert_eq!(seen(101), Verdict::failed(Outcome::ServerError));
    }

    #[test]
    fn a_wrong_body_counts_only_where_the_status_is_right() {
        let expect = Expect { status: 200, contains: None, min_bytes: Some(10) };
        assert_eq!(Verdict::answered(200, 9, true, &expect).outcome, Outcome::WrongBody);
        assert_eq!(Verdict::answered(200, 10, false, &expect).outcome, Outcome::WrongBody);
        assert_eq!(Verdict::answered(503, 9, false, &expect).outcome, Outcome::ServerError);
        assert!(Verdict::answered(200, 10, true, &expect).good);
    }
}
