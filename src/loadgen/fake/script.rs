//! The text that tells the fake client how to behave: `capacity 40; latency 25ms; errors 0.1; fail measure 3`.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use crate::loadgen::error::LoadError;
use crate::model::unit::parse_duration;

/// What to simulate. Clauses are separated by `;` and every one is optional:
///
/// * `capacity N`: requests per second one address can answer (40); `capacity@C N`: at exactly C connections.
/// * `latency 25ms`: time of an answer without queueing.
/// * `cpu 0.1`: cores the generator uses. `noise 0.02`: relative spread between calls. `seed 7`: of that spread.
/// * `errors 0.1`: share of the requests answered with a 5xx. `body TEXT`: what `fetch` finds in its body.
/// * `fail measure N [cancelled|descriptors|engine]`, `fail fetch N [no-answer|bad-answer]`: the N-th call fails so.
/// * `hang measure N`, `hang fetch N`: it waits for its cancellation or its limit.
#[derive(Debug, Clone, PartialEq)]
pub struct FakeLoad {
    /// Requests per second and address.
    pub capacity: f64,
    /// The same at a certain number of connections.
    pub capacity_at: BTreeMap<u32, f64>,
    /// Of an answer without queueing.
    pub latency: Duration,
    /// Cores the generator uses.
    pub cpu: f64,
    /// Share of the answers that are a 5xx, 0–1.
    pub errors: f64,
    /// Relative spread of the throughput between calls.
    pub noise: f64,
    /// Of the spread.
    pub seed: u64,
    /// Text in the body of `fetch`.
    pub body: Option<String>,
    /// What goes wrong on the n-th measurement, from 1.
    pub measure_faults: BTreeMap<u64, Fault>,
    /// What goes wrong on the n-th fetch, from 1.
    pub fetch_faults: BTreeMap<u64, Fault>,
}

/// How a call goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// [`LoadError::Cancelled`].
    Cancelled,
    /// [`LoadError::TooFewDescriptors`].
    Descriptors,
    /// [`LoadError::Engine`].
    Engine,
    /// [`LoadError::NoAnswer`].
    NoAnswer,
    /// [`LoadError::BadAnswer`].
    BadAnswer,
    /// Nothing comes.
    Hang,
}

impl Default for FakeLoad {
    fn default() -> Self {
        Self {
            capacity: 40.0,
            capacity_at: BTreeMap::new(),
            latency: Duration::from_millis(25),
            cpu: 0.05,
            errors: 0.0,
            noise: 0.0,
            seed: 1,
            body: None,
            measure_faults: BTreeMap::new(),
            fetch_faults: BTreeMap::new(),
        }
    }
}

impl FromStr for FakeLoad {
    type Err = LoadError;

    fn from_str(text: &str) -> Result<Self, LoadError> {
        let mut load = Self::default();
        for clause in text.split([';', '\n']).map(str::trim).filter(|clause| !clause.is_empty()) {
            load.take(clause).map_err(|what| LoadError::FakeScript { clause: clause.to_owned(), what })?;
        }
        Ok(load)
    }
}

impl FakeLoad {
    fn take(&mut self, clause: &str) -> Result<(), &'static str> {
        let (word, rest) = clause.split_once(char::is_whitespace).unwrap_or((clause, ""));
        let rest = rest.trim();
        match word {
            "capacity" => self.capacity = positive(rest)?,
            "latency" => {
                self.latency = parse_duration(rest).map_err(|_| "it needs a time such as 25ms")?;
                if self.latency.is_zero() {
                    return Err("it needs a time above zero");
                }
            }
            "cpu" => self.cpu = number(rest)?,
            "errors" => self.errors = share(rest)?,
            "noise" => self.noise = share(rest)?,
            "seed" => self.seed = rest.parse().map_err(|_| "it needs a whole number")?,
            "body" => self.body = Some(rest.to_owned()),
            "fail" | "hang" => self.take_fault(word, rest)?,
            _ => match word.strip_prefix("capacity@").map(str::parse) {
                Some(Ok(connections)) => {
                    self.capacity_at.insert(connections, positive(rest)?);
                }
                _ => {
                    return Err(
                        "it begins with none of capacity, latency, cpu, errors, noise, seed, body, fail, hang",
                    );
                }
            },
        }
        Ok(())
    }

    fn take_fault(&mut self, word: &str, rest: &str) -> Result<(), &'static str> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let (call, nth, name) = match (word, words.as_slice()) {
            (_, [call, nth]) => (*call, *nth, word),
            ("fail", [call, nth, name]) => (*call, *nth, *name),
            _ => return Err("it needs a call and its number, such as `measure 3`"),
        };
        let nth = nth.parse().ok().filter(|nth| *nth > 0).ok_or("calls are counted from 1")?;
        let fault = match (call, name) {
            ("measure" | "fetch", "hang") => Fault::Hang,
            ("measure", "cancelled") => Fault::Cancelled,
            ("measure", "descriptors") => Fault::Descriptors,
            ("measure", "engine" | "fail") => Fault::Engine,
            ("fetch", "no-answer" | "fail") => Fault::NoAnswer,
            ("fetch", "bad-answer") => Fault::BadAnswer,
            _ => {
                return Err(
                    "only measure (cancelled, descriptors, engine) and fetch (no-answer, bad-answer) can fail",
                );
            }
        };
        let faults = if call == "measure" { &mut self.measure_faults } else { &mut self.fetch_faults };
        faults.insert(nth, fault);
        Ok(())
    }
}

fn number(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0).ok_or("it needs a number")
}

fn positive(text: &str) -> Result<f64, &'static str> {
    number(text)?.gt(&0.0).then(|| number(text)).ok_or("it needs a number above zero")?
}

fn share(text: &str) -> Result<f64, &'static str> {
    number(text).ok().filter(|value| *value <= 1.0).ok_or("it needs a share between 0 and 1")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::FakeLoad;
    use super::Fault;
    use crate::loadgen::error::LoadError;

    #[test]
    fn every_clause_is_understood() {
        let text = "capacity 60; capacity@100 30;latency 50ms; cpu 0.2; errors 0.1; noise 0.02; seed 7;\n\
                    body Hello you; fail measure 3; hang measure 4; fail measure 5 descriptors; fail fetch 2 bad-answer";
        let load: FakeLoad = text.parse().unwrap();
        assert_eq!((load.capacity, load.capacity_at[&100]), (60.0, 30.0));
        assert_eq!((load.latency, load.cpu), (Duration::from_millis(50), 0.2));
        assert_eq!((load.errors, load.noise, load.seed), (0.1, 0.02, 7));
        assert_eq!(load.body.as_deref(), Some("Hello you"));
        assert_eq!(load.measure_faults[&3], Fault::Engine);
        assert_eq!(load.measure_faults[&4], Fault::Hang);
        assert_eq!(load.measure_faults[&5], Fault::Descriptors);
        assert_eq!(load.fetch_faults[&2], Fault::BadAnswer);
    }

    #[test]
    fn nothing_is_the_default() {
        assert_eq!("".parse::<FakeLoad>().unwrap(), FakeLoad::default());
    }

    #[test]
    fn a_wrong_clause_is_named() {
        for clause in
            ["capacity forty", "capacity 0", "latency 25", "errors 2", "fail measure 0", "fail sleep 1", "x"]
        {
            match format!("seed 1; {clause}").parse::<FakeLoad>() {
                Err(LoadError::FakeScript { clause: named, .. }) => assert_eq!(named, clause),
                other => panic!("{clause}: {other:?}"),
            }
        }
    }
}
