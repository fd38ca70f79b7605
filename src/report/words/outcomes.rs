//! How the classes of outcomes are called.

use crate::model::experiment::Language;
use crate::model::measurement::Outcome;

/// Every class, in the order of tables.
pub(in crate::report) const OUTCOMES: [Outcome; 9] = [
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

/// How an outcome class is called behind a number of requests.
pub(in crate::report) const fn outcome(language: Language, outcome: Outcome) -> &'static str {
    let (en, es) = match outcome {
        Outcome::Success => ("2xx", "2xx"),
        Outcome::Redirect => ("3xx", "3xx"),
        Outcome::ClientError => ("4xx", "4xx"),
        Outcome::ServerError => ("5xx", "5xx"),
        Outcome::WrongBody => ("wrong body", "con cuerpo incorrecto"),
        Outcome::Refused => ("refused", "rechazadas"),
        Outcome::Reset => ("reset", "con conexión reiniciada"),
        Outcome::ClosedEarly => ("closed early", "cerradas antes de tiempo"),
        Outcome::TimedOut => ("timed out", "sin respuesta a tiempo"),
    };
    match language {
        Language::En => en,
        Language::Es => es,
    }
}
