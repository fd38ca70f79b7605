//! A whole report: cells, answers, the pages, determinism, hostile text, partial runs.

use crate::model::experiment::{Order, Question};
use crate::model::finding::FindingKind;
use crate::model::measurement::Gate;
use crate::model::run::{Evidence, RenderedFile, RunState, RunTimes, Verified};
use crate::model::threshold::{Comparison, Expression, Function, Threshold};
use crate::report::page;
use crate::report::testing::{Lab, fail_mostly};
use crate::report::{files, terminal};
use crate::stats::DifferenceVerdict;

/// Two variants at three levels; the last level collapses for one of them, for the reason of the exercise.
fn exercise() -> Lab {
    let mut lab = Lab::measured(&["two", "three"], &[100, 500, 1000], 5);
    for level in [100, 500, 1000] {
        lab.set_rates("two", level, &[131.0, 132.0, 133.0, 132.0, 132.0]);
        lab.set_rates("three", level, &[171.0, 177.0, 177.0, 176.0, 176.0]);
    }
    lab.cell("two", 1000).for_each(|r| {
        fail_mostly(r);
        r.gates.push(Gate::Symptom {
            service: "backend1.nginx".to_owned(),
            finding: FindingKind::WebServerOutOfConnections,
            line: "768 worker_connections are not enough".to_owned(),
            count: 9,
            parameter: Some("worker_connections = 768".to_owned()),
        });
    });
    let question = |ask: &str, at: Option<&str>| Question {
        ask: ask.to_owned(),
        compare: ["two".to_owned(), "three".to_owned()],
        at: at.map(str::to_owned),
    };
    lab.run.experiment.questions = vec![
        question("Is there a difference between two nodes and three?", Some("100")),
        question("And when everything breaks?", Some("1000")),
        question("And over all?", None),
    ];
    let call = Function::Goodput { variant: "three".to_owned(), level: "100".to_owned() };
    lab.run.experiment.thresholds = vec![Threshold {
        text: "goodput('three', 100) > 150".to_owned(),
        expression: Expression::Compare(
            Comparison::Greater,
            Box::new(Expression::Call(call)),
            Box::new(Expression::Number(150.0)),
        ),
    }];
    for variant in ["two", "three"] {
        let file = format!("config/{variant}/haproxy.cfg");
        lab.texts.insert(file.clone(), "global\n    maxconn 4000\n```\n".to_owned());
        lab.run.configs.push(RenderedFile {
            variant: variant.to_owned(),
            service: "frontend.haproxy".to_owned(),
            target: "haproxy.cfg".to_owned(),
            file,
        });
    }
    lab.texts.insert("evidence/states.txt".to_owned(), "backend1 UP\nbackend2 UP\n".to_owned());
    lab.run.evidence.push(Evidence {
        title: "Server states".to_owned(),
        variant: "two".to_owned(),
        service: "frontend.haproxy".to_owned(),
        file: "evidence/states.txt".to_owned(),
    });
    lab.observe("backend1", None, |at_s| vec![("cpu_s_total", 0.2 * at_s), ("memory_bytes", 1.5e8)]);
    lab.observe("backend1", Some("php-fpm"), |_| vec![("busy_workers", 5.0)]);
    lab
}

/// The page alone: pictures are slow to make without optimisation.
fn markdown(lab: &Lab) -> String {
    page::report(&lab.input(), &lab.analysis())
}

#[test]
fn the_report_of_the_exercise_reads_as_before() {
    insta::assert_snapshot!("report_exercise", markdown(&exercise()));
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let (one, other) = (exercise(), exercise());
    let made = files(&one.input(), &one.analysis()).unwrap();
    assert_eq!(made, files(&other.input(), &other.analysis()).unwrap());
    let names: Vec<String> = made.into_iter().map(|file| file.name).collect();
    assert_eq!(
        names,
        [
            "report.md",
            "goodput.png",
            "goodput.svg",
            "latency.png",
            "latency.svg",
            "topology.png",
            "topology.svg",
            "cpu-two.png",
            "cpu-two.svg",
            "cpu-three.png",
            "cpu-three.svg",
            "cells.csv",
            "summary.csv"
        ]
    );
}

#[test]
fn the_order_of_lines_does_not_matter() {
    let one = exercise();
    let mut turned = exercise();
    turned.repetitions.reverse();
    turned.telemetry.reverse();
    assert_eq!(one.analysis(), turned.analysis());
}

