//! Thresholds: three-valued evaluation, with the numbers that decided. Parsing is `scenario`'s.

use crate::model::experiment::Experiment;
use crate::model::finding::FindingKind;
use crate::model::threshold::{Arithmetic, Comparison, Expression, Function, Percentile, Threshold};
use crate::report::analysis::{ThresholdVerdict, Verdict};
use crate::report::cell::CellSummary;
use crate::report::comparison;
use crate::report::finding::Finding;
use crate::report::number;
use crate::report::rule;
use crate::report::usage::NodeUse;
use crate::report::view::CellView;
use crate::report::words;
use crate::stats::DifferenceVerdict;

/// Everything a threshold may ask about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) cells: &'a [CellView<'a>],
    pub(super) findings: &'a [Finding],
    pub(super) used: &'a [NodeUse],
    pub(super) elapsed_s: f64,
}

/// Judges one threshold.
pub(super) fn judge(threshold: &Threshold, known: &Known) -> ThresholdVerdict {
    let mut seen = Vec::new();
    let value = evaluate(&threshold.expression, known, &mut seen);
    let verdict = match value {
        None => Verdict::CannotTell,
        Some(0.0) => Verdict::Fail,
        Some(_) => Verdict::Pass,
    };
    let values = match seen.is_empty() {
        true => words::answers::no_function(known.experiment.report.language).to_owned(),
        false => seen.join("; "),
    };
    ThresholdVerdict { text: threshold.text.clone(), verdict, values }
}

/// The value, or none where it cannot be told; `seen` gathers each function with its number.
fn evaluate(expression: &Expression, known: &Known, seen: &mut Vec<String>) -> Option<f64> {
    let finite = |value: f64| value.is_finite().then_some(value);
    match expression {
        Expression::Number(value) => finite(*value),
        Expression::Call(function) => {
            let value = call(function, known).and_then(finite);
            let untold = || words::answers::cannot_be_told(known.experiment.report.language).to_owned();
            let shown = value.map_or_else(untold, number::plain);
            let text = format!("{} = {shown}", show(function));
            if !seen.contains(&text) {
                seen.push(text);
            }
            value
        }
        Expression::Arithmetic(operator, left, right) => {
            let (left, right) = (evaluate(left, known, seen), evaluate(right, known, seen));
            let (left, right) = (left?, right?);
            finite(match operator {
                Arithmetic::Add => left + right,
                Arithmetic::Subtract => left - right,
                Arithmetic::Multiply => left * right,
                Arithmetic::Divide => left / right,
            })
        }
        Expression::Compare(operator, left, right) => {
            let (left, right) = (evaluate(left, known, seen), evaluate(right, known, seen));
            let (left, right) = (left?, right?);
            Some(truth(match operator {
                Comparison::Less => left < right,
                Comparison::LessOrEqual => left <= right,
                Comparison::Greater => left > right,
                Comparison::GreaterOrEqual => left >= right,
                Comparison::Equal => left == right,
                Comparison::NotEqual => left != right,
            }))
        }
        Expression::Not(inner) => evaluate(inner, known, seen).map(|value| truth(value == 0.0)),
        Expression::And(left, right) => match (evaluate(left, known, seen), evaluate(right, known, seen)) {
            (Some(0.0), _) | (_, Some(0.0)) => Some(0.0),
            (Some(_), Some(_)) => Some(1.0),
            _ => None,
        },
        Expression::Or(left, right) => match (evaluate(left, known, seen), evaluate(right, known, seen)) {
            (Some(0.0), Some(0.0)) => Some(0.0),
            (Some(value), _) if value != 0.0 => Some(1.0),
            (_, Some(value)) if value != 0.0 => Some(1.0),
            _ => None,
        },
    }
}

const fn truth(value: bool) -> f64 {
    if value { 1.0 } else { 0.0 }
}

fn call(function: &Function, known: &Known) -> Option<f64> {
    let summary = |variant: &str, level: &str| -> Option<&CellSummary> {
        let cell = known.cells.iter().find(|c| c.variant.name == variant && c.level.name == level)?;
        cell.counts().then_some(&cell.summary)
    };
    match function {
        Function::Goodput { variant, level } => summary(variant, level)?.goodput.as_ref().map(|s| s.mean),
        Function::Throughput { variant, level } => {
            summary(variant, level)?.throughput.as_ref().map(|s| s.mean)
        }
        Function::ErrorRatio { variant, level } => summary(variant, level)?.errors.ratio,
        Function::Latency { percentile, variant, level } => {
            let latency = &summary(variant, level)?.latency;
            match percentile {
                Percentile::P50 => latency.p50.merged_ms,
                Percentile::P95 => latency.p95.merged_ms,
                Percentile::P99 => latency.p99.merged_ms,
            }
        }
        Function::Ratio { base, new, level } => comparison::ratio(known.cells, base, new, level),
        Function::Significant { base, new, level } => {
            let row = comparison::row(known.experiment, known.cells, base, new, level.as_deref());
            row.compared.map(|compared| truth(compared.verdict == DifferenceVerdict::Different))
        }
        Function::OomKills { variant } => oom_kills(known, variant),
        Function::Elapsed => Some(known.elapsed_s),
        Function::Finding { name, variant } => {
            let kind = FindingKind::ALL.iter().find(|kind| kind.name() == name)?;
            let of_variant = |finding: &Finding| match (&finding.variant, variant) {
                (Some(found), Some(wanted)) => found == wanted,
                _ => true,
            };
            Some(truth(known.findings.iter().any(|f| f.kind == *kind && of_variant(f))))
        }
    }
}

/// Kills for memory in all cells of a variant; none when it was not measured.
fn oom_kills(known: &Known, variant: &str) -> Option<f64> {
    let mut measured =
        known.cells.iter().filter(|c| c.variant.name == variant && !c.repetitions.is_empty()).peekable();
    measured.peek()?;
    Some(measured.flat_map(|cell| rule::kills(cell, known.used).into_values()).sum::<u64>() as f64)
}

/// The call as it is written in a scenario.
fn show(function: &Function) -> String {
    match function {
        Function::Goodput { variant, level } => format!("goodput('{variant}', {})", level_text(level)),
        Function::Throughput { variant, level } => format!("throughput('{variant}', {})", level_text(level)),
        Function::ErrorRatio { variant, level } => format!("error_ratio('{variant}', {})", level_text(level)),
        Function::Latency { percentile, variant, level } => {
            let name = match percentile {
                Percentile::P50 => "p50",
                Percentile::P95 => "p95",
                Percentile::P99 => "p99",
            };
            format!("{name}('{variant}', {})", level_text(level))
        }
        Function::Ratio { base, new, level } => format!("ratio('{base}', '{new}', {})", level_text(level)),
        Function::Significant { base, new, level: Some(level) } => {
            format!("significant('{base}', '{new}', {})", level_text(level))
        }
        Function::Significant { base, new, level: None } => format!("significant('{base}', '{new}')"),
        Function::OomKills { variant } => format!("oom_kills('{variant}')"),
        Function::Elapsed => "elapsed()".to_owned(),
        Function::Finding { name, variant: Some(variant) } => format!("finding('{name}', '{variant}')"),
        Function::Finding { name, variant: None } => format!("finding('{name}')"),
    }
}

fn level_text(level: &str) -> String {
    if level.parse::<u64>().is_ok() { level.to_owned() } else { format!("'{level}'") }
}

#[cfg(test)]
#[path = "threshold_tests.rs"]
mod tests;
