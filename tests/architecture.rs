//! The house rules as tests: floors, words that the lower floors may not say, shapes of files, generated documents.
//!
//! Every rule is a function from text to violations, and is shown a planted violation first: a rule that finds nothing
//! in bad text proves nothing about good text. `BENCHTOP_BLESS=1` rewrites the generated documents.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use benchtop::catalog::Catalog;
use benchtop::scenario::{self, Options};
use regex::Regex;

/// Modules by floor, the lowest first.
const FLOORS: [&[&str]; 8] = [
    &["model"],
    &["stats", "render", "schedule", "catalog", "formats"],
    &["sizing", "capacity"],
    &["scenario", "plan", "report"],
    &["machine", "store"],
    &["loadgen"],
    &["lab"],
    &["cli"],
];
/// The highest floor that touches nothing outside its own memory.
const PURE_FLOOR_MAX: usize = 4;
/// What such a floor may not say.
const IMPURE: &str = r"\bstd::fs\b|\bstd::net::(Tcp|Udp|\w*Listener|ToSocketAddrs)|\bstd::(process|env|os|thread)\b|\btokio\b|\bSystemTime\b|\bInstant::now\b|\b(Timestamp|Zoned)::now\b|\bstd::io::(stdin|stdout|stderr)\b";
/// Printing is for the top floor.
const PRINTING: &str = r"\b(e?print(ln)?|dbg)!|\bio::(stdout|stderr)\b";
const FILE_LINES_MAX: usize = 400;
const MAIN_LINES_MAX: usize = 20;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file of the project with its text, by path relative to the root: what git tracks, or everything but build
/// output where there is no git.
fn files() -> BTreeMap<String, String> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output();
    let names: Vec<String> = match listed {
        Ok(output) if output.status.success() => {
            String::from_utf8(output.stdout).unwrap().split_terminator('\0').map(str::to_owned).collect()
        }
        _ => walk(root()).iter().map(|path| relative(path)).collect(),
    };
    let text = |name: &String| String::from_utf8(fs::read(root().join(name)).ok()?).ok();
    names.into_iter().filter_map(|name| text(&name).map(|text| (name, text))).collect()
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["target", "reports", ".git"].contains(&name.as_str()) {
                found.extend(walk(&path));
            }
        } else {
            found.push(path);
        }
    }
    found
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_string_lossy().into_owned()
}

/// The module a source file belongs to, and its floor from 1.
fn floor_of(path: &str) -> Option<(&str, usize)> {
    let module = path.strip_prefix("src/")?.split(['/', '.']).next()?;
    floor(module).map(|floor| (module, floor))
}

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|modules| modules.contains(&module)).map(|index| index + 1)
}

/// Lines of code with their numbers: without comments, and without the test module at the end where asked.
fn code(text: &str, with_tests: bool) -> Vec<(usize, &str)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    lines
        .take_while(|(_, line)| with_tests || line.trim() != "#[cfg(test)]")
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .collect()
}

fn is_test_file(path: &str) -> bool {
    path.starts_with("tests/") || path.ends_with("tests.rs") || path.contains("/tests/")
}

/// A module reaches only strictly lower floors and itself; imports are one module a line.
fn floor_violations(path: &str, text: &str) -> Vec<String> {
    let Some((own, own_floor)) = floor_of(path) else { return Vec::new() };
    let reach = Regex::new(r"\bcrate::(\{|\w+)").unwrap();
    let mut found = Vec::new();
    for (number, line) in code(text, true) {
        for capture in reach.captures_iter(line) {
            let module = &capture[1];
            if module == "{" {
                found.push(format!("{path}:{number}: grouped import of the crate"));
            } else if module != own && floor(module).is_some_and(|floor| floor >= own_floor) {
                found.push(format!("{path}:{number}: floor {own_floor} ({own}) reaches for {module}"));
            }
        }
        let glob = line.trim_start().trim_start_matches("pub ").starts_with("use ") && line.contains("::*");
        if glob && line.trim() != "use super::*;" {
            found.push(format!("{path}:{number}: glob import"));
        }
        if line.contains("super::super::") {
            found.push(format!("{path}:{number}: a path that climbs out of its module"));
        }
    }
    found
}

/// The lower floors touch nothing, and only the top floor prints.
fn purity_violations(path: &str, text: &str) -> Vec<String> {
    let Some((own, own_floor)) = floor_of(path) else { return Vec::new() };
    if is_test_file(path) {
        return Vec::new();
    }
    let impure = Regex::new(IMPURE).unwrap();
    let printing = Regex::new(PRINTING).unwrap();
    let mut found = Vec::new();
    for (number, line) in code(text, false) {
        if own_floor <= PURE_FLOOR_MAX && impure.is_match(line) {
            found.push(format!(
                "{path}:{number}: floor {own_floor} ({own}) touches the world: {}",
                line.trim()
            ));
        }
        if own != "cli" && printing.is_match(line) {
            found.push(format!("{path}:{number}: only cli prints: {}", line.trim()));
        }
    }
    found
}

