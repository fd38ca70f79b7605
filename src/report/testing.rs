//! Builds runs for tests: real histograms, everything well unless a test changes it.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2Serializer};
use indexmap::IndexMap;

use crate::model::experiment::{DriverKind, Experiment, Language, Order, ReportSettings, Variant};
use crate::model::load::{Expect, Extent, Level, Load, Spread, Target};
use crate::model::measurement::{
    GeneratorUse, Histograms, Measurement, Outcome, REPETITION_FORMAT, Repetition, SecondCount, TelemetryLine,
};
use crate::model::parameter::{ParameterValue, WorkerCount};
use crate::model::run::{HostFacts, NodeFacts, RUN_FORMAT, RunRecord, RunState, RunTimes};
use crate::model::topology::{Node, Service, Topology};
use crate::model::unit::ByteSize;
use crate::report::analyse::analyse;
use crate::report::analysis::Analysis;
use crate::report::input::ReportInput;

/// Small disturbances by round, without a trend.
const SCATTER: [f64; 5] = [1.002, 0.996, 1.004, 0.999, 1.001];

/// A run that can be changed.
pub(super) struct Lab {
    pub(super) run: RunRecord,
    pub(super) repetitions: Vec<Repetition>,
    pub(super) telemetry: Vec<TelemetryLine>,
    pub(super) texts: BTreeMap<String, String>,
}

impl Lab {
    /// A run of these variants and levels, 100 good requests/s per variant number, every check happy.
    pub(super) fn measured(variants: &[&str], levels: &[u32], rounds: u32) -> Self {
        let mut lab = Self {
            run: run(variants, levels, rounds),
            repetitions: Vec::new(),
            telemetry: Vec::new(),
            texts: BTreeMap::new(),
        };
        for round in 1..=rounds {
            let mut order = 0;
            for (place, variant) in variants.iter().enumerate() {
                for level in levels {
                    order += 1;
                    // Variants scatter differently, or every comparison would be certain.
                    let scatter = SCATTER[(round as usize + 2 * place) % SCATTER.len()];
                    let rate = 100.0 * (place + 1) as f64 * scatter;
                    lab.repetitions.push(repetition(variant, *level, round, order, rate));
                }
            }
        }
        lab
    }

    pub(super) fn input(&self) -> ReportInput<'_> {
        ReportInput {
            run: &self.run,
            repetitions: &self.repetitions,
            telemetry: &self.telemetry,
            texts: &self.texts,
        }
    }

    pub(super) fn analysis(&self) -> Analysis {
        analyse(&self.input())
    }

    /// The repetitions of a cell, to change.
    pub(super) fn cell(&mut self, variant: &str, level: u32) -> impl Iterator<Item = &mut Repetition> {
        let level = level.to_string();
        self.repetitions.iter_mut().filter(move |r| r.variant == variant && r.level == level)
    }

    /// Gives a cell these rates, one a round.
    pub(super) fn set_rates(&mut self, variant: &str, level: u32, rates: &[f64]) {
        for (repetition, rate) in self.cell(variant, level).zip(rates) {
            let (round, order) = (repetition.round, repetition.order);
            *repetition = self::repetition(variant, level, round, order, *rate);
        }
    }

    /// One line of telemetry a second of every window: values as a function of the second.
    pub(super) fn observe(
        &mut self,
        node: &str,
        service: Option<&str>,
        values: impl Fn(f64) -> Vec<(&'static str, f64)>,
    ) {
        for repetition in &self.repetitions {
            for second in -2..=21 {
                let at_s = f64::from(second) + 0.2;
                self.telemetry.push(TelemetryLine {
                    round: repetition.round,
                    attempt: repetition.attempt,
                    variant: repetition.variant.clone(),
                    level: repetition.level.clone(),
                    at_s,
                    node: node.to_owned(),
                    service: service.map(str::to_owned),
                    values: values(at_s).into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
                });
            }
        }
    }
}

/// Makes most requests of a repetition instant errors.
pub(super) fn fail_mostly(repetition: &mut Repetition) {
    let measurement = &mut repetition.measurement;
    measurement.completed = 80_000;
    measurement.good = 240;
    measurement.outcomes = [(Outcome::Success, 240), (Outcome::ServerError, 79_760)].into_iter().collect();
}

fn repetition(variant: &str, level: u32, round: u32, order: u32, rate: f64) -> Repetition {
    Repetition {
        format: REPETITION_FORMAT,
        run: "20261130-214216-ab12".to_owned(),
        round,
        order,
        variant: variant.to_owned(),
        level: level.to_string(),
        attempt: 1,
        superseded: false,
        started_at: format!("2026-11-30T21:{:02}:{:02}Z", 40 + round, order % 60),
        started_after_s: f64::from(round * 1000 + order),
        drain_s: 2.5,
        measurement: measurement(level, rate),
        gates: Vec::new(),
        requests_logged: IndexMap::new(),
    }
}

