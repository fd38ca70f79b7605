//! Which repetitions and cells do not count, and why. Nothing is struck for being slow or fast.

use crate::model::experiment::Language;
use crate::model::finding::FindingKind;
use crate::model::measurement::{Gate, Outcome, Repetition};
use crate::report::number;
use crate::report::words;

/// Why a repetition does not count; none when it does.
///
/// It does not when it completed nothing, when good answers are fewer than half of the completed ones, or when a
/// service died or was killed for memory, or benchtop itself stood still, inside the window.
pub(super) fn repetition(language: Language, repetition: &Repetition) -> Option<String> {
    let measurement = &repetition.measurement;
    let mostly_failed = measurement.good.saturating_mul(2) < measurement.completed;
    let died = repetition.gates.iter().find_map(|gate| death(language, gate));
    if !(mostly_failed || measurement.completed == 0 || died.is_some()) {
        return None;
    }
    // Busy workers make requests wait, they turn nobody away: any other symptom explains more.
    let (waiting, refusing): (Vec<&Gate>, Vec<&Gate>) =
        repetition.gates.iter().partition(|gate| is_waiting(gate));
    if let Some(reason) = refusing.into_iter().chain(waiting).find_map(|gate| symptom(language, gate)) {
        return Some(reason);
    }
    Some(died.unwrap_or_else(|| {
        if measurement.completed == 0 {
            words::strikes::nothing_completed(language).to_owned()
        } else {
            failed(language, repetition)
        }
    }))
}

/// Why a cell does not count: more than one of its repetitions does not, or none does.
///
/// `reasons` holds one entry a repetition. A reason that a log gave stands before one that was only counted.
pub(super) fn cell(
    language: Language,
    repetitions: &[&Repetition],
    reasons: &[Option<String>],
) -> Option<String> {
    let struck = reasons.iter().flatten().count();
    if struck == 0 || (struck == 1 && reasons.len() > 1) {
        return None;
    }
    let named = repetitions
        .iter()
        .zip(reasons)
        .find(|(repetition, reason)| {
            reason.is_some() && repetition.gates.iter().any(|gate| symptom(language, gate).is_some())
        })
        .and_then(|(_, reason)| reason.clone());
    let reason = named.or_else(|| reasons.iter().flatten().next().cloned())?;
    Some(if struck == reasons.len() {
        reason
    } else {
        words::strikes::in_some(language, &reason, &struck, &reasons.len())
    })
}

const fn is_waiting(gate: &Gate) -> bool {
    matches!(gate, Gate::Symptom { finding: FindingKind::WorkersAllBusy, .. })
}

fn symptom(language: Language, gate: &Gate) -> Option<String> {
    match gate {
        Gate::Symptom { finding, parameter, service, .. } => Some(match parameter {
            Some(parameter) => format!("{} ({parameter})", words::reason(language, *finding)),
            None => format!("{} ({service})", words::reason(language, *finding)),
        }),
        _ => None,
    }
}

fn death(language: Language, gate: &Gate) -> Option<String> {
    match gate {
        Gate::ServiceDied { service } => Some(words::strikes::died(language, service)),
        Gate::GeneratorStalled { stalled_s } => {
            Some(words::strikes::stalled(language, &format_args!("{stalled_s:.1}")))
        }
        Gate::OomKill { node, .. } => Some(words::strikes::killed(language, node)),
        _ => None,
    }
}

