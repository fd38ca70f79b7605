//! The charts as bytes: what is in them, that they never fail, that they are the same twice.

use resvg::usvg::{Options, Tree};

use crate::model::experiment::Language;
use crate::report::chart::{charts, goodput, latency};
use crate::report::input::ReportFile;
use crate::report::testing::{Lab, fail_mostly};

fn svg(files: &[ReportFile], name: &str) -> String {
    let file = files.iter().find(|file| file.name == name).unwrap();
    String::from_utf8(file.bytes.clone()).unwrap()
}

#[test]
fn a_chart_is_svg_and_png() {
    let lab = Lab::measured(&["one", "two"], &[4, 16], 5);
    let files = charts(&lab.input(), &lab.analysis()).unwrap();
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(
        names,
        ["goodput.png", "goodput.svg", "latency.png", "latency.svg", "topology.png", "topology.svg"]
    );
    assert!(files[0].bytes.starts_with(b"\x89PNG"));
    assert!(svg(&files, "goodput.svg").contains("good requests per second"));
}

#[test]
fn a_struck_cell_has_a_cross_and_is_said_so() {
    let mut lab = Lab::measured(&["one", "two"], &[4, 16], 5);
    assert!(!goodput::draw(&lab.analysis(), Language::En).unwrap().contains("struck"));
    lab.cell("two", 16).for_each(fail_mostly);
    for svg in [goodput::draw(&lab.analysis(), Language::En), latency::draw(&lab.analysis(), Language::En)] {
        assert!(svg.unwrap().contains("struck (see the table)"));
    }
}

#[test]
fn any_title_and_any_number_of_cells_can_be_drawn() {
    for (variants, levels) in [(1, 1), (20, 12), (1, 12), (20, 1)] {
        let names: Vec<String> = (0..variants).map(|index| format!("variant-{index}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let levels: Vec<u32> = (1..=levels).map(|level| level * 4).collect();
        let mut lab = Lab::measured(&names, &levels, 1);
        lab.run.experiment.title = "Ёжик <b> & \"quotes\" \u{7} 漢字 ".repeat(20);
        let svg = goodput::draw(&lab.analysis(), Language::En).unwrap();
        let tree = Tree::from_str(&svg, &Options::default()).unwrap();
        assert!(tree.size().width() <= 1800.0 && tree.size().height() <= 1200.0);
        assert!(latency::draw(&lab.analysis(), Language::En).unwrap().ends_with("</svg>\n"));
    }
}

#[test]
fn a_run_without_repetitions_has_no_chart_and_one_of_errors_no_latency() {
    let mut lab = Lab::measured(&["one"], &[4], 2);
    lab.repetitions.iter_mut().for_each(fail_mostly);
    let names: Vec<String> =
        charts(&lab.input(), &lab.analysis()).unwrap().into_iter().map(|file| file.name).collect();
    assert_eq!(names, ["goodput.png", "goodput.svg", "topology.png", "topology.svg"]);
    lab.repetitions.clear();
    lab.run.experiment.variants.clear();
    assert_eq!(charts(&lab.input(), &lab.analysis()).unwrap(), []);
}