fn measurement(level: u32, rate: f64) -> Measurement {
    let duration_s = 20.0;
    let completed = (rate * duration_s).round() as u64;
    let mean_us = f64::from(level) * duration_s / completed as f64 * 1.0e6;
    let mut histogram = Histogram::<u64>::new_with_bounds(1, 60_000_000, 3).unwrap();
    for step in 0..completed {
        let share = 0.6 + 0.8 * (step % 101) as f64 / 100.0;
        histogram.saturating_record((mean_us * share) as u64);
    }
    let mut bytes = Vec::new();
    V2Serializer::new().serialize(&histogram, &mut bytes).unwrap();
    let text = STANDARD.encode(bytes);
    Measurement {
        warm_up_s: 5.0,
        duration_s,
        outcomes: IndexMap::from([(Outcome::Success, completed)]),
        completed,
        good: completed,
        unfinished: u64::from(level),
        bytes: completed * 11_700,
        body_bytes: completed * 11_421,
        good_body_bytes_range: Some((11_421, 11_421)),
        reused: completed,
        latency_us_sum: (mean_us * completed as f64) as u64,
        latency_us_max: (mean_us * 1.4) as u64,
        histograms: Histograms {
            good_latency_us: text.clone(),
            completed_latency_us: text,
            connect_us: String::new(),
        },
        per_second: vec![
            SecondCount { completed: completed / 20, good: completed / 20, latency_us_sum: 0 };
            20
        ],
        generator: GeneratorUse {
            engine: "fake".to_owned(),
            threads: 1,
            cpu_s: 1.2,
            cpu_s_busiest_thread: 1.0,
            peak_rss_bytes: 12_000_000,
            connections_opened: 0,
            in_flight_mean: f64::from(level),
        },
    }
}

fn run(variants: &[&str], levels: &[u32], rounds: u32) -> RunRecord {
    let variants: IndexMap<String, Variant> =
        variants.iter().map(|name| ((*name).to_owned(), variant(name, levels))).collect();
    let address = |address: &str| NodeFacts { address: address.to_owned(), ..NodeFacts::default() };
    RunRecord {
        format: RUN_FORMAT,
        run: "20261130-214216-ab12".to_owned(),
        version: "0.1.0".to_owned(),
        seed: 42,
        lab: "haproxy".to_owned(),
        driver: DriverKind::Fake,
        started_at: "2026-11-30T21:42:16Z".to_owned(),
        ended_at: Some("2026-11-30T22:02:16Z".to_owned()),
        elapsed_s: 1200.0,
        state: RunState::Complete,
        profile: None,
        partial: Vec::new(),
        host: HostFacts {
            cpus: 2,
            memory_bytes: 8 << 30,
            kernel: "6.1.0".to_owned(),
            os: "Debian GNU/Linux 12".to_owned(),
            cpu_model: "Example CPU".to_owned(),
            driver: "fake".to_owned(),
        },
        nodes: IndexMap::from([
            ("frontend".to_owned(), address("10.9.0.2")),
            ("backend1".to_owned(), address("10.9.0.3")),
        ]),
        probes: IndexMap::new(),
        configs: Vec::new(),
        evidence: Vec::new(),
        verified: Vec::new(),
        roles: IndexMap::new(),
        times: RunTimes::default(),
        document: serde_json::Value::Null,
        experiment: Experiment {
            name: "haproxy-wordpress".to_owned(),
            title: "HAProxy in front of WordPress".to_owned(),
            driver: DriverKind::Fake,
            report: ReportSettings {
                author: "A. Student".to_owned(),
                course: "Systems".to_owned(),
                language: Language::En,
            },
            variants,
            repeat: rounds,
            order: Order::Random,
            questions: Vec::new(),
            thresholds: Vec::new(),
            evidence: Vec::new(),
            verify: Vec::new(),
            published: None,
        },
    }
}

fn variant(name: &str, levels: &[u32]) -> Variant {
    let workers = ParameterValue::Workers(WorkerCount::Fixed { workers: 12 });
    let service = |name: &str, parameters: IndexMap<String, ParameterValue>| Service {
        name: name.to_owned(),
        software: name.to_owned(),
        enabled: true,
        parameters,
        relations: IndexMap::new(),
    };
    let node = |name: &str, cpus: f64, own: Service| Node {
        name: name.to_owned(),
        group: name.to_owned(),
        cpus: Some(cpus),
        memory: Some(ByteSize::mebibytes(256)),
        swap: ByteSize(0),
        image: "debian:bookworm".to_owned(),
        packages: Vec::new(),
        networks: Vec::new(),
        budget: IndexMap::new(),
        services: IndexMap::from([(own.name.clone(), own)]),
    };
    let haproxy = service("haproxy", IndexMap::from([("bind".to_owned(), ParameterValue::Port(80))]));
    let php = service("php-fpm", IndexMap::from([("workers".to_owned(), workers)]));
    Variant {
        name: name.to_owned(),
        title: format!("Variant {name}"),
        topology: Topology {
            nodes: IndexMap::from([
                ("frontend".to_owned(), node("frontend", 0.3, haproxy)),
                ("backend1".to_owned(), node("backend1", 0.4, php)),
            ]),
        },
        target: Target {
            url: "http://www.example.org/wordpress/".to_owned(),
            node: "frontend".to_owned(),
            spread: Spread::RoundRobin,
            headers: IndexMap::new(),
            expect: Expect::default(),
        },
        load: Load {
            levels: levels
                .iter()
                .map(|level| Level {
                    name: level.to_string(),
                    connections: *level,
                    extent: Extent::Duration(Duration::from_secs(20)),
                })
                .collect(),
            timeout: Duration::from_secs(30),
            keep_alive: true,
            warm_up: Duration::from_secs(5),
            cool_down_at_most: Duration::from_secs(120),
        },
        actions: Vec::new(),
    }
}
