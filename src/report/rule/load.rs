//! Rules about the load itself: connections, window, generator, Little's law.

use crate::model::experiment::Language;
use crate::model::finding::FindingKind;
use crate::model::load::Extent;
use crate::model::measurement::Measurement;
use crate::model::run::RunRecord;
use crate::report::finding::{Finding, by_variant};
use crate::report::number;
use crate::report::view::CellView;
use crate::report::words;

/// Share of reused connections below which keep-alive did not happen.
const REUSED_BELOW: f64 = 0.01;

/// Part of the window that a response may take.
const RESPONSE_OF_WINDOW: f64 = 0.2;

/// CPU share of a generator thread from which it was the limit.
const GENERATOR_BUSY_FROM: f64 = 0.8;

/// Keep-alive was asked for, and fewer than 1 % of the answers came on a used connection.
pub(in crate::report) fn keep_alive_not_obtained(language: Language, cells: &[CellView]) -> Vec<Finding> {
    by_variant(language, cells, FindingKind::KeepAliveNotObtained, |cell| {
        // Errors close connections: a struck row says nothing about keep-alive.
        if !cell.variant.load.keep_alive || !cell.counts() {
            return None;
        }
        let sum = |pick: fn(&Measurement) -> u64| -> u64 {
            cell.repetitions.iter().map(|r| pick(&r.measurement)).sum()
        };
        let (completed, reused) = (sum(|m| m.completed), sum(|m| m.reused));
        let connections = u64::from(cell.level.connections) * cell.repetitions.len() as u64;
        // Every connection's first answer comes on a new one, so there must be clearly more answers than connections.
        (completed >= 2 * connections && (reused as f64) < REUSED_BELOW * completed as f64).then(|| {
            let opened = sum(|m| m.generator.connections_opened);
            words::evidence::reused(language, &reused, &completed, &opened)
        })
    })
}

/// A response takes more than a fifth of the window: connections / rate > window / 5.
pub(in crate::report) fn run_too_short(
    language: Language,
    cells: &[CellView],
    run: &RunRecord,
) -> Vec<Finding> {
    by_variant(language, cells, FindingKind::RunTooShort, |cell| {
        let connections = f64::from(cell.level.connections);
        let time: f64 = cell.repetitions.iter().map(|r| r.measurement.duration_s).sum();
        if time > 0.0 {
            let completed: u64 = cell.summary.errors.completed;
            let window = time / cell.repetitions.len() as f64;
            let how = words::evidence::measured(language);
            return too_short(language, connections, completed as f64 / time, window, how);
        }
        // What was not measured can still be foretold from the probe.
        let probe = run.probes.get(&cell.variant.name)?;
        match cell.level.extent {
            Extent::Duration(window) => {
                let how = words::evidence::probed(language);
                too_short(language, connections, probe.rate, window.as_secs_f64(), how)
            }
            Extent::Requests(_) => None,
        }
    })
}

fn too_short(language: Language, connections: f64, rate: f64, window: f64, how: &str) -> Option<String> {
    if rate <= 0.0 {
        return Some(words::evidence::nothing_in(language, &number::seconds(window), &how));
    }
    let response = connections / rate;
    (response > RESPONSE_OF_WINDOW * window).then(|| {
        words::evidence::too_short(
            language,
            &connections,
            &number::rate(rate),
            &how,
            &number::seconds(response),
            &number::seconds(window),
        )
    })
}

/// The busiest generator thread used more than 80 % of a CPU.
pub(in crate::report) fn generator_was_the_limit(language: Language, cells: &[CellView]) -> Vec<Finding> {
    by_variant(language, cells, FindingKind::GeneratorWasTheLimit, |cell| {
        let busiest = cell.summary.generator_busiest_share.filter(|_| cell.counts())?;
        (busiest > GENERATOR_BUSY_FROM)
            .then(|| words::evidence::busiest_thread(language, &number::percent(busiest)))
    })
}

/// Rate × latency over connections lies outside 0.98 − R/T to 1.02 + R/T in more than half of the repetitions.
pub(in crate::report) fn little_does_not_hold(language: Language, cells: &[CellView]) -> Vec<Finding> {
    by_variant(language, cells, FindingKind::LittleDoesNotHold, |cell| {
        let known = cell.summary.repetitions.iter().filter(|r| r.little_ratio.is_some());
        let (broken, all) =
            known.fold((0, 0), |(broken, all), r| (broken + usize::from(!r.little_holds), all + 1));
        let ratio = cell.summary.little_ratio.filter(|_| cell.counts() && 2 * broken > all)?;
        Some(words::evidence::little(language, &number::ratio(ratio), &broken, &all))
    })
}
