//! Comparisons of variants: at one level, or over all levels they share.

use std::collections::BTreeMap;

use crate::model::experiment::{Experiment, Language, Order};
use crate::report::analysis::ComparisonRow;
use crate::report::number;
use crate::report::view::{CellView, level_names};
use crate::report::words;
use crate::stats::{CONFIDENCE, Compared, DELTA, Design, DifferenceVerdict};
use crate::stats::{compare, holm, sentence};

/// Compares two variants at a level, or at all of them together: the mean over levels of each round's log-difference,
/// and one test (`models`: a headline is one test, not one a level).
pub(super) fn row(
    experiment: &Experiment,
    cells: &[CellView],
    base: &str,
    new: &str,
    level: Option<&str>,
) -> ComparisonRow {
    let language = experiment.report.language;
    let result = compared(experiment, cells, base, new, level);
    let (compared, sentence) = match result {
        Ok((compared, note)) => {
            let mut text = sentence(language, &compared, base, new);
            if experiment.order == Order::Sequential {
                text.push_str(words::comparisons::not_random(language));
            }
            text.push_str(&note);
            (Some(compared), text)
        }
        Err(reason) => (None, words::comparisons::cannot_be_told(language, &reason)),
    };
    ComparisonRow {
        base: base.to_owned(),
        new: new.to_owned(),
        level: level.map(str::to_owned),
        headline: false,
        compared,
        p_holm: None,
        sentence,
    }
}

/// The result with a note on levels left out, or why there is none.
fn compared(
    experiment: &Experiment,
    cells: &[CellView],
    base: &str,
    new: &str,
    level: Option<&str>,
) -> Result<(Compared, String), String> {
    let language = experiment.report.language;
    let find = |variant: &str, level: &str| {
        cells.iter().find(|cell| cell.variant.name == variant && cell.level.name == level)
    };
    let mut pairs: Vec<(&CellView, &CellView)> = Vec::new();
    let mut left_out: Vec<String> = Vec::new();
    let names: Vec<&str> = level.map_or_else(|| level_names(experiment), |level| vec![level]);
    for name in &names {
        let (Some(base), Some(new)) = (find(base, name), find(new, name)) else { continue };
        match obstacle(language, base).or_else(|| obstacle(language, new)) {
            Some(reason) => left_out.push(reason),
            None => pairs.push((base, new)),
        }
    }
    if pairs.is_empty() {
        return Err(match left_out.is_empty() {
            true => words::comparisons::no_common_level(language, &base, &new),
            false => left_out.join("; "),
        });
    }
    let base_values = by_round(pairs.iter().map(|(base, _)| *base));
    let new_values = by_round(pairs.iter().map(|(_, new)| *new));
    let result = match experiment.order {
        Order::Random => {
            let common: Vec<(f64, f64)> = base_values
                .iter()
                .filter_map(|(round, base)| Some((*base, *new_values.get(round)?)))
                .collect();
            if common.len() < 2 {
                return Err(words::comparisons::too_few_rounds(language, &common.len()));
            }
            let (base, new): (Vec<f64>, Vec<f64>) = common.into_iter().unzip();
            compare(&base, &new, Design::Paired, CONFIDENCE, DELTA)
        }
        Order::Sequential => {
            let base: Vec<f64> = base_values.into_values().collect();
            let new: Vec<f64> = new_values.into_values().collect();
            compare(&base, &new, Design::Unpaired, CONFIDENCE, DELTA)
        }
    };
    let note = match left_out.is_empty() {
        true => String::new(),
        false => words::comparisons::left_out(language, &left_out.join("; ")),
    };
    result.map(|compared| (compared, note)).map_err(|error| words::comparisons::obstacle(language, &error))
}

/// Why a cell cannot be compared.
fn obstacle(language: Language, cell: &CellView) -> Option<String> {
    let (variant, level) = (&cell.variant.name, &cell.level.name);
    if let Some(reason) = &cell.summary.struck {
        return Some(words::comparisons::is_struck(language, variant, level, reason));
    }
    (!cell.counts()).then(|| words::comparisons::was_not_measured(language, variant, level))
}

/// Round → geometric mean over the cells, for rounds that have all of them.
fn by_round<'a>(cells: impl Iterator<Item = &'a CellView<'a>>) -> BTreeMap<u32, f64> {
    let mut logs: BTreeMap<u32, (f64, usize)> = BTreeMap::new();
    let mut wanted = 0;
    let mut single: BTreeMap<u32, f64> = BTreeMap::new();
    for cell in cells {
        wanted += 1;
        for (round, value) in cell.goodput_by_round() {
            let entry = logs.entry(round).or_default();
            *entry = (entry.0 + value.ln(), entry.1 + 1);
            single.insert(round, value);
        }
    }
    if wanted == 1 {
        return single;
    }
    logs.into_iter()
        .filter(|(_, (_, count))| *count == wanted)
        .map(|(round, (sum, count))| (round, (sum / count as f64).exp()))
        .collect()
}

/// The exploratory rows: each variant against the first and against its predecessor, at each level, Holm-adjusted. What a
/// question asked for already is not among them.
pub(super) fn exploratory(
    experiment: &Experiment,
    cells: &[CellView],
    asked: &[ComparisonRow],
) -> Vec<ComparisonRow> {
    let names: Vec<&str> = experiment.variants.keys().map(String::as_str).collect();
    let mut rows = Vec::new();
    for level in level_names(experiment) {
        for (place, new) in names.iter().enumerate().skip(1) {
            let mut bases = vec![names[0]];
            if place > 1 {
                bases.push(names[place - 1]);
            }
            for base in bases {
                let shared =
                    |name: &str| cells.iter().any(|c| c.variant.name == name && c.level.name == level);
                let known = asked
                    .iter()
                    .any(|row| row.base == base && row.new == *new && row.level.as_deref() == Some(level));
                if !known && shared(base) && shared(new) {
                    rows.push(row(experiment, cells, base, new, Some(level)));
                }
            }
        }
    }
    adjust(experiment.report.language, &mut rows);
    rows
}

fn adjust(language: Language, rows: &mut [ComparisonRow]) {
    let told: Vec<usize> = (0..rows.len()).filter(|index| rows[*index].compared.is_some()).collect();
    let p: Vec<f64> =
        told.iter().filter_map(|index| rows[*index].compared.as_ref()).map(|compared| compared.p).collect();
    // Every p comes from a t test and lies between 0 and 1, so that Holm never refuses; without it the column is empty.
    if let Ok(adjusted) = holm(&p) {
        let count = adjusted.len();
        for (index, p) in told.into_iter().zip(adjusted) {
            let row = &mut rows[index];
            row.p_holm = Some(p);
            let different = row.compared.as_ref().is_some_and(|c| c.verdict == DifferenceVerdict::Different);
            if different && p >= 1.0 - CONFIDENCE {
                let note = words::comparisons::by_chance(language, &count, &number::probability(p));
                row.sentence.push_str(&note);
            }
        }
    }
}

/// Ratio of geometric means of two cells' good requests per second; none when either does not count.
pub(super) fn ratio(cells: &[CellView], base: &str, new: &str, level: &str) -> Option<f64> {
    let mean_log = |variant: &str| -> Option<f64> {
        let cell = cells.iter().find(|c| c.variant.name == variant && c.level.name == level)?;
        let values: Vec<f64> = cell.goodput_by_round().into_values().collect();
        (!values.is_empty()).then(|| values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64)
    };
    let ratio = (mean_log(new)? - mean_log(base)?).exp();
    ratio.is_finite().then_some(ratio)
}