/// Files say what they answer for, stay short, and `mod.rs` only gathers.
fn shape_violations(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !text.starts_with("//! ") {
        found.push(format!("{path}: does not open with `//!`"));
    }
    let lines = text.lines().count();
    let lines_max = if path == "src/main.rs" { MAIN_LINES_MAX } else { FILE_LINES_MAX };
    if lines > lines_max {
        found.push(format!("{path}: {lines} lines, {lines_max} at most"));
    }
    let item =
        Regex::new(r"^(pub(\([^)]*\))? )?(async |const |unsafe )*(fn|struct|enum|impl|static)\b").unwrap();
    if path.ends_with("/mod.rs") {
        for (number, line) in code(text, true).into_iter().filter(|(_, line)| item.is_match(line)) {
            found.push(format!("{path}:{number}: mod.rs only gathers: {line}"));
        }
    }
    let unfinished =
        Regex::new(&["\\b(to", "do|unimple", "mented)!|#\\[ign", "ore|#!?\\[al", "low\\("].concat()).unwrap();
    for (number, line) in code(text, true).into_iter().filter(|(_, line)| unfinished.is_match(line)) {
        found.push(format!("{path}:{number}: {}", line.trim()));
    }
    found
}

/// No package registry by its host's name and no path of the machine it was written on. The needles are put together
/// here so that this file does not hold them.
fn place_violations(path: &str, text: &str) -> Vec<String> {
    let hosts = [
        "index.cra@tes",
        "static.cra@tes",
        "py@pi.org",
        "python@hosted",
        "registry.np@mjs",
        "deb.deb@ian",
        "snapshot.deb@ian",
    ];
    let places = ["wo@rk", "fa@rm"].map(|place| format!("(^|[^a-z])/{place}/"));
    let hosts = hosts.map(regex::escape);
    let all = hosts.into_iter().chain(places).collect::<Vec<_>>().join("|").replace('@', "");
    let needle = Regex::new(&format!("(?i){all}")).unwrap();
    let lines = text.lines().enumerate().filter(|(_, line)| needle.is_match(line));
    lines.map(|(index, line)| format!("{path}:{}: {}", index + 1, line.trim())).collect()
}

