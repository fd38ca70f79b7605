//! The document of a run: secrets masked, and read again with the same meaning.

use std::collections::BTreeMap;

use crate::model::load::HeaderValue;
use crate::model::parameter::ParameterValue;
use crate::model::secret::Secret;
use crate::scenario::Options;
use crate::scenario::from_document;
use crate::scenario::tests::fixture::RIGHT;
use crate::scenario::tests::fixture::catalog;
use crate::scenario::tests::fixture::sets;
use crate::scenario::tests::fixture::with;

const PASSWORD: &str = "nodes.front.services.balancer.stats.password";

#[test]
fn a_document_means_the_same_as_the_text_and_its_options() {
    for options in [
        Options::default(),
        Options { profile: Some("ci".to_owned()), ..Options::default() },
        sets(&["nodes.backend.count=4", "load.timeout=3s", "title='5'"]),
    ] {
        let checked = with(RIGHT, &options).unwrap();
        let again = from_document(&checked.document, &checked.secrets, &catalog(), &BTreeMap::new()).unwrap();
        assert_eq!(again.experiment, checked.experiment);
        assert_eq!(again.document, checked.document);
        assert_eq!(again.secrets, checked.secrets);
    }
}

#[test]
fn secrets_are_masked_and_keep_only_their_variable() {
    let text = RIGHT
        .replace("node: front, expect", "node: front, headers: {cookie: sweet-canary, X-A: b}, expect")
        .replace("php: php, buffer", "token: bitter-canary, php: php, buffer")
        .replace("nodes.backend.count: 3", "nodes.front.services.balancer.stats.password: sour-canary");
    let environment = BTreeMap::from([("STATS".to_owned(), "salty-canary".to_owned())]);
    let checked = with(&text, &Options { environment, ..Options::default() }).unwrap();
    let document = checked.document.to_string();
    assert!(!document.contains("canary"), "{document}");
    assert!(document.contains("${STATS:-cda}"), "{document}");
    assert!(!serde_json::to_string(&checked.experiment).unwrap().contains("canary"));
    assert_eq!(checked.secrets[PASSWORD].reveal(), "salty-canary");
    assert_eq!(checked.secrets.len(), 4, "{:?}", checked.secrets.keys());
    let headers = &checked.experiment.variants["two"].target.headers;
    assert!(matches!(headers["cookie"], HeaderValue::Secret(_)));
    assert!(matches!(headers["X-A"], HeaderValue::Plain(_)));
}

#[test]
fn a_lost_secret_comes_from_the_environment_or_is_named() {
    let checked = with(RIGHT, &Options::default()).unwrap();
    let none = BTreeMap::new();
    let problems = from_document(&checked.document, &none, &catalog(), &BTreeMap::new()).unwrap_err();
    assert!(problems.0[0].message.contains("`STATS`"), "{problems:?}");
    let environment = BTreeMap::from([("STATS".to_owned(), "x".to_owned())]);
    let again = from_document(&checked.document, &none, &catalog(), &environment).unwrap();
    assert_eq!(again.secrets[PASSWORD], Secret::new("x"));
    let literal = with(&RIGHT.replace("${STATS:-cda}", "canary"), &Options::default()).unwrap();
    let problems = from_document(&literal.document, &none, &catalog(), &environment).unwrap_err();
    assert!(problems.0[0].message.contains(PASSWORD), "{problems:?}");
}

#[test]
fn secrets_and_overlays_of_variants_survive_the_document() {
    let text = RIGHT
        .replace("node: front, expect", "node: front, headers: {Authorization: \"Basic ${TOKEN:-x}\"}, expect")
        .replace("nodes.backend.count: 3", "nodes: {front: {services: {balancer: {stats: {password: sour}}}}}, nodes.cache: {services: {web: {token: \"1\"}}}")
        .replace("{load.connections: [16], repeat: 1}", "{load.levels: {\"16\": {connections: 16, requests: 10}}}");
    let profile = Some("ci".to_owned());
    let options =
        Options { profile, ..sets(&["nodes.front.services.balancer.maxconn=9", "target.expect=null"]) };
    let checked = with(&text, &options).unwrap();
    assert!(!checked.document.to_string().contains("sour"));
    let again = from_document(&checked.document, &checked.secrets, &catalog(), &BTreeMap::new()).unwrap();
    assert_eq!(again.experiment, checked.experiment);
    assert_eq!(again.document, checked.document);
    let three = &again.experiment.variants["three"].topology;
    assert!(three.nodes.contains_key("cache"));
    let stats = &three.nodes["front"].services["balancer"].parameters["stats"];
    let ParameterValue::Map(stats) = stats else { panic!("no map") };
    assert!(matches!(&stats["password"], ParameterValue::Secret(secret) if secret.reveal() == "sour"));
    assert_eq!(again.experiment.variants["two"].load.levels[0].name, "16");
}
