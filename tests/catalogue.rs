//! Every software folder's cases: rendered, compared with the committed outputs, and judged by the program itself where
//! it is installed. `BENCHTOP_BLESS=1` rewrites the outputs; `BENCHTOP_REQUIRE_CHECKERS=1` makes a missing program a
//! failure. Nothing is started here.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use benchtop::catalog::Catalog;
use benchtop::model::software::Software;
use benchtop::render::render;
use serde_json::Value;

/// One context of a folder.
struct Case {
    folder: PathBuf,
    name: String,
    context: Value,
}

fn templates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("templates")
}

fn entries(path: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    entries
}

fn cases(folder: &Path) -> Vec<Case> {
    let files = entries(&folder.join("cases"));
    let contexts = files.iter().filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    contexts
        .map(|path| Case {
            folder: folder.to_owned(),
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            context: serde_yaml::from_str(&fs::read_to_string(path).unwrap())
                .unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        })
        .collect()
}

/// All folders with their software and cases; a folder without cases is a failure.
fn folders(catalog: &Catalog) -> Vec<(&Software, Vec<Case>)> {
    let mut all = Vec::new();
    for folder in entries(&templates()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let software = catalog.get(&name).unwrap_or_else(|| panic!("{name} is not compiled in"));
        let cases = cases(&folder);
        assert!(cases.len() >= 2, "{name} has {} cases, and two are the least", cases.len());
        all.push((software, cases));
    }
    all
}

/// Target and text of every file of a case.
fn rendered(catalog: &Catalog, software: &Software, context: &Value) -> Vec<(String, String)> {
    let render_one = |file: &benchtop::model::software::ConfigFile| {
        let template = catalog.file(&software.name, &file.template).unwrap();
        let text = render(&file.template, template, context).unwrap_or_else(|error| {
            panic!("{}: {error}: {}", software.name, std::error::Error::source(&error).unwrap())
        });
        (file.target.clone(), text)
    };
    software.files.iter().map(render_one).collect()
}

#[test]
fn every_case_renders_what_is_committed_beside_it() {
    let catalog = Catalog::builtin().unwrap();
    let bless = std::env::var_os("BENCHTOP_BLESS").is_some();
    for (software, cases) in folders(&catalog) {
        for case in cases {
            for (target, text) in rendered(&catalog, software, &case.context) {
                let base = Path::new(&target).file_name().unwrap().to_string_lossy().into_owned();
                let committed = case.folder.join("cases").join(format!("{}.{base}", case.name));
                if bless {
                    fs::write(&committed, &text).unwrap();
                }
                let wanted = fs::read_to_string(&committed).unwrap_or_else(|error| {
                    panic!("{}: {error}; BENCHTOP_BLESS=1 writes it", committed.display())
                });
                assert_eq!(text, wanted, "{} differs; BENCHTOP_BLESS=1 rewrites it", committed.display());
            }
        }
    }
}

#[test]
fn no_output_lies_beside_a_case_that_is_gone() {
    let catalog = Catalog::builtin().unwrap();
    for (software, cases) in folders(&catalog) {
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        for path in entries(&templates().join(&software.name).join("cases")) {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            let (case, base) = file.split_once('.').unwrap();
            let target = |target: &str| Path::new(target).file_name().is_some_and(|name| name == base);
            let known = base == "yaml" || software.files.iter().any(|one| target(&one.target));
            assert!(names.contains(&case) && known, "{} belongs to nothing", path.display());
        }
    }
}

#[test]
fn the_programs_own_checkers_accept_every_case() {
    let catalog = Catalog::builtin().unwrap();
    let required = std::env::var_os("BENCHTOP_REQUIRE_CHECKERS").is_some();
    for (software, cases) in folders(&catalog) {
        let Some(check) = &software.check else { continue };
        for case in cases {
            let place = tempfile::tempdir().unwrap();
            let context = on_this_machine(software, &case.context, place.path());
            let script = render("check", check, &context).unwrap();
            let program = script.split_whitespace().next().unwrap();
            if !shell(&format!("command -v {program}")).status.success() {
                assert!(!required, "{program} is not installed, and BENCHTOP_REQUIRE_CHECKERS is set");
                println!("skipped {}/{}: {program} is not installed", software.name, case.name);
                continue;
            }
            materialise(&catalog, software, &context);
            let output = shell(&script);
            let said = String::from_utf8_lossy(&output.stderr).into_owned()
                + &String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{}/{}: `{script}` says {said}", software.name, case.name);
            // An ordinary user is told that `user` has no effect, which is as it should be.
            let mut lines = said.lines().filter(|line| !line.contains("super-user privileges"));
            let warned = lines.any(|line| line.contains("[warn]") || line.contains("[WARNING]"));
            assert!(!warned, "{}/{}: {said}", software.name, case.name);
        }
    }
}

