//! What a service becomes.

use std::error::Error as _;

use indexmap::IndexMap;

use crate::model::parameter::ParameterValue;
use crate::model::secret::Secret;
use crate::model::topology::ServiceRef;
use crate::plan::fixture::Lab;
use crate::plan::planned::{EvidenceHow, ReadyProbe};
use crate::plan::{
    PlanError, action, evidence, fact_scripts, members, packages, service, services, telemetry,
};

fn haproxy() -> ServiceRef {
    ServiceRef::new("frontend", "haproxy")
}

#[test]
fn a_balancers_file_lists_its_members_and_hides_its_password_where_it_is_shown() {
    let lab = Lab::new(2);
    let plan = service(&lab.surroundings(), &haproxy()).unwrap();
    let file = &plan.files[0];
    assert_eq!((file.path.as_str(), file.mode), ("/srv/lab/haproxy/conf/haproxy.cfg", 0o600));
    assert!(file.content.reveal().contains("server backend2 10.0.0.3:80 check"), "{}", file.content.reveal());
    assert!(file.content.reveal().contains("'cda:canary-77'"));
    assert!(file.shown.contains("'cda:***'") && !file.shown.contains("canary"));
    assert!(!format!("{plan:?}").contains("canary"), "not in a debug print either");
    assert_eq!(plan.ports, [80, 8404]);
    assert_eq!(plan.ready.unwrap().probe, ReadyProbe::Tcp { port: 80 });
}

#[test]
fn users_and_owners_are_the_labs_own_where_it_is_not_root() {
    let lab = Lab::new(1);
    let fpm = ServiceRef::new("backend1", "php-fpm");
    let plan = service(&lab.surroundings(), &fpm).unwrap();
    assert!(plan.files[0].content.reveal().contains("user = www-data"));
    let tmp = |plan: &crate::plan::ServicePlan| plan.directories.last().unwrap().owner.clone();
    assert_eq!(tmp(&plan), Some("www-data".to_owned()));
    let mut surroundings = lab.surroundings();
    surroundings.unprivileged_user = Some("me");
    let plan = service(&surroundings, &fpm).unwrap();
    assert!(plan.files[0].content.reveal().contains("user = me"));
    assert_eq!(tmp(&plan), None);
}

#[test]
fn without_a_machine_addresses_and_facts_have_stand_ins() {
    let mut lab = Lab::new(1);
    lab.addresses.clear();
    lab.facts.clear();
    let plans = services(&lab.surroundings()).unwrap();
    let fpm = plans.iter().find(|plan| plan.software == "php-fpm").unwrap();
    let command = &fpm.process.as_ref().unwrap().process.command;
    assert!(command.starts_with("php-fpm<fact php_version> -F"), "{command}");
    let balancer = plans.iter().find(|plan| plan.software == "haproxy").unwrap();
    assert!(balancer.files[0].shown.contains("192.0.2.1:80"));
}

#[test]
fn hashes_follow_what_changed_and_nothing_else() {
    let mut lab = Lab::new(1);
    let nginx = ServiceRef::new("backend1", "nginx");
    let before = service(&lab.surroundings(), &nginx).unwrap();
    assert_eq!(before, service(&lab.surroundings(), &nginx).unwrap());
    lab.parameter("backend1", "nginx", "worker_connections", ParameterValue::Count(64));
    let after = service(&lab.surroundings(), &nginx).unwrap();
    assert_ne!(before.hash, after.hash);
    assert_ne!(before.file_hashes, after.file_hashes);
    assert_eq!(before.rest_hash, after.rest_hash);
    assert_eq!(before.hash.len(), 64);
}

