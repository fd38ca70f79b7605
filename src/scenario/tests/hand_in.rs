//! What a hand-in asks for: networks, budgets, timed actions, evidence, requests to verify, published figures, language.

use std::collections::BTreeMap;

use crate::model::experiment::Language;
use crate::model::hand_in::EvidenceSource;
use crate::model::topology::Network;
use crate::model::unit::ByteSize;
use crate::scenario::Checked;
use crate::scenario::Options;
use crate::scenario::from_document;
use crate::scenario::tests::fixture::RIGHT;
use crate::scenario::tests::fixture::catalog;
use crate::scenario::tests::fixture::checked;
use crate::scenario::tests::fixture::lines;
use crate::scenario::tests::fixture::sets;
use crate::scenario::tests::fixture::with;

const EVIDENCE: &str = "evidence:
  - {title: Page, node: front, get: /stats, auth: balancer.stats, status: 200}
  - {title: Front, node: front, get: /}
  - {title: Inside, node: backend1, get: /, in: [three]}
  - {title: Web, node: backend, config: web}
";

const VERIFY: &str = "verify:
  - {url: \"http://www.example.org/stats\", user: cda, password: \"${LOGIN:-canary-one}\", contains: Statistics}
  - {url: \"http://www.example.org:8080/\", node: backend, user: cda, password: canary-two, status: 401}
";

const PUBLISHED: &str = "published:
  source: a write-up
  requests_per_second:
    two: {100: [131, 132.5], 1000: {values: [4161], range: [4000, 5000], invalid: most failed}}
    three: {100: 171, often: {range: [170, 180]}}
";

fn right(more: &str) -> Checked {
    let text = format!("{RIGHT}{more}");
    let checked = checked(&text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    assert!(checked.warnings.is_empty(), "{:#?}", checked.warnings);
    checked
}

#[test]
fn networks_come_from_the_node_else_the_defaults_else_are_private() {
    let plain = right("");
    let networks = |checked: &Checked, variant: &str, node: &str| {
        checked.experiment.variants[variant].topology.nodes[node].networks.clone()
    };
    assert_eq!(networks(&plain, "two", "front"), [Network::Private]);
    let text = RIGHT
        .replace("  front:\n", "  front:\n    networks: [private, public]\n")
        .replace("memory: 256MiB}", "memory: 256MiB, networks: [private]}")
        .replace(
            "nodes.backend.count: 3",
            "nodes.backend.count: 3, nodes.backend.networks: [public, private]",
        );
    let checked = checked(&text).unwrap();
    assert_eq!(networks(&checked, "two", "front"), [Network::Public, Network::Private]);
    assert_eq!(networks(&checked, "two", "backend2"), [Network::Private]);
    assert_eq!(networks(&checked, "three", "backend2"), [Network::Public, Network::Private]);
    let problems = with(&text, &sets(&["nodes.front.networks=[public]"])).unwrap_err();
    assert!(problems[0].message.contains("node `front` leads to node `backend`"), "{problems:#?}");
}

#[test]
fn the_remedy_for_a_target_nobody_reaches_is_named() {
    let text = RIGHT.replace("    count: 2", "    networks: [public, private]\n    count: 2");
    let problem = &checked(&text).unwrap_err()[0];
    assert_eq!((problem.line, problem.path.as_str()), (15, "target.node"));
    let allowed = problem.allowed.as_deref().unwrap_or_default();
    assert!(allowed.contains("`networks: [public, private]` on node `front`"), "{allowed}");
}

#[test]
fn a_budget_divides_the_memory_and_defaults_give_what_a_node_has_services_for() {
    let text = RIGHT
        .replace("memory: 256MiB}", "memory: 256MiB, budget: {system: 50M, balancer: 20M}}")
        .replace("    count: 2", "    budget: {system: 56M, php: 200M}\n    count: 2");
    let checked = checked(&text).unwrap();
    let nodes = &checked.experiment.variants["two"].topology.nodes;
    let shown = |node: &str| {
        nodes[node].budget.iter().map(|(name, size)| format!("{name} {size}")).collect::<Vec<_>>()
    };
    assert_eq!(shown("front"), ["system 50 MiB", "balancer 20 MiB"]);
    assert_eq!(shown("backend2"), ["system 56 MiB", "php 200 MiB"]);
    let one = with(&text, &sets(&["nodes.backend.budget.web=1M"])).unwrap_err();
    assert!(
        one[0].message.contains("the budget of node `backend` is 257 MiB of a memory of 256 MiB"),
        "{one:#?}"
    );
    let own = with(&text, &sets(&["nodes.backend.budget={web: null, php: 1k}"])).unwrap();
    let php = own.experiment.variants["three"].topology.nodes["backend3"].budget["php"];
    assert_eq!(php, ByteSize(1024));
}

#[test]
fn an_action_may_wait_for_a_moment_inside_the_shortest_window() {
    let text = RIGHT.replace("server: backend2}}", "server: backend2}, at: 1500ms}");
    let checked = checked(&text).unwrap();
    assert_eq!(checked.experiment.variants["one"].actions[0].at_s, Some(1.5));
    assert_eq!(right("").experiment.variants["one"].actions[0].at_s, None);
    let problems = with(&text, &sets(&["load.duration=1s"])).unwrap_err();
    assert!(problems[0].message.contains("the shortest is 1s long"), "{problems:#?}");
    assert!(with(&text, &sets(&["load.requests=10"])).is_ok(), "a number of requests has no known end");
}

#[test]
fn evidence_is_lowered_against_the_first_variant_that_shows_it() {
    let items = right(EVIDENCE).experiment.evidence;
    let shown: Vec<String> = items
        .iter()
        .map(|item| format!("{} {} {}", item.title, item.node, item.variants.join("+")))
        .collect();
    assert_eq!(
        shown,
        [
            "Page front two+three+one",
            "Front front two+three+one",
            "Inside backend1 three",
            "Web backend1 two+three+one",
            "Web backend2 two+three+one",
            "Web backend3 three",
        ]
    );
    let EvidenceSource::Get { port, path, host, login, status } = &items[0].source else {
        panic!("no request")
    };
    assert_eq!(
        (*port, path.as_str(), host.as_deref(), *status),
        (80, "/stats", Some("www.example.org"), Some(200))
    );
    let login = login.as_ref().unwrap();
    assert_eq!((login.user.as_str(), login.password.reveal()), ("admin", "cda"));
    let EvidenceSource::Get { port, host, login, .. } = &items[2].source else { panic!("no request") };
    assert_eq!((*port, host, login), (8080, &None, &None));
    assert_eq!(items[3].source, EvidenceSource::Config { service: "web".to_owned() });
    let only =
        with(&format!("{RIGHT}{EVIDENCE}"), &sets(&["evidence=[{title: A, node: front, config: balancer}]"]));
    let problems = only.unwrap_err();
    assert!(problems[0].message.contains("`balancer` has no configuration file"), "{problems:#?}");
}

#[test]
fn evidence_that_a_variant_would_show_differently_is_told() {
    let text = format!("{RIGHT}{EVIDENCE}").replace(
        "nodes.backend.count: 3",
        "nodes.front.services.balancer.stats.password: other, nodes.backend.count: 3",
    );
    let found = checked(&text).unwrap();
    let warnings: Vec<&str> = found.warnings.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        warnings,
        ["port, login or host differ from those in variant `two`, which are used (in variant `three`)"]
    );
}

#[test]
fn a_request_to_verify_goes_to_the_target_unless_it_says_otherwise() {
    let items = right(VERIFY).experiment.verify;
    assert_eq!((items[0].node.as_str(), items[0].status), ("front", 200));
    assert_eq!(items[0].contains.as_deref(), Some("Statistics"));
    assert_eq!(items[0].login.as_ref().unwrap().password.reveal(), "canary-one");
    assert_eq!((items[1].node.as_str(), items[1].status), ("backend", 401));
    let found = lines(&format!("{RIGHT}verify: [{{url: \"http://x:81/\"}}]\n"));
    assert_eq!(found, ["29:16 nothing that runs on node `front` listens on port 81"]);
}

#[test]
fn published_figures_are_numbers_lists_or_mappings_and_names_of_ours_are_suggested() {
    let published = right(PUBLISHED).experiment.published.unwrap();
    assert_eq!(published.source, "a write-up");
    let figures = &published.requests_per_second;
    assert_eq!(figures["two"]["100"].values, [131.0, 132.5]);
    assert_eq!(figures["two"]["1000"].range, Some([4000.0, 5000.0]));
    assert_eq!(figures["two"]["1000"].invalid.as_deref(), Some("most failed"));
    assert_eq!(
        (figures["three"]["100"].values.as_slice(), figures["three"]["often"].range),
        ([171.0].as_slice(), Some([170.0, 180.0]))
    );
    let found = checked(&format!("{RIGHT}{PUBLISHED}").replace("    three: {100", "    tree: {100")).unwrap();
    assert_eq!(found.warnings.len(), 1);
    let warning = &found.warnings[0];
    assert_eq!((warning.line, warning.column, warning.nearest.as_deref()), (33, 5, Some("three")));
    let set = "published.requests_per_second.two.1000.invalid=all failed";
    let found = with(&format!("{RIGHT}{PUBLISHED}"), &sets(&[set])).unwrap().experiment.published.unwrap();
    let figure = &found.requests_per_second["two"]["1000"];
    assert_eq!(
        (figure.invalid.as_deref(), figure.values.as_slice()),
        (Some("all failed"), [4161.0].as_slice())
    );
    let into_a_list = "published.requests_per_second.two.100.invalid=x";
    let problems = with(&format!("{RIGHT}{PUBLISHED}"), &sets(&[into_a_list])).unwrap_err();
    assert!(problems[0].message.contains("has nothing below it to set"), "{problems:#?}");
}

#[test]
fn the_language_of_the_report_is_english_unless_it_is_said() {
    assert_eq!(right("").experiment.report.language, Language::En);
    assert_eq!(right("report: {language: es}\n").experiment.report.language, Language::Es);
    let set = with(RIGHT, &sets(&["report.language=es"])).unwrap();
    assert_eq!(set.experiment.report.language, Language::Es);
}

#[test]
fn a_profile_may_bring_any_of_them_and_a_variant_only_its_own() {
    let profile = "  more:
    report.language: es
    nodes.front.networks: [public, private]
    nodes.backend.budget: {system: 1M}
    verify: [{url: \"http://x/\", user: a, password: canary}]
    evidence: [{title: Web, node: backend2, config: web, in: [two]}]
    published: {source: x, requests_per_second: {two: {4: 1}}}
";
    let options = Options { profile: Some("more".to_owned()), ..Options::default() };
    let checked = with(&format!("{RIGHT}{profile}"), &options).unwrap();
    let experiment = &checked.experiment;
    assert_eq!((experiment.verify.len(), experiment.evidence.len()), (1, 1));
    assert!(experiment.published.is_some());
    assert_eq!(
        experiment.variants["two"].topology.nodes["backend1"].budget["system"],
        ByteSize::mebibytes(1)
    );
    assert!(!checked.document.to_string().contains("canary"), "{}", checked.document);
    let found = lines(&RIGHT.replace("nodes.backend.count: 3", "verify: []"));
    assert!(found.iter().any(|line| line.contains("variants cannot differ in `verify`")), "{found:#?}");
}

#[test]
fn a_document_keeps_all_of_it_and_gets_its_passwords_back() {
    let text = format!("{RIGHT}report: {{language: es}}\n{EVIDENCE}{VERIFY}{PUBLISHED}")
        .replace("  front:\n", "  front:\n    networks: [public, private]\n    budget: {system: 1M}\n")
        .replace("    count: 2", "    count: 2\n    networks: [public, private]")
        .replace("server: backend2}}", "server: backend2}, at: 1s}");
    let checked = with(&text, &Options::default()).unwrap();
    let document = checked.document.to_string();
    assert!(
        document.contains("${LOGIN:-canary-one}"),
        "what a person wrote to be filled in stays: {document}"
    );
    assert!(!document.contains("canary-two"), "{document}");
    assert!(!serde_json::to_string(&checked.experiment).unwrap().contains("canary"));
    assert_eq!(checked.secrets["verify[1].password"].reveal(), "canary-two");
    let again = from_document(&checked.document, &checked.secrets, &catalog(), &BTreeMap::new()).unwrap();
    assert_eq!(again.experiment, checked.experiment);
    assert_eq!(again.experiment.verify[1].login.as_ref().unwrap().password.reveal(), "canary-two");
    assert_eq!(again.document, checked.document);
    let lost = from_document(&checked.document, &BTreeMap::new(), &catalog(), &BTreeMap::new()).unwrap_err();
    assert!(lost.0.iter().any(|problem| problem.path == "verify[1].password"), "{lost:?}");
}