/// The case's context with its directories below `place`, the user that runs this test and this machine's facts. The
/// last parts of the paths stay, since they hold what must be quoted.
fn on_this_machine(software: &Software, context: &Value, place: &Path) -> Value {
    let mut context = context.clone();
    let inside = |value: &mut Value| {
        if let Some(dir) = value.as_str() {
            *value = Value::from(format!("{}{dir}", place.display()));
        }
    };
    inside(&mut context["dir"]);
    for members in context["relations"].as_object_mut().unwrap().values_mut() {
        members.as_array_mut().unwrap().iter_mut().for_each(|member| inside(&mut member["dir"]));
    }
    let user = String::from_utf8(shell("id -un").stdout).unwrap().trim().to_owned();
    let exists =
        context["service"]["user"].as_str().is_some_and(|user| shell(&format!("id {user}")).status.success());
    if !exists {
        context["service"]["user"] = Value::from(if user == "root" { "daemon" } else { user.as_str() });
    }
    for (name, script) in &software.facts {
        let fact = String::from_utf8(shell(script).stdout).unwrap().trim().to_owned();
        if !fact.is_empty() {
            context["facts"][name] = Value::from(fact);
        }
    }
    context
}

fn materialise(catalog: &Catalog, software: &Software, context: &Value) {
    let dir = PathBuf::from(context["dir"].as_str().unwrap());
    fs::create_dir_all(&dir).unwrap();
    for directory in &software.directories {
        fs::create_dir_all(dir.join(&directory.path)).unwrap();
    }
    for (target, text) in rendered(catalog, software, context) {
        let path = dir.join(target);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

fn shell(script: &str) -> Output {
    Command::new("sh").arg("-c").arg(script).output().unwrap()
}

#[test]
fn a_new_software_is_one_folder_and_no_rust() {
    let manifest = r#"
name: caddy
summary: Caddy as a web server
parameters:
  port: {kind: port, default: 8080, doc: Port it serves on.}
  gzip: {kind: flag, default: false, doc: Compress answers.}
packages: {debian: [caddy]}
directories: [{path: www}]
files: [{template: config/Caddyfile.j2, target: Caddyfile, on_change: reload}]
check: "caddy validate --config {{ dir|shell }}/Caddyfile"
service:
  command: "caddy run --config {{ dir|shell }}/Caddyfile"
  reload: "caddy reload --config {{ dir|shell }}/Caddyfile"
ready: {http: /, at_most: 10s}
"#;
    let template = "http://{{ node.bind_address }}:{{ params.port }} {\n    root * {{ dir }}/www\n{% if params.gzip %}\n    encode gzip\n{% endif %}\n    file_server\n}\n";
    let files = BTreeMap::from([
        ("software.yaml".to_owned(), manifest.to_owned()),
        ("config/Caddyfile.j2".to_owned(), template.to_owned()),
    ]);
    let catalog = Catalog::builtin().unwrap().with_folder("caddy", files).unwrap();
    assert!(catalog.names().any(|name| name == "caddy") && catalog.names().any(|name| name == "nginx"));
    let context = serde_json::json!({
        "dir": "/srv/caddy", "node": {"bind_address": "0.0.0.0"}, "params": {"port": 8080, "gzip": true},
    });
    let files = rendered(&catalog, catalog.get("caddy").unwrap(), &context);
    let wanted = "http://0.0.0.0:8080 {\n    root * /srv/caddy/www\n    encode gzip\n    file_server\n}\n";
    assert_eq!(files, [("Caddyfile".to_owned(), wanted.to_owned())]);
}
