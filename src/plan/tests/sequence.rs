//! Start order, cells, expected time and the plan in words.

use std::sync::LazyLock;
use std::time::Duration;

use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

use crate::catalog::Catalog;
use crate::model::experiment::{Action, Order};
use crate::model::parameter::{ParameterValue, WorkerCount};
use crate::model::topology::{Network, ServiceRef};
use crate::model::unit::ByteSize;
use crate::plan::fixture::{Lab, experiment};
use crate::plan::{cells, estimate, explain, services};

#[test]
fn what_is_pointed_to_starts_first_and_the_scenario_breaks_ties() {
    let lab = Lab::new(2);
    let plans = services(&lab.surroundings()).unwrap();
    let order: Vec<String> = plans.iter().map(|plan| plan.reference.to_string()).collect();
    assert_eq!(
        order,
        [
            "backend1.php-fpm",
            "backend1.nginx",
            "backend1.app",
            "backend2.php-fpm",
            "backend2.nginx",
            "frontend.haproxy",
            "backend2.app",
        ]
    );
}

#[test]
fn services_in_a_ring_are_named() {
    let mut lab = Lab::new(1);
    let fpm = &mut lab.topology.nodes["backend1"].services["php-fpm"];
    fpm.relations.insert("behind".to_owned(), vec![ServiceRef::new("frontend", "haproxy")]);
    let error = services(&lab.surroundings()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "services wait for each other: frontend.haproxy → backend1.nginx → backend1.php-fpm → frontend.haproxy"
    );
}

#[test]
fn the_time_is_that_of_all_cells_and_switches() {
    let catalog = Catalog::builtin().unwrap();
    // Two variants with three levels, five rounds: 6 × (5 + 20 + 3) s and 3 switches of 2 s a round.
    let two = experiment(&catalog, &[1, 2], &[4, 16, 40], 5);
    assert_eq!(estimate(&two), Duration::from_secs(5 * (6 * 28 + 3 * 2)));
    let one = experiment(&catalog, &[1], &[4], 1);
    assert_eq!(estimate(&one), Duration::from_secs(28));
}

#[test]
fn the_plan_tells_sums_and_promises() {
    let mut lab = Lab::new(2);
    let workers = WorkerCount::Budget {
        budget: ByteSize::mebibytes(400),
        worker: ByteSize::mebibytes(32),
        workers: 12,
    };
    lab.parameter("backend1", "php-fpm", "workers", ParameterValue::Workers(workers));
    let mut experiment = experiment(&lab.catalog, &[2, 1], &[16], 3);
    experiment.variants["v2"].topology = lab.topology.clone();
    experiment.variants["v1"].topology = lab.topology.clone();
    experiment.variants["v1"].actions.push(Action {
        node: "frontend".to_owned(),
        service: "haproxy".to_owned(),
        action: "disable".to_owned(),
        arguments: [("server".to_owned(), "backend2".to_owned())].into_iter().collect(),
        at_s: None,
    });
    let timed = Action { at_s: Some(2.5), ..experiment.variants["v1"].actions[0].clone() };
    experiment.variants["v1"].actions.push(timed);
    let nodes = &mut experiment.variants["v2"].topology.nodes;
    nodes["frontend"].networks = vec![Network::Public, Network::Private];
    for (name, size) in [("system", 300), ("php-fpm", 400)] {
        nodes["backend1"].budget.insert(name.to_owned(), ByteSize::mebibytes(size));
    }
    experiment.variants["v1"].topology = experiment.variants["v2"].topology.clone();
    let text = explain(&experiment, &lab.catalog).join("\n");
    for words in [
        "3 rounds × 2 cells, in random order: 6 measurements",
        "node frontend: 0.4 CPU, 1024 MiB, debian:bookworm, on public and private",
        "node backend1: 0.4 CPU, 1024 MiB, debian:bookworm, on private",
        "    memory: system 300 MiB, php-fpm 400 MiB; 324 MiB is left",
        "packages haproxy socat",
        "workers: 400 MiB / 32 MiB = 12 workers",
        "CPU promised: 1.2 cores to 3 nodes",
        "nodes and services as in v2",
        "then on frontend: haproxy.disable server=backend2",
        "2.5s into every window, on frontend: haproxy.disable server=backend2",
        "backends → backend1.nginx, backend2.nginx",
    ] {
        assert!(text.contains(words), "{words} is not in:\n{text}");
    }
    assert!(!text.contains("canary"));
}

static BUILT_IN: LazyLock<Catalog> = LazyLock::new(|| Catalog::builtin().unwrap());

proptest! {
    #[test]
    fn every_cell_comes_once_a_round_and_a_seed_gives_one_order(
        seed in any::<u64>(), variants in 1_usize..4, levels in 1_u32..4, repeat in 1_u32..5, random in any::<bool>(),
    ) {
        let catalog = &*BUILT_IN;
        let backends: Vec<usize> = (1..=variants).collect();
        let levels: Vec<u32> = (1..=levels).collect();
        let mut experiment = experiment(catalog, &backends, &levels, repeat);
        experiment.order = if random { Order::Random } else { Order::Sequential };
        let drawn = cells(&experiment, seed);
        prop_assert_eq!(&drawn, &cells(&experiment, seed));
        prop_assert_eq!(drawn.len(), variants * levels.len() * repeat as usize);
        for round in 1..=repeat {
            let this: Vec<_> = drawn.iter().filter(|cell| cell.round == round).collect();
            let mut names: Vec<_> = this.iter().map(|cell| (&cell.variant, &cell.level)).collect();
            names.sort();
            names.dedup();
            prop_assert_eq!(names.len(), variants * levels.len());
            prop_assert!(this.iter().zip(1..).all(|(cell, order)| cell.order == order));
        }
    }
}

#[test]
fn rounds_differ_and_no_position_is_favoured() {
    let catalog = Catalog::builtin().unwrap();
    let experiment = experiment(&catalog, &[1, 2, 3], &[1], 3000);
    let drawn = cells(&experiment, 42);
    for variant in ["v1", "v2", "v3"] {
        let first = drawn.iter().filter(|cell| cell.order == 1 && cell.variant == variant).count();
        // Binomial with n 3000 and p 1/3: mean 1000, standard deviation 26.
        assert!((870..1130).contains(&first), "{variant} comes first {first} times of 3000");
    }
}
