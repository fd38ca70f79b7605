//! Every scenario in `tests/broken` says in its first lines what must be reported of it, and where.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own files has failed")]

use std::path::PathBuf;

use benchtop::catalog::Catalog;
use benchtop::scenario::Options;
use benchtop::scenario::check;
use benchtop::scenario::show;

/// One `# EXPECT 12:7 words` line.
#[derive(Debug)]
struct Expected {
    line: usize,
    column: usize,
    words: String,
}

fn expected(text: &str) -> Vec<Expected> {
    text.lines()
        .map_while(|line| line.strip_prefix("# EXPECT "))
        .map(|rest| {
            let (place, words) = rest.split_once(' ').unwrap();
            let (line, column) = place.split_once(':').unwrap();
            Expected { line: line.parse().unwrap(), column: column.parse().unwrap(), words: words.to_owned() }
        })
        .collect()
}

fn broken() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let mut files: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn every_broken_scenario_is_refused_for_exactly_the_reasons_it_names() {
    let catalog = Catalog::builtin().unwrap();
    let files = broken();
    assert!(files.len() >= 25);
    let mut wrong = Vec::new();
    for (name, text) in files {
        let expected = expected(&text);
        assert!(!expected.is_empty(), "{name} expects nothing");
        let found = match check(&text, &catalog, &Options::default()) {
            Ok(_) => Vec::new(),
            Err(problems) => problems.0.into_iter().filter(|problem| !problem.warning).collect(),
        };
        let met = |expected: &Expected| {
            found.iter().any(|problem| {
                (problem.line, problem.column) == (expected.line, expected.column)
                    && problem.message.contains(&expected.words)
            })
        };
        if found.len() != expected.len() || !expected.iter().all(met) {
            wrong.push(format!("{name}: expected {expected:#?}, found {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_problem_is_shown_with_file_line_and_column() {
    let catalog = Catalog::builtin().unwrap();
    for (name, text) in broken() {
        let Err(problems) = check(&text, &catalog, &Options::default()) else { continue };
        for problem in problems.0 {
            let shown = show(&problem, &name, &text);
            assert!(shown.contains(&format!("{name}:{}:{}", problem.line, problem.column)), "{shown}");
        }
    }
}