/// `most requests failed (99.7 %, mostly 5xx)`.
fn failed(language: Language, repetition: &Repetition) -> String {
    let measurement = &repetition.measurement;
    let share = number::percent(1.0 - measurement.good as f64 / measurement.completed as f64);
    let most = measurement
        .outcomes
        .iter()
        .filter(|(outcome, count)| **outcome != Outcome::Success && **count > 0)
        // The first of equals, so that the order of the line decides.
        .fold(None::<(Outcome, u64)>, |best, (outcome, count)| match best {
            Some((_, most)) if most >= *count => best,
            _ => Some((*outcome, *count)),
        });
    match most {
        Some((outcome, _)) => {
            words::strikes::mostly_failed(language, &share, &words::outcome(language, outcome))
        }
        None => words::strikes::mostly_failed_somehow(language, &share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::Lab;

    fn one() -> Repetition {
        Lab::measured(&["two"], &[16], 1).repetitions.remove(0)
    }

    fn failing(share_good: u64) -> Repetition {
        let mut repetition = one();
        repetition.measurement.completed = 1000;
        repetition.measurement.good = share_good;
        repetition.measurement.outcomes =
            [(Outcome::Success, share_good), (Outcome::ServerError, 1000 - share_good)].into_iter().collect();
        repetition
    }

    #[test]
    fn half_good_counts_and_less_does_not() {
        assert_eq!(super::repetition(Language::En, &failing(500)), None);
        assert_eq!(
            super::repetition(Language::En, &failing(499)).unwrap(),
            "most requests failed (50.1 %, mostly 5xx)"
        );
    }

    #[test]
    fn nothing_completed_does_not_count() {
        let mut repetition = failing(0);
        repetition.measurement.completed = 0;
        assert_eq!(super::repetition(Language::En, &repetition).unwrap(), "nothing completed");
    }

    #[test]
    fn a_death_inside_the_window_strikes_even_good_numbers_and_a_slow_drain_does_not() {
        let mut repetition = one();
        repetition.gates = vec![Gate::DrainedByRestart { node: "web".into(), waited_s: 9.0 }];
        assert_eq!(super::repetition(Language::En, &repetition), None);
        repetition.gates.push(Gate::ServiceDied { service: "web.php-fpm".into() });
        assert_eq!(
            super::repetition(Language::En, &repetition).unwrap(),
            "web.php-fpm died inside the window"
        );
        repetition.gates = vec![Gate::GeneratorStalled { stalled_s: 4.03 }];
        let reason = "benchtop itself stood still for 4.0 s inside the window";
        assert_eq!(super::repetition(Language::En, &repetition).unwrap(), reason);
        repetition.gates = vec![Gate::OomKill { node: "web".into(), kills: 2 }];
        assert_eq!(
            super::repetition(Language::En, &repetition).unwrap(),
            "the kernel killed a process on web for memory"
        );
    }

    #[test]
    fn what_turned_requests_away_stands_before_what_made_them_wait() {
        let gate = |service: &str, finding| Gate::Symptom {
            service: service.into(),
            finding,
            line: String::new(),
            count: 1,
            parameter: None,
        };
        let mut repetition = failing(3);
        repetition.gates.push(gate("web.php-fpm", FindingKind::WorkersAllBusy));
        assert_eq!(super::repetition(Language::En, &repetition).unwrap(), "every worker busy (web.php-fpm)");
        repetition.gates.push(gate("web.nginx", FindingKind::WebServerOutOfConnections));
        assert_eq!(
            super::repetition(Language::En, &repetition).unwrap(),
            "web server out of connections (web.nginx)"
        );
    }

    #[test]
    fn a_named_reason_stands_before_a_counted_one_and_one_repetition_is_forgiven() {
        let counted = failing(3);
        let mut named = failing(3);
        named.gates.push(Gate::Symptom {
            service: "web.nginx".into(),
            finding: FindingKind::WebServerOutOfConnections,
            line: "768 worker_connections are not enough".into(),
            count: 12,
            parameter: Some("worker_connections = 768".into()),
        });
        let repetitions = [&counted, &named];
        let reasons: Vec<Option<String>> =
            repetitions.iter().map(|r| super::repetition(Language::En, r)).collect();
        assert_eq!(
            cell(Language::En, &repetitions, &reasons).unwrap(),
            "web server out of connections (worker_connections = 768)"
        );
        let fine = one();
        assert_eq!(cell(Language::En, &[&counted, &fine, &fine], &[reasons[0].clone(), None, None]), None);
        assert_eq!(
            cell(Language::En, &[&counted, &counted, &fine], &[reasons[0].clone(), reasons[0].clone(), None])
                .unwrap(),
            "most requests failed (99.7 %, mostly 5xx); 2 of 3 repetitions"
        );
        assert!(cell(Language::En, &[&counted], &reasons[..1]).is_some());
    }
}
