//! Before anything is measured: is the answer the one meant, did it take the intended way, and how fast is it about?

use std::time::{Duration, Instant};

use indexmap::IndexMap;
use tokio::sync::mpsc::unbounded_channel;

use crate::lab::error::{Kind, LabError};
use crate::lab::ready::in_full;
use crate::lab::site::Site;
use crate::lab::target::resolve;
use crate::loadgen::{Answer, CellSpec, FetchRequest};
use crate::model::event::Event;
use crate::model::experiment::Variant;
use crate::model::load::{Expect, Extent};
use crate::model::measurement::Measurement;
use crate::model::run::Probe;
use crate::model::topology::ServiceRef;

/// The first answers of a just started balancer or cache may be errors; so long they are forgiven.
const FORGIVE: Duration = Duration::from_secs(15);
/// Length of the probe's window.
const PROBE: Duration = Duration::from_secs(1);

impl Site<'_> {
    /// Verifies the target's answer and estimates its rate.
    pub(crate) async fn verify(&self, variant: &Variant) -> Result<Probe, LabError> {
        let target = resolve(self, variant)?;
        let answer = self.ask_until(&target.fetch(variant), &variant.target.expect).await;
        let answer = answer.map_err(|why| self.not_as_expected(variant, &why))?;
        let mut members = IndexMap::new();
        for (node, service) in variant.topology.services() {
            let reference = ServiceRef::new(&node.name, &service.name);
            for member in self.read_members(variant, &reference).await? {
                members.insert(format!("{reference}/{}", member.server), member.state);
            }
        }
        let (completed, rate) = self.probe(variant).await?;
        Ok(Probe {
            completed,
            rate,
            body_bytes: answer.body.len() as u64,
            head: self.mask(&answer.head),
            members,
        })
    }

    /// Asks until the answer is as expected; the error says what the last one was.
    pub(crate) async fn ask_until(&self, request: &FetchRequest, expect: &Expect) -> Result<Answer, String> {
        let started = Instant::now();
        loop {
            let judged = match self.bench.client.fetch(request).await {
                Ok(answer) => judge(&answer, expect).map(|()| answer),
                Err(error) => Err(in_full(&error)),
            };
            match judged {
                Ok(answer) => return Ok(answer),
                Err(why) if started.elapsed() > FORGIVE => return Err(self.mask(&why)),
                Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
            }
        }
    }

    /// A second of the smallest level; warns when a window of the larger ones would hold too few answers.
    async fn probe(&self, variant: &Variant) -> Result<(u64, f64), LabError> {
        let target = resolve(self, variant)?;
        let Some(level) = variant.load.levels.iter().min_by_key(|level| level.connections) else {
            return Ok((0, 0.0));
        };
        let mut spec = target.cell(variant, level);
        spec.warm_up = Duration::ZERO;
        spec.extent = Extent::Duration(PROBE);
        let mut measured = self.probe_once(&spec).await?;
        if measured.completed == 0 {
            // Answers take longer than the probe: one for each connection then, or its timeout.
            spec.extent = Extent::Requests(u64::from(level.connections));
            measured = self.probe_once(&spec).await?;
        }
        let rate = measured.goodput();
        for level in &variant.load.levels {
            let Extent::Duration(window) = level.extent else { continue };
            if rate > 0.0 && f64::from(level.connections) / rate > window.as_secs_f64() / 5.0 {
                let answer_s = f64::from(level.connections) / rate;
                self.bench.tell(Event::Warning(format!(
                    "variant {}: {} connections at {rate:.1}/s is {answer_s:.1} s an answer; a window of {} s is too short for that",
                    variant.name,
                    level.connections,
                    window.as_secs_f64(),
                )));
            }
        }
        Ok((measured.completed, rate))
    }

    async fn probe_once(&self, spec: &CellSpec) -> Result<Measurement, LabError> {
        let (progress, _ignored) = unbounded_channel();
        let measured = self.bench.client.measure(spec, progress, self.bench.cancel.clone()).await;
        measured.map_err(|source| LabError::load("the probe failed", source))
    }

    fn not_as_expected(&self, variant: &Variant, why: &str) -> LabError {
        let error = LabError::new(
            Kind::Provisioning,
            format!(
                "variant {}: {} does not answer as `target.expect` says",
                variant.name, variant.target.url
            ),
        )
        .detail("answer", why)
        .advise(
            "`benchtop run … --keep`, then `benchtop logs` and `benchtop exec` show what the services say",
        );
        self.at_line(error, "target")
    }
}

/// What is wrong with an answer, in words.
fn judge(answer: &Answer, expect: &Expect) -> Result<(), String> {
    let body = String::from_utf8_lossy(&answer.body);
    let beginning: String = body.chars().take(200).collect();
    if answer.status != expect.status {
        let place = answer.header("location").map_or(String::new(), |place| format!(" to {place}"));
        return Err(format!("status {}{place} instead of {}: {beginning}", answer.status, expect.status));
    }
    if let Some(text) = expect.contains.as_ref().filter(|text| !body.contains(text.as_str())) {
        return Err(format!("the body does not hold `{text}`; it begins: {beginning}"));
    }
    match expect.min_bytes {
        Some(least) if (answer.body.len() as u64) < least => {
            Err(format!("the body has {} bytes, at least {least} are expected", answer.body.len()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_judged_by_status_text_and_length() {
        let answer =
            |status, body: &str| Answer { status, head: String::new(), body: body.as_bytes().to_vec() };
        let expect = Expect { status: 200, contains: Some("end".to_owned()), min_bytes: Some(5) };
        assert_eq!(judge(&answer(200, "the end"), &expect), Ok(()));
        assert!(judge(&answer(500, "the end"), &expect).unwrap_err().contains("status 500"));
        assert!(judge(&answer(200, "nothing"), &expect).unwrap_err().contains("`end`"));
        assert!(judge(&answer(200, "end"), &expect).unwrap_err().contains("3 bytes"));
        let moved =
            Answer { status: 301, head: "HTTP/1.1 301 M\r\nLocation: /x".to_owned(), body: Vec::new() };
        assert!(judge(&moved, &expect).unwrap_err().contains("to /x"));
    }
}
