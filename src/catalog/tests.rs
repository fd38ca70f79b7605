//! What a wrong manifest is told, and a right one.

use std::collections::BTreeMap;

use crate::catalog::{Catalog, CatalogError, parse_manifest};

const GOOD: &str = "name: x\nsummary: s\nparameters:\n  port: {kind: port, default: 80, doc: d}\n  password: {kind: secret, doc: d}\n  mode: {kind: choice, choices: [a, b], default: a, doc: d}\n";

/// The problem in words, with its line.
fn problem(added: &str) -> (usize, String) {
    match parse_manifest("x", &format!("{GOOD}{added}")) {
        Err(CatalogError::Invalid { line, problem, .. }) => (line, problem),
        other => panic!("{added}: {other:?}"),
    }
}

#[test]
fn the_built_in_folders_are_right_and_sorted() {
    let catalog = Catalog::builtin().unwrap();
    let names: Vec<&str> = catalog.names().collect();
    assert!(names.is_sorted());
    for name in ["haproxy", "nginx", "php-app", "php-fpm"] {
        assert_eq!(catalog.get(name).unwrap().name, name);
        assert!(catalog.file(name, "README.md").unwrap().len() > 200, "{name}");
    }
    assert_eq!(catalog.software().count(), names.len());
}

#[test]
fn an_unknown_key_is_named_with_folder_file_and_line() {
    let error = parse_manifest("x", &format!("{GOOD}relation: {{}}\n")).unwrap_err();
    let CatalogError::Yaml { folder, file, line, source } = &error else { panic!("{error:?}") };
    assert_eq!((folder.as_str(), file.as_str(), *line), ("x", "software.yaml", 7));
    assert!(source.to_string().contains("relation"), "{source}");
}

#[test]
fn what_makes_no_sense_is_refused_on_its_line() {
    for (added, line, words) in [
        ("ready: {}\n", 7, "exactly one of `tcp`, `http`, `run`"),
        ("ready:\n  tcp: \"{{ params.port }}\"\n  http: /\n", 7, "exactly one of"),
        ("ready: {tcp: \"80\", status: 200}\n", 7, "belong to `http`"),
        ("relations:\n  mode: {to: service, doc: d}\n", 8, "`mode` is taken"),
        ("files:\n  - {template: a, target: ../a}\n", 8, "not a path inside"),
        ("files:\n  - {template: a, target: a, on_change: reload}\n", 8, "needs a `reload` command"),
        ("files:\n  - {template: a, target: a, mode: \"9\"}\n", 8, "octal"),
        ("actions:\n  stop: {run: \"true\", doc: d}\n", 8, "every service has `stop`"),
        ("symptoms:\n  - {log: l, pattern: \"(\", finding: drift}\n", 8, "no regular expression"),
        ("symptoms:\n  - {log: l, pattern: a, finding: drift, parameter: b}\n", 8, "no parameter `b`"),
        ("telemetry:\n  - {source: tcp, path: /, format: json, values: {}}\n", 8, "`tcp` takes `send`"),
        (
            "telemetry:\n  - {source: run, run: x, format: regex, values: {a: {from: \"1\", kind: gauge}}}\n",
            8,
            "exactly one group",
        ),
        ("check: \"{{ params.prot }}\"\n", 7, "nothing is called `params.prot`"),
        ("check: \"{{ params.password }}\"\n", 7, "never in a script"),
        ("check: \"{{ arguments.a }}\"\n", 7, "nothing is called `arguments.a`"),
        ("check: \"{% if %}\"\n", 7, "not a template"),
        ("packages: {redhat: []}\n", 7, "only family"),
        ("conflicts:\n  - {when: {nope: 1}, reason: r}\n", 8, "no parameter `nope`"),
        ("capacity: {servers: nope}\n", 7, "no parameter `nope`"),
    ] {
        let (found, text) = problem(added);
        assert!(text.contains(words), "{added}: {text}");
        assert_eq!(found, line, "{added}: {text}");
    }
}

#[test]
fn a_default_must_be_of_its_own_kind() {
    for (parameter, words) in [
        ("{kind: port, default: eighty, doc: d}", "not a port"),
        ("{kind: choice, choices: [a], default: b, doc: d}", "not one of a"),
        ("{kind: choice, doc: d}", "needs some"),
        ("{kind: count, default: 1, min: 2, doc: d}", "less than `2`"),
        ("{kind: secret, default: s, doc: d}", "no default"),
    ] {
        let text = format!("name: x\nsummary: s\nparameters:\n  p: {parameter}\n");
        let error = parse_manifest("x", &text).unwrap_err();
        assert!(error.to_string().contains(words) && error.to_string().contains("line 4"), "{error}");
    }
}

#[test]
fn a_key_written_twice_and_another_name_are_refused() {
    let error = parse_manifest("x", &format!("{GOOD}facts:\n  a: x\n  a: y\n")).unwrap_err();
    assert!(error.to_string().contains("line 9: `facts.a` is written twice"), "{error}");
    assert!(parse_manifest("y", GOOD).unwrap_err().to_string().contains("folder's name, `y`"));
}

#[test]
fn template_files_must_exist_parse_and_keep_secrets_secret() {
    let manifest = format!("{GOOD}files:\n  - {{template: config/a.j2, target: a}}\n");
    let with = |template: Option<&str>| {
        let mut files = BTreeMap::from([("software.yaml".to_owned(), manifest.clone())]);
        files.extend(template.map(|text| ("config/a.j2".to_owned(), text.to_owned())));
        Catalog::default().with_folder("x", files).map(drop)
    };
    assert!(with(Some("{{ params.port }}")).is_ok());
    for (template, words) in [
        (None, "line 8: there is no file x/config/a.j2"),
        (Some("a\n{{ params.prot }}"), "x/config/a.j2, line 2: nothing is called `params.prot`"),
        (Some("a\n{% endif %}"), "x/config/a.j2, line 2: not a template"),
        (Some("{{ params.password }}"), "needs `secret: true`"),
    ] {
        let error = with(template).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let error = Catalog::default().with_folder("x", BTreeMap::new()).unwrap_err();
    assert!(error.to_string().contains("no software.yaml") && error.hint().is_some());
}