#[test]
fn an_action_needs_its_arguments_and_says_which_member_it_takes_out() {
    let lab = Lab::new(2);
    let surroundings = lab.surroundings();
    let given = IndexMap::from([("server".to_owned(), "back end'2".to_owned())]);
    let planned = action(&surroundings, &haproxy(), "disable", &given).unwrap();
    assert_eq!(planned.run, "sh '/srv/lab/haproxy/bin/servers' disable 'back end'\\''2'");
    assert_eq!(planned.undo.unwrap(), "sh '/srv/lab/haproxy/bin/servers' enable 'back end'\\''2'");
    assert_eq!(planned.members, ["back end'2"]);
    let planned = action(&surroundings, &haproxy(), "servers", &IndexMap::new()).unwrap();
    assert!(planned.undo.is_none() && planned.members.is_empty());
    let error = action(&surroundings, &haproxy(), "disable", &IndexMap::new()).unwrap_err();
    assert!(error.to_string().contains("argument server is missing"), "{error}");
    let error = action(&surroundings, &haproxy(), "servers", &given).unwrap_err();
    assert!(error.to_string().contains("it takes none"), "{error}");
    let error = action(&surroundings, &haproxy(), "purge", &given).unwrap_err();
    assert_eq!(error.hint().unwrap(), "its own actions are disable, enable, drain, servers");
}

#[test]
fn counters_members_and_evidence_know_where_to_ask() {
    let lab = Lab::new(1);
    let surroundings = lab.surroundings();
    let counters = telemetry(&surroundings, &haproxy()).unwrap();
    assert_eq!((counters[0].port, counters[0].path.as_str()), (8404, "/;csv"));
    let fpm = telemetry(&surroundings, &ServiceRef::new("backend1", "php-fpm")).unwrap();
    assert_eq!(fpm[0].port, 9001);
    assert_eq!(fpm[0].send[..8], [1, 1, 0, 1, 0, 8, 0, 0]);
    let lengths = (fpm[0].send[21] as usize, fpm[0].send.len());
    assert_eq!(lengths, (0x51, 16 + 8 + 0x51 + 8 + 8), "the record says how long the parameters are");
    let read = members(&surroundings, &haproxy()).unwrap().unwrap();
    assert_eq!(read.run.unwrap(), "sh '/srv/lab/haproxy/bin/servers' csv");
    let nginx = ServiceRef::new("backend1", "nginx");
    assert!(members(&surroundings, &nginx).unwrap().is_none());
    let kept = evidence(&surroundings, &nginx).unwrap();
    assert_eq!(kept[1].how, EvidenceHow::Log("/srv/lab/nginx/logs/error.log".to_owned()));
}

#[test]
fn packages_and_facts_are_those_of_all_services_disabled_or_not() {
    let mut lab = Lab::new(1);
    let node = lab.topology.nodes.get_mut("backend1").unwrap();
    node.packages = vec!["hatop".to_owned(), "nginx-light".to_owned()];
    node.services["php-fpm"].enabled = false;
    assert_eq!(packages(node, &lab.catalog), ["hatop", "nginx-light", "php-fpm"]);
    assert_eq!(fact_scripts(node, &lab.catalog).keys().collect::<Vec<_>>(), ["php_version"]);
}

#[test]
fn a_secret_in_a_command_line_is_refused() {
    let mut lab = Lab::new(1);
    lab.parameter("frontend", "haproxy", "bind", ParameterValue::Secret(Secret::new("80")));
    let error = service(&lab.surroundings(), &haproxy()).unwrap_err();
    assert!(matches!(&error, PlanError::SecretShown { what, .. } if what == "ready.tcp"), "{error:?}");
}

#[test]
fn a_missing_parameter_is_told_with_service_file_and_line() {
    let mut lab = Lab::new(1);
    lab.topology.nodes["backend1"].services["nginx"].parameters.shift_remove("worker_processes");
    let error = service(&lab.surroundings(), &ServiceRef::new("backend1", "nginx")).unwrap_err();
    assert_eq!(error.to_string(), "conf/nginx.conf of backend1.nginx cannot be rendered");
    let cause = error.source().unwrap();
    assert!(cause.to_string().contains("line 4"), "{cause}");
    assert!(cause.source().unwrap().to_string().contains("worker_processes"));
    let error = service(&lab.surroundings(), &ServiceRef::new("nowhere", "nginx")).unwrap_err();
    assert_eq!(error.to_string(), "there is no service nowhere.nginx");
}
