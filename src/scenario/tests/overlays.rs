//! Profiles, `set` and `--set` together.

use crate::model::experiment::DriverKind;
use crate::model::load::Extent;
use crate::scenario::Options;
use crate::scenario::tests::fixture::RIGHT;
use crate::scenario::tests::fixture::sets;
use crate::scenario::tests::fixture::with;

#[test]
fn a_profile_changes_only_what_it_names() {
    let options = Options { profile: Some("ci".to_owned()), ..Options::default() };
    let checked = with(RIGHT, &options).unwrap();
    assert_eq!(checked.experiment.repeat, 1);
    assert_eq!(checked.experiment.variants["two"].load.levels.len(), 1);
    assert_eq!(checked.experiment.variants["two"].topology.nodes.len(), 3);
    let unknown =
        with(RIGHT, &Options { profile: Some("cii".to_owned()), ..Options::default() }).unwrap_err();
    assert_eq!(unknown[0].nearest.as_deref(), Some("ci"));
}

#[test]
fn set_on_the_command_line_wins_over_variants() {
    let checked = with(RIGHT, &sets(&["nodes.backend.count=1", "repeat=7", "load.requests=50"]));
    let problems = checked.unwrap_err();
    assert!(problems[0].message.contains("backend2"), "one member is left, backend2 is named: {problems:#?}");
    let checked = with(RIGHT, &sets(&["nodes.backend.count=4", "repeat=7", "load.requests=50"])).unwrap();
    for variant in checked.experiment.variants.values() {
        assert_eq!(variant.topology.nodes.len(), 5);
        assert_eq!(variant.load.levels[0].extent, Extent::Requests(50), "requests drive out duration");
    }
    assert_eq!(checked.experiment.repeat, 7);
}

#[test]
fn a_wrong_set_is_named_without_its_value() {
    for (set, message) in [
        ("nodes.bakend.count=4", "in --set nodes.bakend.count: the path"),
        ("repeat=often", "in --set repeat: `often` is not"),
        ("nonsense", "a `--set` without `=`"),
        ("load.connections=[1,", "in --set load.connections: this is not valid YAML"),
    ] {
        let problems = with(RIGHT, &sets(&[set])).unwrap_err();
        assert!(problems[0].message.starts_with(message), "{problems:#?}");
        assert_eq!(problems[0].line, 0);
    }
    let problems = with(RIGHT, &sets(&["nodes.front.services.balancer.stats.pasword=canary"])).unwrap_err();
    assert!(!format!("{problems:?}").contains("canary"));
}

#[test]
fn a_level_that_a_profile_takes_away_is_only_doubtful() {
    let checked = with(RIGHT, &sets(&["load.connections=[100, 500]"])).unwrap();
    assert!(checked.warnings.iter().any(|problem| problem.message == "variant `two` has no level `16`"));
    assert_eq!(checked.experiment.questions[0].at.as_deref(), Some("16"));
}

#[test]
fn the_driver_comes_from_the_options_when_they_name_one() {
    let options = Options { driver: Some(DriverKind::Fake), ..Options::default() };
    assert_eq!(with(RIGHT, &options).unwrap().experiment.driver, DriverKind::Fake);
    assert!(with(&format!("{RIGHT}driver: fake\n"), &Options::default()).is_err());
}

#[test]
fn null_removes_and_maps_merge() {
    let text = RIGHT.replace(
        "nodes.backend.count: 3",
        "nodes.backend: {services: {web: {buffer: null, modules: [brotli]}}}, target.expect.contains: null",
    );
    let checked = with(&text, &Options::default()).unwrap();
    let three = &checked.experiment.variants["three"];
    let web = &three.topology.nodes["backend1"].services["web"];
    assert!(!web.parameters.contains_key("buffer"));
    assert!(web.parameters.contains_key("listen"), "what is not named stays");
    assert_eq!(three.target.expect.contains, None);
    assert_eq!(checked.experiment.variants["two"].target.expect.contains.as_deref(), Some("hello"));
}