/// Runs a rule over the files it is for, after it was seen to fail on the planted ones.
fn enforce(rule: fn(&str, &str) -> Vec<String>, wanted: fn(&str) -> bool, planted: &[(&str, &str)]) {
    for (path, text) in planted {
        assert!(
            !rule(path, text).is_empty(),
            "the rule does not see the violation planted in {path}: {text}"
        );
    }
    let files = files();
    let looked_at: Vec<_> = files.iter().filter(|(path, _)| wanted(path)).collect();
    assert!(!looked_at.is_empty(), "the rule was shown no file");
    let found: Vec<String> = looked_at.iter().flat_map(|(path, text)| rule(path, text)).collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

fn is_rust(path: &str) -> bool {
    path.ends_with(".rs")
}

#[test]
fn a_module_uses_only_lower_floors() {
    let planted = [
        ("src/stats/mean.rs", "use crate::report::Analysis;"),
        ("src/stats/mean.rs", "let x = crate::formats::read();"),
        ("src/plan/order.rs", "use crate::{model, catalog};"),
        ("src/lab/run.rs", "use crate::model::load::*;"),
        ("src/machine/docker/x.rs", "pub use crate::cli::Exit;"),
        ("src/plan/order.rs", "use super::super::lab::run;"),
    ];
    enforce(floor_violations, is_rust, &planted);
    assert!(
        floor_violations("src/lab/run.rs", "use crate::lab::state::State;\n/// [`crate::cli`]").is_empty()
    );
}

#[test]
fn the_lower_floors_touch_nothing_and_only_cli_prints() {
    let planted = [
        ("src/model/unit.rs", "use std::fs;"),
        ("src/stats/mean.rs", "let now = Instant::now();"),
        ("src/scenario/check.rs", "std::env::var(\"HOME\")"),
        ("src/report/x.rs", "async fn x() { tokio::time::sleep(x).await }"),
        ("src/plan/x.rs", "use std::net::TcpStream;"),
        ("src/catalog/x.rs", "std::process::Command::new(\"sh\")"),
        ("src/lab/run.rs", "println!(\"done\");"),
        ("src/machine/x.rs", "eprint!(\"x\")"),
    ];
    enforce(purity_violations, is_rust, &planted);
    let in_a_test = "use std::net::IpAddr;\n#[cfg(test)]\nmod tests { use std::fs; }";
    assert!(purity_violations("src/model/unit.rs", in_a_test).is_empty());
}

#[test]
fn files_say_what_they_are_for_and_stay_short() {
    let long = format!("//! Long.\n{}", "\n".repeat(FILE_LINES_MAX));
    let long_main = format!("//! Main.\n{}", "\n".repeat(MAIN_LINES_MAX));
    let unfinished = ["//! X.\nfn x() { to", "do!() }"].concat();
    let planted = [
        ("src/stats/mean.rs", "use std::fmt;"),
        ("src/stats/mean.rs", long.as_str()),
        ("src/main.rs", long_main.as_str()),
        ("src/stats/mod.rs", "//! X.\npub fn mean() {}"),
        ("src/stats/mean.rs", unfinished.as_str()),
    ];
    enforce(shape_violations, is_rust, &planted);
}

#[test]
fn no_file_names_a_registry_or_a_place_of_the_machine_it_was_written_on() {
    let host = ["https://py", "pi.org/simple"].concat();
    let place = ["cd /wo", "rk/x"].concat();
    let planted = [("README.md", host.as_str()), ("tests/run", place.as_str())];
    enforce(place_violations, |path| path != "Cargo.lock", &planted);
    assert!(place_violations("x", "homework/plan and /srv/benchtop/lab/varnish/work").is_empty());
}

#[test]
fn every_software_folder_has_a_readme_and_two_cases() {
    let folders = fs::read_dir(root().join("templates")).unwrap().map(|entry| entry.unwrap().path());
    let mut seen = 0;
    for folder in folders.filter(|path| path.is_dir()) {
        seen += 1;
        for file in ["software.yaml", "README.md"] {
            assert!(folder.join(file).is_file(), "{} has no {file}", folder.display());
        }
        let cases = walk(&folder.join("cases"));
        let contexts =
            cases.iter().filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
        assert!(contexts.count() >= 2, "{} has fewer than two cases", folder.display());
    }
    assert!(seen > 0, "there is no software folder");
    assert_eq!(Catalog::builtin().unwrap().names().count(), seen, "a folder is not compiled in");
}

#[test]
fn every_scenario_checks() {
    let catalog = Catalog::builtin().unwrap();
    let mut scenarios: Vec<(String, String)> = walk(&root().join("scenarios"))
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .map(|path| (relative(path), fs::read_to_string(path).unwrap()))
        .collect();
    assert!(!scenarios.is_empty(), "there is no scenario");
    scenarios.push(("the one that `init` writes".to_owned(), benchtop::cli::STARTER.to_owned()));
    for (name, text) in scenarios {
        if let Err(problems) = scenario::check(&text, &catalog, &Options::default()) {
            let shown: Vec<String> =
                problems.0.iter().map(|problem| scenario::show(problem, &name, &text)).collect();
            panic!("{}", shown.join("\n"));
        }
    }
}

#[test]
fn the_test_command_leaves_no_test_out() {
    let command = fs::read_to_string(root().join("tests/run")).unwrap();
    let switch = Regex::new(r#"var(?:_os)?\("(BENCHTOP_\w+)"\)"#).unwrap();
    let mut switches = 0;
    for (path, text) in files().iter().filter(|(path, _)| path.starts_with("tests/") && path.ends_with(".rs"))
    {
        // Blessing writes files, and pruning removes images that others use.
        for name in switch.captures_iter(text).map(|found| found[1].to_owned()) {
            if !["BENCHTOP_BLESS", "BENCHTOP_TEST_DOCKER_PRUNE"].contains(&name.as_str()) {
                switches += 1;
                assert!(
                    command.contains(&format!("{name}=1")),
                    "tests/run does not set {name}, which {path} reads"
                );
            }
        }
    }
    assert!(switches >= 3, "the switches were not found");
}

#[test]
fn generated_documents_are_fresh() {
    let catalog = Catalog::builtin().unwrap();
    let schema = serde_json::to_string_pretty(&scenario::schema(&catalog)).unwrap() + "\n";
    let run_folder = benchtop::model::run_schema::run_folder_schema();
    let run_folder = serde_json::to_string_pretty(&run_folder).unwrap() + "\n";
    let documents = [
        ("docs/run-folder.schema.json", run_folder),
        ("docs/scenario.md", scenario::reference(&catalog)),
        ("docs/software.md", scenario::software_reference(&catalog)),
        ("docs/scenario.schema.json", schema),
        ("docs/exit-codes.md", benchtop::cli::exit_codes_document()),
    ];
    for (path, wanted) in documents {
        let file = root().join(path);
        if std::env::var_os("BENCHTOP_BLESS").is_some() {
            fs::write(&file, &wanted).unwrap();
        }
        let there = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            there == wanted,
            "{path} is stale: run this test with BENCHTOP_BLESS=1 and look at the change"
        );
    }
}
