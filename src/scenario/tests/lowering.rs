//! What a right scenario means.

use std::time::Duration;

use crate::model::load::Extent;
use crate::model::parameter::ParameterValue;
use crate::model::topology::ServiceRef;
use crate::model::unit::ByteSize;
use crate::scenario::tests::fixture::RIGHT;
use crate::scenario::tests::fixture::checked;
use crate::scenario::tests::fixture::lines;

#[test]
fn groups_are_numbered_and_references_stand_for_all_members() {
    let checked = checked(RIGHT).unwrap();
    let three = &checked.experiment.variants["three"];
    let names: Vec<&String> = three.topology.nodes.keys().collect();
    assert_eq!(names, ["front", "backend1", "backend2", "backend3"]);
    let balancer = three.topology.service(&ServiceRef::new("front", "balancer")).unwrap();
    assert_eq!(balancer.relations["backends"].len(), 3);
    let web = three.topology.service(&ServiceRef::new("backend2", "web")).unwrap();
    assert_eq!(web.relations["php"], [ServiceRef::new("backend2", "php")]);
}

#[test]
fn a_disabled_member_is_defined_and_not_pointed_to() {
    let checked = checked(RIGHT).unwrap();
    let one = &checked.experiment.variants["one"];
    assert!(!one.topology.service(&ServiceRef::new("backend2", "web")).unwrap().enabled);
    let balancer = one.topology.service(&ServiceRef::new("front", "balancer")).unwrap();
    assert_eq!(balancer.relations["backends"], [ServiceRef::new("backend1", "web")]);
    assert_eq!(one.actions[0].arguments["server"], "backend2");
}

#[test]
fn defaults_fill_what_is_not_said() {
    let checked = checked(RIGHT).unwrap();
    let two = &checked.experiment.variants["two"];
    assert_eq!(two.topology.nodes["front"].cpus, Some(0.5));
    assert_eq!(two.topology.nodes["backend1"].cpus, Some(0.4));
    assert_eq!(two.topology.nodes["backend1"].memory, Some(ByteSize::mebibytes(256)));
    assert_eq!(two.topology.nodes["front"].image, "debian:bookworm");
    let web = two.topology.service(&ServiceRef::new("backend1", "web")).unwrap();
    assert_eq!(web.parameters["timeout"], ParameterValue::Duration(Duration::from_secs(60)));
    assert_eq!(web.port(), Some(8080));
    assert!(!web.parameters.contains_key("ratio"), "a parameter without a default stays absent");
    let balancer = two.topology.service(&ServiceRef::new("front", "balancer")).unwrap();
    let ParameterValue::Map(stats) = &balancer.parameters["stats"] else { panic!("no map") };
    assert_eq!(stats["uri"], ParameterValue::Text("/stats".to_owned()));
    assert!(matches!(&stats["password"], ParameterValue::Secret(secret) if secret.reveal() == "cda"));
    assert_eq!(two.load.timeout, Duration::from_secs(30));
    assert_eq!(two.load.warm_up, Duration::from_secs(5));
    assert_eq!(two.load.cool_down_at_most, Duration::from_secs(120));
    assert_eq!(two.target.expect.status, 200);
}

#[test]
fn a_scenario_without_variants_has_one_named_base_and_levels_may_have_names() {
    let text = "name: plain
nodes: {web: {services: {web: {}}}}
target: {url: http://web/, node: web}
load: {levels: {few: {connections: 1, requests: 200}, many: {connections: 50}}}
";
    let checked = checked(text).unwrap();
    let base = &checked.experiment.variants["base"];
    assert_eq!((checked.experiment.title.as_str(), checked.experiment.repeat), ("plain", 5));
    assert_eq!(base.load.levels[0].extent, Extent::Requests(200));
    assert_eq!(base.load.levels[1].extent, Extent::Duration(Duration::from_secs(20)));
    assert_eq!(base.load.levels[1].name, "many");
    assert!(checked.warnings.is_empty());
}

#[test]
fn a_bare_node_means_its_one_service_that_is_admitted() {
    let text = |to: &str, more: &str| {
        format!(
            "name: x
nodes:
  front: {{services: {{balancer: {{backends: {to}}}}}}}
  back: {{services: {{web: {{}}, php: {{}}{more}}}}}
target: {{url: http://x/, node: front}}
load: {{connections: [1]}}
"
        )
    };
    assert!(checked(&text("back", "")).is_ok());
    assert!(checked(&text("[back.web]", "")).is_ok());
    let found = lines(&text("back", ", edge: {software: web, listen: 81}"));
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("3:43 `back` is ambiguous"), "{found:?}");
    assert!(lines(&text("back.php", ""))[0].contains("is php"));
    assert!(lines(&text("bakc", ""))[0].contains("unknown service or node `bakc`"));
}

#[test]
fn the_locator_finds_members_at_their_group_and_the_unwritten_at_its_parent() {
    let locator = checked(RIGHT).unwrap().locator;
    assert_eq!(locator.line("nodes.backend2.services.web"), Some(12));
    assert_eq!(locator.line("nodes.front.services.balancer.maxconn"), Some(7));
    assert_eq!(locator.line("load.connections[1]"), Some(15));
    assert_eq!(locator.line("nothing"), None);
}

#[test]
fn where_any_software_fits_a_node_means_the_service_in_front() {
    let text = |more: &str| {
        format!(
            "name: x
nodes:
  front: {{services: {{web: {{peer: back}}}}}}
  back: {{services: {{web: {{php: php}}, php: {{}}{more}}}}}
target: {{url: http://x/, node: front}}
load: {{connections: [1]}}
"
        )
    };
    let checked = checked(&text("")).unwrap();
    let front = &checked.experiment.variants["base"].topology.nodes["front"].services["web"];
    assert_eq!(front.relations["peer"], [ServiceRef::new("back", "web")]);
    assert!(lines(&text(", edge: {software: web, listen: 81}"))[0].contains("ambiguous"));
}

#[test]
fn line_ends_of_another_system_and_empty_services_are_fine() {
    let text = "name: x\r\nreport: {course: 2021}\r\nnodes:\r\n  web:\r\n    services:\r\n      web:\r\ntarget: {url: http://x/, node: web}\r\nload:\r\n  connections:\r\n    - 1\r\n";
    let checked = checked(text).unwrap();
    assert_eq!(checked.experiment.report.course, "2021");
    assert_eq!(checked.locator.line("nodes.web.services.web"), Some(6));
    assert!(lines(&text.replace("node: web", "node: wbe"))[0].starts_with("7:32 unknown node"));
}

#[test]
fn an_anchor_stands_for_what_it_names_and_a_merge_key_brings_what_is_missing() {
    let text = "name: x
defaults: &limits {cpus: 0.5}
nodes:
  one: {<<: *limits, memory: 64M, services: {web: &web {listen: 81}}}
  two: {services: {web: *web}}
target: {url: http://x:81/, node: two}
load: {connections: [1]}
";
    let checked = checked(text).unwrap();
    let nodes = &checked.experiment.variants["base"].topology.nodes;
    assert_eq!((nodes["one"].cpus, nodes["two"].services["web"].port()), (Some(0.5), Some(81)));
}