#[test]
fn struck_cells_are_never_averaged_nor_compared() {
    let analysis = exercise().analysis();
    let cell = analysis.cells.iter().find(|cell| cell.variant == "two" && cell.level == "1000").unwrap();
    assert_eq!(cell.struck.as_deref(), Some("web server out of connections (worker_connections = 768)"));
    assert_eq!((&cell.goodput, &cell.throughput, &cell.course), (&None, &None, &None));
    assert_eq!(cell.latency.p50.merged_ms, None);
    assert!(
        analysis
            .comparisons
            .iter()
            .filter(|row| row.level.as_deref() == Some("1000"))
            .all(|row| row.compared.is_none())
    );
    assert!(
        analysis.answers[1]
            .answer
            .contains("Cannot be told: two at 1000 is struck: web server out of connections")
    );
    assert!(analysis.answers[2].answer.contains("Left out: two at 1000 is struck"));
    assert_eq!(analysis.answers[2].comparison.compared.as_ref().unwrap().df, 4.0);
}

#[test]
fn the_published_figures_give_the_published_ratio() {
    let analysis = exercise().analysis();
    let compared = analysis.answers[0].comparison.compared.as_ref().unwrap();
    assert_eq!(compared.verdict, DifferenceVerdict::Different);
    assert!((compared.ratio - 175.4 / 132.0).abs() < 0.001, "{}", compared.ratio);
    assert!(
        analysis.answers[0]
            .answer
            .starts_with("At 100 connections: Yes, they differ: three gave 32.9 % more")
    );
    let cell = &analysis.cells[0];
    assert!((cell.goodput.as_ref().unwrap().mean - 132.0).abs() < 1e-9);
    assert!((cell.little_ratio.unwrap() - 1.0).abs() < 1e-3);
}

#[test]
fn one_struck_repetition_leaves_the_mean_and_n_says_so() {
    let mut lab = exercise();
    lab.cell("two", 100).take(1).for_each(fail_mostly);
    let analysis = lab.analysis();
    let cell = &analysis.cells[0];
    assert_eq!((cell.goodput.as_ref().unwrap().n, cell.struck.as_ref()), (4, None));
    assert_eq!(analysis.answers[0].comparison.compared.as_ref().unwrap().df, 3.0);
    let text = markdown(&lab);
    assert!(text.contains("~~12.0~~ · 132.0 · 133.0 · 132.0 · 132.0"), "{text}");
    assert!(text.contains("round 1 struck: most requests failed"));
}

#[test]
fn the_courses_times_per_request_are_those_its_tool_prints() {
    // 10000 requests at 100 connections in 7.956 s were printed as 79.560 ms, and 1319 in 10.0024 s as 758.333 and 7.583.
    for (completed, duration_s, printed, across_all) in
        [(10_000, 7.956, 79.560, 0.7956), (1319, 10.002_412, 758.333, 7.583)]
    {
        let mut lab = Lab::measured(&["one"], &[100], 5);
        lab.cell("one", 100).for_each(|r| {
            r.measurement.completed = completed;
            r.measurement.good = completed;
            r.measurement.duration_s = duration_s;
        });
        let course = lab.analysis().cells.remove(0).course.unwrap();
        assert!((course.time_per_request_ms.unwrap() - printed).abs() < 0.001, "{course:?}");
        assert!((course.time_per_request_across_all_ms.unwrap() - across_all).abs() < 0.001, "{course:?}");
    }
}

#[test]
fn a_run_says_where_its_time_went_and_an_old_one_does_not() {
    let mut lab = exercise();
    assert!(!markdown(&lab).contains("### Where the time went"));
    lab.run.times = RunTimes {
        images_s: 100.0,
        nodes_s: 20.0,
        switching_s: 30.0,
        verifying_s: 10.0,
        warm_up_s: 300.0,
        windows_s: 600.0,
        cool_down_s: 100.0,
        switches: 9,
        switch_s_max: 4.25,
    };
    let text = markdown(&lab);
    let section = text.split("### Where the time went").nth(1).unwrap();
    let row = |name: &str| -> Vec<&str> {
        let line = section.lines().find(|line| line.starts_with(&format!("| {name}"))).unwrap();
        line.split('|').map(str::trim).skip(2).take(2).collect()
    };
    assert_eq!(row("Windows"), ["600", "50.0 %"]);
    assert_eq!(row("Switching variants (switched 9 times, the longest 4.25 s)"), ["30", "2.5 %"]);
    // 1200 s are the whole run, 1160 s of them are noted; of the 1100 s beyond images, 1000 s were load.
    assert_eq!(row("Everything else"), ["40", "3.3 %"]);
    assert!(section.contains("benchtop's own share is 9.1 %:"), "{section}");
    lab.run.elapsed_s = 0.0;
    assert!(!markdown(&lab).contains("NaN"));
}

