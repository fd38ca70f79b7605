//! Which services a switch of variants touches.

use std::collections::BTreeMap;

use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_assume, proptest};

use crate::model::parameter::ParameterValue;
use crate::model::topology::ServiceRef;
use crate::plan::fixture::{Lab, service};
use crate::plan::{Applied, Change, ServicePlan, converge, services};

fn applied(plans: &[ServicePlan]) -> BTreeMap<ServiceRef, Applied> {
    let state = |plan: &ServicePlan| Applied {
        hash: plan.hash.clone(),
        rest_hash: plan.rest_hash.clone(),
        file_hashes: plan.file_hashes.clone(),
        running: plan.enabled && plan.process.is_some(),
        ports: plan.ports.clone(),
    };
    plans.iter().map(|plan| (plan.reference.clone(), state(plan))).collect()
}

fn plans(lab: &Lab) -> Vec<ServicePlan> {
    services(&lab.surroundings()).unwrap()
}

#[test]
fn a_fresh_lab_starts_everything_in_order() {
    let wanted = plans(&Lab::new(1));
    let changes = converge(&BTreeMap::new(), &wanted);
    let reference = |service: &str| ServiceRef::new("backend1", service);
    assert_eq!(
        changes,
        [
            Change::Start(reference("php-fpm")),
            Change::Start(reference("nginx")),
            Change::Start(ServiceRef::new("frontend", "haproxy")),
            Change::Set(reference("app")),
        ]
    );
}

#[test]
fn another_backend_reloads_the_balancer_and_leaves_the_others_alone() {
    let before = applied(&plans(&Lab::new(1)));
    let changes = converge(&before, &plans(&Lab::new(2)));
    assert!(changes.contains(&Change::Reload(ServiceRef::new("frontend", "haproxy"))), "{changes:?}");
    assert!(changes.iter().all(|change| change.service().node != "backend1"), "{changes:?}");
    // Back again: the second backend stops first.
    let changes = converge(&applied(&plans(&Lab::new(2))), &plans(&Lab::new(1)));
    assert!(matches!(&changes[0], Change::Stop(one) if one.node == "backend2"), "{changes:?}");
    assert_eq!(changes.len(), 3, "nginx and php-fpm stop, the application has no process: {changes:?}");
}

#[test]
fn a_file_read_on_every_use_touches_no_process() {
    let mut lab = Lab::new(1);
    let before = applied(&plans(&lab));
    lab.parameter("backend1", "app", "size", ParameterValue::Bytes(crate::model::unit::ByteSize(99)));
    assert_eq!(converge(&before, &plans(&lab)), [Change::Set(ServiceRef::new("backend1", "app"))]);
}

#[test]
fn a_changed_command_restarts_and_a_dead_service_starts() {
    let lab = Lab::new(1);
    let mut before = applied(&plans(&lab));
    let nginx = ServiceRef::new("backend1", "nginx");
    let state = before.get_mut(&nginx).unwrap();
    (state.hash, state.rest_hash) = ("old".to_owned(), "old".to_owned());
    assert_eq!(converge(&before, &plans(&lab)), [Change::Restart(nginx.clone())]);
    before.get_mut(&nginx).unwrap().running = false;
    assert_eq!(converge(&before, &plans(&lab)), [Change::Start(nginx)]);
}

#[test]
fn a_port_is_given_up_before_it_is_taken() {
    let mut lab = Lab::new(1);
    let before = applied(&plans(&lab));
    lab.parameter("backend1", "nginx", "listen", ParameterValue::Port(8080));
    let edge = service(&lab.catalog, "edge", "nginx", "{listen: 80}", &[]);
    lab.topology.nodes["backend1"].services.insert("edge".to_owned(), edge);
    let changes = converge(&before, &plans(&lab));
    let nginx = ServiceRef::new("backend1", "nginx");
    assert_eq!(changes[0], Change::Stop(nginx.clone()));
    assert!(changes.contains(&Change::Start(nginx)), "{changes:?}");
    assert!(changes.contains(&Change::Start(ServiceRef::new("backend1", "edge"))));
}

/// Small plans without templates: services a–d of one node.
fn any_plans() -> impl Strategy<Value = Vec<ServicePlan>> {
    let one = (any::<bool>(), any::<bool>(), 0_u8..3, 0_u8..3, proptest::collection::vec(1_u16..5, 0..3));
    let base = plans(&Lab::new(1)).into_iter().find(|plan| plan.software == "nginx").unwrap();
    proptest::collection::vec(one, 4).prop_map(move |rows| {
        let named = rows.into_iter().zip(["a", "b", "c", "d"]).filter(|((there, ..), _)| *there);
        named
            .map(|((_, enabled, file, rest, ports), name)| {
                let mut plan = base.clone();
                plan.reference = ServiceRef::new("n", name);
                plan.enabled = enabled;
                plan.ports = ports;
                plan.rest_hash = rest.to_string();
                plan.file_hashes.values_mut().for_each(|hash| *hash = file.to_string());
                plan.hash = format!("{file} {rest} {:?}", plan.ports);
                plan
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn what_is_as_wanted_is_left_alone(wanted in any_plans()) {
        prop_assert_eq!(converge(&applied(&wanted), &wanted), []);
    }

    #[test]
    fn every_changed_service_appears_once_and_stops_come_first(before in any_plans(), wanted in any_plans()) {
        let state = applied(&before);
        let changes = converge(&state, &wanted);
        let stops = changes.iter().take_while(|change| matches!(change, Change::Stop(_))).count();
        prop_assert!(changes[stops..].iter().all(|change| !matches!(change, Change::Stop(_))));
        for part in [&changes[..stops], &changes[stops..]] {
            let mut names: Vec<_> = part.iter().map(Change::service).collect();
            names.sort();
            names.dedup();
            prop_assert_eq!(names.len(), part.len());
        }
        for plan in wanted.iter().filter(|plan| plan.enabled) {
            let same = state.get(&plan.reference).is_some_and(|one| one.running && one.hash == plan.hash);
            let later = changes[stops..].iter().any(|change| *change.service() == plan.reference);
            prop_assert_eq!(later, !same, "{:?}", changes);
        }
    }

    #[test]
    fn no_port_is_open_twice_at_any_moment(before in any_plans(), wanted in any_plans()) {
        let clash = |plans: &[ServicePlan]| {
            let mut all: Vec<u16> = Vec::new();
            for plan in plans.iter().filter(|plan| plan.enabled) {
                let mut own = plan.ports.clone();
                own.sort_unstable();
                own.dedup();
                all.extend(own);
            }
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            all.len() != count
        };
        prop_assume!(!clash(&before) && !clash(&wanted));
        let ports = |plans: &[ServicePlan], one: &ServiceRef| -> Vec<u16> {
            plans.iter().find(|plan| plan.reference == *one).map(|plan| plan.ports.clone()).unwrap_or_default()
        };
        let state = applied(&before);
        let mut open: BTreeMap<ServiceRef, Vec<u16>> = state
            .iter()
            .filter(|(_, one)| one.running)
            .map(|(reference, one)| (reference.clone(), one.ports.clone()))
            .collect();
        for change in converge(&state, &wanted) {
            open.remove(change.service());
            if matches!(change, Change::Stop(_)) {
                continue;
            }
            let own = ports(&wanted, change.service());
            let taken = open.values().flatten().any(|port| own.contains(port));
            prop_assert!(!taken, "{change:?} takes a port of {open:?}");
            open.insert(change.service().clone(), own);
        }
    }
}
