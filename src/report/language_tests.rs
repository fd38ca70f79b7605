//! The whole report in Spanish: nothing of ours is left in English, and links lead to headings in every language.

use std::collections::BTreeSet;

use crate::model::experiment::{Language, Order, Question};
use crate::model::finding::FindingKind;
use crate::model::load::{Extent, Level};
use crate::model::measurement::{Gate, Outcome};
use crate::model::run::{Evidence, Probe, RenderedFile, RunState, RunTimes};
use crate::model::threshold::{Expression, Function, Threshold};
use crate::report::csv;
use crate::report::markdown::slug;
use crate::report::page;
use crate::report::terminal;
use crate::report::testing::{Lab, fail_mostly};
use crate::report::words;

/// Words that English sentences cannot do without and Spanish ones do not have.
const ENGLISH: [&str; 60] = [
    "the", "of", "and", "is", "was", "with", "for", "to", "in", "at", "by", "not", "were", "are", "this",
    "that", "from", "which", "than", "its", "be", "or", "has", "had", "only", "all", "every", "each", "none",
    "yes", "when", "where", "what", "been", "there", "them", "they", "one", "two", "three", "struck",
    "failed", "level", "variant", "rounds", "round", "requests", "request", "good", "measured", "busy",
    "cold", "wrote", "median", "mean", "node", "seconds", "memory", "window", "windows",
];

/// A run whose own texts are Spanish, with something in every section.
fn spanish(order: Order) -> Lab {
    let mut lab = Lab::measured(&["uno", "dos", "tres"], &[4, 16, 40, 100], 5);
    lab.run.experiment.report.language = Language::Es;
    lab.run.experiment.order = order;
    lab.run.experiment.title = "HAProxy delante de WordPress".to_owned();
    lab.run.experiment.report.course = "Sistemas".to_owned();
    lab.run.experiment.report.author = "Una alumna".to_owned();
    for variant in lab.run.experiment.variants.values_mut() {
        variant.title = format!("Variante {}", variant.name);
    }
    lab.run.profile = Some("breve".to_owned());
    lab.run.times = RunTimes {
        images_s: 100.0,
        nodes_s: 20.0,
        switching_s: 30.0,
        verifying_s: 10.0,
        warm_up_s: 300.0,
        windows_s: 600.0,
        cool_down_s: 100.0,
        switches: 9,
        switch_s_max: 4.25,
    };
    let question = |at: Option<&str>| Question {
        ask: "¿Hay diferencia?".to_owned(),
        compare: ["uno".to_owned(), "dos".to_owned()],
        at: at.map(str::to_owned),
    };
    lab.run.experiment.questions = vec![question(Some("4")), question(Some("16")), question(None)];
    let goodput = Function::Goodput { variant: "dos".to_owned(), level: "16".to_owned() };
    for expression in [Expression::Call(goodput), Expression::Number(1.0)] {
        lab.run.experiment.thresholds.push(Threshold { text: "tal cual".to_owned(), expression });
    }
    for (variant, file) in [("uno", "uno.cfg"), ("dos", "dos.cfg"), ("tres", "perdido.cfg")] {
        lab.run.configs.push(RenderedFile {
            variant: variant.to_owned(),
            service: "frontend.haproxy".to_owned(),
            target: "haproxy.cfg".to_owned(),
            file: file.to_owned(),
        });
        lab.run.evidence.push(Evidence {
            title: "Estado de los servidores".to_owned(),
            variant: variant.to_owned(),
            service: "frontend.haproxy".to_owned(),
            file: file.to_owned(),
        });
        lab.texts.insert("uno.cfg".to_owned(), "# written for the text of a program\n".to_owned());
        lab.texts.insert("dos.cfg".to_owned(), "maxconn 4000\n".to_owned());
    }
    lab
}