#[test]
fn exploratory_rows_are_adjusted_for_how_many_they_are() {
    let analysis = Lab::measured(&["one", "two", "three"], &[4, 16], 5).analysis();
    let rows: Vec<(&str, &str)> =
        analysis.comparisons.iter().take(3).map(|row| (row.base.as_str(), row.new.as_str())).collect();
    assert_eq!(rows, [("one", "two"), ("one", "three"), ("two", "three")]);
    assert_eq!(analysis.comparisons.len(), 6);
    for row in &analysis.comparisons {
        assert!(row.p_holm.unwrap() >= row.compared.as_ref().unwrap().p);
    }
    let asked = exercise().analysis();
    assert_eq!(asked.comparisons.iter().filter(|row| row.level.as_deref() == Some("100")).count(), 1);
}

#[test]
fn a_difference_that_does_not_outlast_the_adjustment_is_called_an_idea() {
    let mut lab = Lab::measured(&["one", "two"], &[4, 8, 16], 5);
    for level in [4, 8, 16] {
        lab.set_rates("one", level, &[100.0, 101.0, 99.0, 100.0, 100.0]);
        lab.set_rates("two", level, &[100.0, 101.0, 99.0, 100.0, 100.5]);
    }
    lab.set_rates("two", 16, &[102.0, 101.3, 101.0, 101.0, 103.0]);
    let row = lab.analysis().comparisons.pop().unwrap();
    let p = row.compared.as_ref().unwrap().p;
    assert!(p < 0.05 && row.p_holm.unwrap() > 0.05, "{row:?}");
    assert!(row.sentence.contains("an idea for another run"), "{}", row.sentence);
}

#[test]
fn a_sequential_run_is_compared_without_pairs_and_marked() {
    let mut lab = exercise();
    lab.run.experiment.order = Order::Sequential;
    let text = markdown(&lab);
    assert!(text.contains("Welch's t test") && text.contains("**Order confounded with time:**"));
    assert!(!text.contains("paired t test"));
}

#[test]
fn what_is_missing_stands_on_the_first_page() {
    assert!(!markdown(&exercise()).contains("not a whole run"));
    let mut lab = exercise();
    lab.run.partial = vec!["only variants two, three (`--only`)".to_owned()];
    lab.run.state = RunState::Interrupted;
    lab.repetitions.retain(|r| r.round < 4 && !(r.variant == "three" && r.level == "500"));
    let text = markdown(&lab);
    let first_page = text.split("## Results").next().unwrap();
    for expected in ["not a whole run", "only variants two", "3 of 5 rounds", "three at 500", "interrupted"] {
        assert!(first_page.contains(expected), "{expected}: {first_page}");
    }
    assert!(text.contains("not measured"));
    assert!(terminal(&lab.analysis(), None).contains("Not a whole run:"));
}

#[test]
fn hostile_text_stays_text() {
    let mut lab = exercise();
    let hostile = "a | b\n# <img src=x onerror=y> `c` [d](javascript:e)";
    lab.run.experiment.title = hostile.to_owned();
    lab.run.experiment.report.author = hostile.to_owned();
    lab.run.experiment.questions[0].ask = hostile.to_owned();
    lab.run.evidence[0].title = hostile.to_owned();
    lab.run.nodes["frontend"].facts.insert("os".to_owned(), hostile.to_owned());
    lab.texts.insert("evidence/states.txt".to_owned(), "```\n# out\n````\n<script>\n".to_owned());
    let text = markdown(&lab);
    assert!(!text.contains("<img") && !text.contains("\n# <") && !text.contains("[d]("));
    let fence = text.split("<script>\n").nth(1).unwrap().lines().next().unwrap();
    assert_eq!(fence, "`````");
    // Every table keeps its number of columns.
    for block in text.split("\n\n").filter(|block| block.starts_with("| ")) {
        let pipes = |line: &str| line.replace("\\|", "").matches('|').count();
        let columns = pipes(block.lines().next().unwrap());
        assert!(block.lines().all(|line| pipes(line) == columns), "{block}");
    }
}

