//! The fixed words of findings and outcomes. The numbers beside them come from the rules that raise them.

pub(super) mod phrase;

use crate::model::finding::FindingKind;
use crate::model::measurement::Outcome;
use crate::report::words::phrase::phrases;

phrases! {
    /// Under the heading of findings when there are none.
    no_findings() {
        "None: no check had anything to object to.",
        "Ninguno: ninguna comprobación encontró nada que objetar."
    }
}

/// How an outcome class is called in a table.
pub(super) const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "2xx",
        Outcome::Redirect => "3xx",
        Outcome::ClientError => "4xx",
        Outcome::ServerError => "5xx",
        Outcome::WrongBody => "wrong body",
        Outcome::Refused => "refused",
        Outcome::Reset => "reset",
        Outcome::ClosedEarly => "closed early",
        Outcome::TimedOut => "timed out",
    }
}

/// Every class, in the order of tables.
pub(super) const OUTCOMES: [Outcome; 9] = [
    Outcome::Success,
    Outcome::Redirect,
    Outcome::ClientError,
    Outcome::ServerError,
    Outcome::WrongBody,
    Outcome::Refused,
    Outcome::Reset,
    Outcome::ClosedEarly,
    Outcome::TimedOut,
];

/// The finding's heading.
pub(super) const fn title(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::ErrorsCountedAsThroughput => "Errors would have counted as throughput",
        FindingKind::LengthVaries => "The length of the page varies, and nothing failed",
        FindingKind::KeepAliveNotObtained => "Keep-alive was asked for and not obtained",
        FindingKind::ColdFirstRepetition => "The first repetition was cold",
        FindingKind::Drift => "Results drift during the run",
        FindingKind::TooNoisy => "Too noisy for small differences",
        FindingKind::RunTooShort => "The window is short for the response time",
        FindingKind::CpuOverpromised => "More CPU is promised than there is",
        FindingKind::WebServerOutOfConnections => "A web server ran out of connections",
        FindingKind::CpuThrottled => "A node's CPU limit held it back",
        FindingKind::OomKill => "The kernel killed a process for memory",
        FindingKind::WorkersAllBusy => "Every worker was busy",
        FindingKind::GeneratorWasTheLimit => "The load generator was the limit",
        FindingKind::LittleDoesNotHold => "Rate, latency and connections do not fit together",
        FindingKind::RedirectsMeasured => "Redirects were measured instead of the page",
        FindingKind::OrderConfounded => "The order of the cells was not random",
        FindingKind::ServiceDied => "A service died",
    }
}

/// The finding as the reason a row is struck: a fragment.
pub(super) fn reason(kind: FindingKind) -> String {
    match kind {
        FindingKind::WebServerOutOfConnections => "web server out of connections".to_owned(),
        FindingKind::OomKill => "killed for memory".to_owned(),
        FindingKind::WorkersAllBusy => "every worker busy".to_owned(),
        FindingKind::ServiceDied => "a service died".to_owned(),
        other => other.name().replace('_', " "),
    }
}

/// What to do about it.
pub(super) const fn advice(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::ErrorsCountedAsThroughput => {
            "Quote goodput, never the bare number of answers per second: an instant error is faster than any page. \
             Look at the failures by class to see which tier gave up."
        }
        FindingKind::LengthVaries => {
            "Do not read a changing length as a failure: the page is dynamic. To be sure of its content, let \
             `target.expect` look for a text (`contains`) or a smallest size (`min_bytes`)."
        }
        FindingKind::KeepAliveNotObtained => {
            "Every request paid for a new connection. Look at the server's keep-alive settings and at what its answers \
             say (`Connection: close`), or set `keep_alive: false` so that the scenario says what happens."
        }
        FindingKind::ColdFirstRepetition => {
            "Make `load.warm_up` longer, or measure one round more: caches, opcode caches and buffer pools were still \
             filling, and the cold value is part of the mean."
        }
        FindingKind::Drift => {
            "Comparisons are made within rounds and stay valid; means and intervals of single cells do not describe a \
             steady state. Look for what grows or heats up: logs, caches, tables, other work on the host."
        }
        FindingKind::TooNoisy => {
            "Close other work on the host, lengthen `load.duration`, or measure more rounds (`--repeat 10`) before \
             drawing conclusions from small differences."
        }
        FindingKind::RunTooShort => {
            "Lengthen `load.duration` to at least five response times (fifty are better), or lower the number of \
             connections: too much of the window is its beginning and its end."
        }
        FindingKind::CpuOverpromised => {
            "Lower `cpus:` or take fewer nodes: when all are busy the nodes share what there is, so that a node more \
             takes from the others, and the load generator needs its part too."
        }
        FindingKind::WebServerOutOfConnections => {
            "A request handed on to another tier takes two connections. Raise the limit, or keep fewer requests in \
             flight in front of it (a queue in the balancer); the rate of errors is not speed."
        }
        FindingKind::CpuThrottled => {
            "This tier had no CPU left at these levels: more CPU, more nodes of it, or less work for each request (a \
             cache) raise the rate; more workers do not."
        }
        FindingKind::OomKill => {
            "Lower the number of workers or buffers until the worst case fits the node's memory, or give it more: size \
             a worker by what it takes under load, not when idle."
        }
        FindingKind::WorkersAllBusy => {
            "Requests waited for a free worker. If the node's CPU was not full, more workers help as far as its memory \
             allows; if it was, they only lengthen the queue inside."
        }
        FindingKind::GeneratorWasTheLimit => {
            "The rate is the generator's, not the server's: lower the number of connections, or generate the load on a \
             machine of its own."
        }
        FindingKind::LittleDoesNotHold => {
            "Do not trust rate and latency of these rows together: below the range the client spent time outside its \
             requests, above it latencies are counted twice or queues were left over from before the window."
        }
        FindingKind::RedirectsMeasured => {
            "Point `target.url` at the page itself (its `/` at the end, the right host name and scheme): a redirect \
             costs the server almost nothing."
        }
        FindingKind::OrderConfounded => {
            "Leave `order:` out (random within each round): measured one after the other, a difference between variants \
             cannot be told from a change with time."
        }
        FindingKind::ServiceDied => {
            "Read its last lines under evidence and the log of its node; a repetition in which it died is struck."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_has_words_of_its_own() {
        let mut titles: Vec<&str> = FindingKind::ALL.iter().map(|kind| title(*kind)).collect();
        let mut advices: Vec<&str> = FindingKind::ALL.iter().map(|kind| advice(*kind)).collect();
        for list in [&mut titles, &mut advices] {
            list.sort_unstable();
            list.dedup();
            assert_eq!(list.len(), FindingKind::ALL.len());
        }
        assert!(FindingKind::ALL.iter().all(|kind| !reason(*kind).contains('_')));
    }
}