/// Raises whatever happens beside the numbers, a struck cell, and what the numbers of single cells say.
fn troubled(mut lab: Lab) -> Lab {
    let symptom = |finding, parameter: Option<&str>| Gate::Symptom {
        service: "backend1.nginx".to_owned(),
        finding,
        line: "768 worker_connections agotadas".to_owned(),
        count: 9,
        parameter: parameter.map(str::to_owned),
    };
    lab.cell("dos", 16).for_each(|r| {
        fail_mostly(r);
        r.gates.push(symptom(FindingKind::WebServerOutOfConnections, Some("worker_connections = 768")));
        r.gates.push(symptom(FindingKind::WorkersAllBusy, None));
    });
    let gates = [
        Gate::OomKill { node: "backend1".to_owned(), kills: 2 },
        Gate::ServiceDied { service: "backend1.php-fpm".to_owned() },
        Gate::ServiceRestarted { service: "backend1.php-fpm".to_owned(), last_lines: "adiós\n".to_owned() },
        Gate::GeneratorStalled { stalled_s: 3.0 },
        Gate::DrainedByRestart { node: "backend1".to_owned(), waited_s: 9.0 },
    ];
    lab.cell("dos", 4).zip(gates).for_each(|(r, gate)| r.gates.push(gate));
    lab.cell("uno", 4).for_each(|r| {
        r.measurement.good_body_bytes_range = Some((11_000, 11_500));
        r.measurement.reused = 0;
        r.measurement.generator.cpu_s_busiest_thread = 17.0;
        r.measurement.latency_us_sum /= 2;
    });
    lab.cell("uno", 4).take(1).for_each(|r| {
        r.attempt = 2;
        r.measurement.histograms.good_latency_us = "nada".to_owned();
    });
    lab.cell("tres", 16).for_each(|r| {
        r.measurement.good = 0;
        let completed = r.measurement.completed;
        r.measurement.outcomes =
            [(Outcome::Redirect, completed - 100), (Outcome::TimedOut, 100)].into_iter().collect();
    });
    lab.set_rates("tres", 4, &[0.5; 5]);
    lab.set_rates("uno", 16, &[549.0, 923.3, 887.1, 872.7, 860.1]);
    lab.set_rates("uno", 40, &[100.0, 112.0, 91.0, 105.0, 95.0]);
    lab.cell("tres", 40).take(1).for_each(|r| {
        r.measurement.completed = 0;
        r.measurement.good = 0;
        r.measurement.outcomes.clear();
    });
    lab.run.experiment.variants["tres"].topology.nodes["backend1"].cpus = Some(2.0);
    lab.run.experiment.variants["uno"].topology.nodes["frontend"].cpus = None;
    lab.observe("backend1", None, |at_s| {
        vec![("cpu_s_total", 0.39 * at_s), ("throttled_s_total", 0.3 * at_s), ("memory_bytes", 1.5e8)]
    });
    lab.observe("backend1", Some("php-fpm"), |_| vec![("busy_workers", 12.0)]);
    let last = lab.run.experiment.variants["dos"].load.levels.len() - 1;
    lab.run.experiment.variants["dos"].load.levels[last] =
        Level { name: "muchas".to_owned(), connections: 100, extent: Extent::Requests(1000) };
    lab.run.state = RunState::Interrupted;
    lab
}

/// Falls from round to round; one pair of variants hardly differs, as one of many exploratory pairs.
fn drifting(mut lab: Lab) -> Lab {
    for variant in ["uno", "dos", "tres"] {
        for level in [4, 16, 40, 100] {
            lab.set_rates(variant, level, &[200.0, 195.2, 190.1, 185.0, 180.2]);
        }
    }
    lab.set_rates("tres", 100, &[204.0, 195.8, 192.0, 187.0, 185.0]);
    lab
}

fn labs() -> [Lab; 3] {
    let mut empty = spanish(Order::Random);
    empty.repetitions.clear();
    empty.run.state = RunState::Running;
    empty.run.probes.insert("uno".to_owned(), Probe { completed: 10, rate: 3.5, ..Probe::default() });
    [troubled(spanish(Order::Sequential)), drifting(spanish(Order::Random)), empty]
}