#[test]
fn texts_that_are_the_same_in_all_variants_stand_once() {
    let text = markdown(&exercise());
    assert_eq!(text.matches("maxconn 4000").count(), 1);
    assert!(text.contains("In every variant."));
    let mut lost = exercise();
    lost.texts.clear();
    assert!(markdown(&lost).contains("the text was not kept"));
}

#[test]
fn an_empty_run_still_has_a_report() {
    let mut lab = exercise();
    lab.repetitions.clear();
    lab.telemetry.clear();
    let text = markdown(&lab);
    assert!(text.contains("not measured") && text.contains("0 of 5 rounds"));
    lab.run.experiment.variants.clear();
    lab.run.experiment.questions.clear();
    lab.run.experiment.thresholds.clear();
    assert!(markdown(&lab).contains("Nothing was planned"));
    assert!(!terminal(&lab.analysis(), Some(80)).is_empty());
}

#[test]
fn an_analysis_is_json_with_units_last() {
    let value = serde_json::to_value(exercise().analysis()).unwrap();
    let cell = &value["cells"][0];
    assert!(cell["repetitions"][0]["goodput_per_s"].is_number());
    assert!(cell["latency"]["p95"]["merged_ms"].is_number());
    assert_eq!(value["thresholds"][0]["verdict"], "pass");
    assert_eq!(value["answers"][0]["comparison"]["compared"]["verdict"], "different");
    assert!(!serde_json::to_string(&value).unwrap().contains("null,null,null,null"));
}

#[test]
fn two_hundred_cells_have_a_row_each() {
    let names: Vec<String> = (1..=20).map(|index| format!("variant-{index}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let levels: Vec<u32> = (1..=10).map(|level| 4 * level).collect();
    let lab = Lab::measured(&names, &levels, 2);
    let results = page::report(&lab.input(), &lab.analysis());
    let table = results.split("## Results").nth(1).unwrap().split("\n\n").nth(1).unwrap();
    assert_eq!(table.lines().count(), 202);
}

#[test]
fn evidence_stands_under_one_title_with_each_variant_once() {
    let mut lab = exercise();
    for (variant, service) in [("three", "backend2"), ("three", "backend1"), ("two", "backend1")] {
        let file = format!("evidence/{variant}/{service}.txt");
        lab.texts.insert(file.clone(), "nginx/1.22.1\n".to_owned());
        lab.run.evidence.push(Evidence {
            title: "nginx version".to_owned(),
            variant: variant.to_owned(),
            service: format!("{service}.nginx"),
            file,
        });
    }
    let page = markdown(&lab);
    assert!(page.contains("- nginx version (`two`, `three`)\n"), "{page}");
    assert_eq!(page.matches("### nginx version\n").count(), 1);
    assert!(page.contains("`backend1.nginx`, in every variant; `backend2.nginx`, in `three`."), "{page}");
    assert_eq!(page.matches("nginx/1.22.1\n").count(), 1);
}

#[test]
fn requests_that_were_verified_stand_with_the_evidence_once_for_all_variants() {
    assert!(!markdown(&exercise()).contains("answered as they must be"));
    let mut lab = exercise();
    for (variant, user, status) in [("two", None, 401), ("three", None, 401), ("two", Some("cda"), 200)] {
        lab.run.verified.push(Verified {
            variant: variant.to_owned(),
            url: "http://www.example.org/ha_stats".to_owned(),
            user: user.map(str::to_owned),
            status,
        });
    }
    let page = markdown(&lab);
    let first_page = page.split("### Thresholds").next().unwrap();
    for row in ["| without login |    401 | all ", "| `cda`         |    200 | `two` "] {
        assert!(first_page.contains(row), "{row}: {first_page}");
    }
}

#[test]
fn the_first_page_has_the_order_of_a_hand_in() {
    let page = markdown(&exercise());
    let order = [
        "**Author:**",
        "## Questions and answers",
        "## Results",
        "(goodput.png)",
        "(topology.png)",
        "| Node ",
        "### Evidence in this report",
        "### Thresholds",
        "### Findings\n",
    ];
    let places: Vec<usize> = order.iter().map(|part| page.find(part).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
}
