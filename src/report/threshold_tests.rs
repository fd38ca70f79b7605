//! Thresholds on a measured run: the truth table, the functions, the open cases.

use super::*;
use crate::model::experiment::Question;
use crate::report::testing::{Lab, fail_mostly};

fn number(value: f64) -> Expression {
    Expression::Number(value)
}

fn goodput(variant: &str, level: u32) -> Expression {
    Expression::Call(Function::Goodput { variant: variant.to_owned(), level: level.to_string() })
}

fn judged(lab: &mut Lab, expression: Expression) -> ThresholdVerdict {
    lab.run.experiment.thresholds = vec![Threshold { text: "as written".to_owned(), expression }];
    lab.analysis().thresholds.remove(0)
}

fn compare(operator: Comparison, left: Expression, right: Expression) -> Expression {
    Expression::Compare(operator, Box::new(left), Box::new(right))
}

#[test]
fn a_bound_on_two_cells_passes_and_fails_with_its_numbers() {
    let mut lab = Lab::measured(&["one", "two"], &[16], 5);
    let scaled = |factor: f64| {
        Expression::Arithmetic(Arithmetic::Multiply, Box::new(number(factor)), Box::new(goodput("one", 16)))
    };
    let pass = judged(&mut lab, compare(Comparison::Greater, goodput("two", 16), scaled(1.5)));
    assert_eq!(pass.verdict, Verdict::Pass);
    assert_eq!(pass.values, "goodput('two', 16) = 200.08; goodput('one', 16) = 100.04");
    let fail = judged(&mut lab, compare(Comparison::Greater, goodput("two", 16), scaled(3.0)));
    assert_eq!(fail.verdict, Verdict::Fail);
}

#[test]
fn a_struck_or_missing_cell_is_open_unless_the_other_side_decides() {
    let mut lab = Lab::measured(&["one", "two"], &[16], 5);
    lab.cell("two", 16).for_each(fail_mostly);
    let open = || compare(Comparison::Greater, goodput("two", 16), number(1.0));
    let closed = |value| compare(Comparison::Greater, goodput("one", 16), number(value));
    let both = |a, b| (Box::new(a), Box::new(b));
    assert_eq!(judged(&mut lab, open()).verdict, Verdict::CannotTell);
    assert!(judged(&mut lab, open()).values.contains("goodput('two', 16) = cannot be told"));
    assert_eq!(judged(&mut lab, goodput("one", 99)).verdict, Verdict::CannotTell);
    assert_eq!(judged(&mut lab, Expression::Not(Box::new(open()))).verdict, Verdict::CannotTell);
    for (holds, and, or) in [
        (closed(1.0), Verdict::CannotTell, Verdict::Pass),
        (closed(1000.0), Verdict::Fail, Verdict::CannotTell),
    ] {
        let (left, right) = both(open(), holds.clone());
        assert_eq!(judged(&mut lab, Expression::And(left, right)).verdict, and);
        let (left, right) = both(holds, open());
        assert_eq!(judged(&mut lab, Expression::Or(left, right)).verdict, or);
    }
    let zero = Expression::Arithmetic(Arithmetic::Divide, Box::new(number(1.0)), Box::new(number(0.0)));
    assert_eq!(judged(&mut lab, zero).verdict, Verdict::CannotTell);
}

#[test]
fn every_function_has_a_value_on_a_sound_run() {
    let mut lab = Lab::measured(&["one", "two"], &[4, 16], 5);
    lab.run.experiment.questions =
        vec![Question { ask: "?".into(), compare: ["one".into(), "two".into()], at: None }];
    let (variant, level) = ("two".to_owned(), "16".to_owned());
    let (base, new) = ("one".to_owned(), "two".to_owned());
    let p95 =
        Function::Latency { percentile: Percentile::P95, variant: variant.clone(), level: level.clone() };
    let cases = [
        (Function::Throughput { variant: variant.clone(), level: level.clone() }, 200.08),
        (Function::ErrorRatio { variant: variant.clone(), level: level.clone() }, 0.0),
        (Function::Ratio { base: base.clone(), new: new.clone(), level: level.clone() }, 2.0),
        (Function::Significant { base: base.clone(), new: new.clone(), level: Some(level.clone()) }, 1.0),
        (Function::Significant { base: base.clone(), new: base.clone(), level: None }, 0.0),
        (Function::Significant { base, new, level: None }, 1.0),
        (Function::OomKills { variant: variant.clone() }, 0.0),
        (Function::Elapsed, 1200.0),
        (Function::Finding { name: "drift".to_owned(), variant: None }, 0.0),
    ];
    for (function, expected) in cases {
        let within = compare(
            Comparison::Less,
            Expression::Arithmetic(
                Arithmetic::Subtract,
                Box::new(Expression::Call(function.clone())),
                Box::new(number(expected)),
            ),
            number(0.01),
        );
        let above = compare(Comparison::Greater, Expression::Call(function.clone()), number(expected - 0.01));
        let verdict = judged(&mut lab, Expression::And(Box::new(within), Box::new(above)));
        assert_eq!(verdict.verdict, Verdict::Pass, "{function:?}: {}", verdict.values);
    }
    assert_eq!(judged(&mut lab, Expression::Call(p95)).verdict, Verdict::Pass);
}

#[test]
fn a_finding_counts_for_its_variant_only() {
    let mut lab = Lab::measured(&["one", "two"], &[16], 5);
    lab.cell("two", 16).for_each(fail_mostly);
    let asks = |variant: Option<&str>| {
        Expression::Call(Function::Finding {
            name: "errors_counted_as_throughput".to_owned(),
            variant: variant.map(str::to_owned),
        })
    };
    assert_eq!(judged(&mut lab, asks(None)).verdict, Verdict::Pass);
    assert_eq!(judged(&mut lab, asks(Some("two"))).verdict, Verdict::Pass);
    assert_eq!(judged(&mut lab, asks(Some("one"))).verdict, Verdict::Fail);
}