/// A report without what others wrote: blocks and spans of code. A fence is longer than any inside.
fn ours(report: &str) -> String {
    let mut kept = String::new();
    let mut fence: Option<&str> = None;
    for line in report.lines() {
        match fence {
            Some(end) if line == end => fence = None,
            Some(_) => {}
            None if line.starts_with("```") => fence = Some(line.trim_end_matches("text")),
            None => {
                kept.extend(line.split('`').step_by(2));
                kept.push('\n');
            }
        }
    }
    kept
}

fn english(text: &str) -> Vec<&str> {
    let sentences = text.lines().filter(|line| {
        let words = line.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        words.into_iter().any(|word| ENGLISH.contains(&word.as_str()))
    });
    sentences.collect()
}

#[test]
fn every_kind_of_finding_is_among_the_runs_below() {
    let raised: BTreeSet<FindingKind> =
        labs().iter().flat_map(|lab| lab.analysis().findings).map(|finding| finding.kind).collect();
    assert_eq!(raised, FindingKind::ALL.into_iter().collect());
}

#[test]
fn a_spanish_report_has_no_english_of_ours() {
    for lab in labs() {
        let report = page::report(&lab.input(), &lab.analysis());
        let left: Vec<String> = english(&ours(&report)).into_iter().map(str::to_owned).collect();
        assert!(left.is_empty(), "{left:#?}");
    }
}

#[test]
fn a_spanish_analysis_and_its_summary_have_no_english_of_ours() {
    for lab in labs() {
        let analysis = lab.analysis();
        let shown = terminal(&analysis, None);
        let findings = analysis.findings.iter().flat_map(|f| [&f.title, &f.evidence, &f.advice]);
        let answers = analysis.answers.iter().map(|answer| &answer.answer);
        let sentences = analysis.comparisons.iter().map(|row| &row.sentence);
        let thresholds = analysis.thresholds.iter().map(|threshold| &threshold.values);
        for text in findings
            .chain(answers)
            .chain(sentences)
            .chain(thresholds)
            .chain(&analysis.incomplete)
            .chain([&shown])
        {
            let words = ours(text);
            assert_eq!(english(&words), [""; 0]);
        }
    }
}

#[test]
fn tables_for_programs_are_the_same_in_every_language() {
    for mut lab in labs() {
        let made = |lab: &Lab| {
            let analysis = lab.analysis();
            [csv::repetitions(&lab.input(), &analysis), csv::cells(&lab.input(), &analysis)]
        };
        let spanish = made(&lab);
        lab.run.experiment.report.language = Language::En;
        assert_eq!(spanish, made(&lab));
    }
}

#[test]
fn the_search_for_english_finds_it() {
    let mut lab = labs().into_iter().next().unwrap();
    lab.run.experiment.report.language = Language::En;
    let text = ours(&page::report(&lab.input(), &lab.analysis()));
    assert!(english(&text).len() > 50, "{text}");
}

#[test]
fn links_lead_to_headings_in_every_language() {
    for language in [Language::En, Language::Es] {
        let mut lab = troubled(spanish(Order::Random));
        lab.run.experiment.report.language = language;
        let report = page::report(&lab.input(), &lab.analysis());
        let anchors: Vec<String> = ours(&report)
            .lines()
            .filter(|line| line.starts_with('#'))
            .map(|line| slug(line.trim_start_matches('#').trim()))
            .collect();
        let links: Vec<&str> =
            report.split("](#").skip(1).filter_map(|rest| rest.split(')').next()).collect();
        assert!(
            links.iter().all(|link| anchors.iter().any(|anchor| anchor == link)),
            "{links:?} {anchors:?}"
        );
        for heading in [words::findings_heading, words::evidence_heading] {
            assert!(links.contains(&slug(heading(language)).as_str()), "{links:?}");
        }
    }
}
