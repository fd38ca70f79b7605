//! Somebody else's figures beside ours, as ratios: machines differ, so that nothing else can be compared. Figures that
//! are marked as invalid are in no ratio, and neither are struck cells of ours.

use indexmap::IndexSet;

use crate::model::experiment::Experiment;
use crate::model::hand_in::PublishedFigure;
use crate::report::analysis::Analysis;
use crate::report::number;
use crate::report::view;

/// One published figure with what was measured here.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PublishedRow {
    pub(super) variant: String,
    pub(super) figure: PublishedFigure,
    /// Mean of the published values, computed again from them; none where only a range was published.
    pub(super) mean: Option<f64>,
    /// The mean over that of the first valid row; the same for both ends of a range.
    pub(super) ratio: Option<f64>,
    pub(super) ratio_range: Option<[f64; 2]>,
    /// Our good requests per second at the level compared; none when struck or not measured.
    pub(super) ours: Option<f64>,
    /// Ours over ours of the same first row.
    pub(super) our_ratio: Option<f64>,
}

/// The rows of one published level, smallest first, invalid ones last.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PublishedLevel {
    pub(super) level: String,
    /// Our level that stands beside it; none when there is none.
    pub(super) ours: Option<String>,
    pub(super) rows: Vec<PublishedRow>,
}

/// The published figures of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PublishedFigures {
    pub(super) source: String,
    pub(super) levels: Vec<PublishedLevel>,
    /// No published level was measured here: the lowest valid one stands beside another level of ours.
    pub(super) other_level: bool,
}

impl PublishedLevel {
    /// The rows that are in ratios, when there are at least two.
    pub(super) fn chain(&self) -> Option<Vec<&PublishedRow>> {
        let rows: Vec<&PublishedRow> = self.rows.iter().filter(|row| row.ratio.is_some()).collect();
        (rows.len() > 1).then_some(rows)
    }

    /// `1 : 1.72 : 2.29`, what is missing as a dash.
    pub(super) fn sequence(rows: &[&PublishedRow], pick: fn(&PublishedRow) -> Option<f64>) -> String {
        let written = |(place, row): (usize, &&PublishedRow)| match (place, pick(row)) {
            (_, None) => "—".to_owned(),
            (0, Some(_)) => "1".to_owned(),
            (_, Some(ratio)) => number::rate(ratio),
        };
        rows.iter().enumerate().map(written).collect::<Vec<String>>().join(" : ")
    }
}

/// The published figures beside ours; none when the scenario has none.
pub(super) fn figures(experiment: &Experiment, analysis: &Analysis) -> Option<PublishedFigures> {
    let published = experiment.published.as_ref()?;
    let mut names: Vec<&str> = Vec::new();
    for name in published.requests_per_second.values().flat_map(|levels| levels.keys()) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    // Names that are no numbers stay in their order, behind the numbers.
    names.sort_by_key(|name| name.parse::<u64>().unwrap_or(u64::MAX));
    let mut levels: Vec<PublishedLevel> = names
        .iter()
        .map(|level| {
            let rows = published.requests_per_second.iter();
            let rows = rows.filter_map(|(variant, levels)| Some(row(variant, levels.get(*level)?))).collect();
            PublishedLevel { level: (*level).to_owned(), ours: None, rows: ordered(rows) }
        })
        .collect();
    let own: IndexSet<&str> = view::level_names(experiment).into_iter().collect();
    let other_level = !levels.iter().any(|level| own.contains(level.level.as_str()));
    if other_level {
        let lowest = levels.iter_mut().find(|level| level.chain().is_some());
        if let (Some(lowest), Some(ours)) = (lowest, stand_in(experiment, &own)) {
            beside(lowest, ours, analysis);
        }
    } else {
        for level in levels.iter_mut().filter(|level| own.contains(level.level.as_str())) {
            let ours = level.level.clone();
            beside(level, ours, analysis);
        }
    }
    Some(PublishedFigures { source: published.source.clone(), levels, other_level })
}

/// The level of the first question that names one, else the middle one.
fn stand_in(experiment: &Experiment, own: &IndexSet<&str>) -> Option<String> {
    let asked = experiment.questions.iter().find_map(|question| question.at.as_deref());
    let middle = own.get_index(own.len() / 2).copied();
    asked.filter(|level| own.contains(level)).or(middle).map(str::to_owned)
}

fn row(variant: &str, figure: &PublishedFigure) -> PublishedRow {
    let values = &figure.values;
    PublishedRow {
        variant: variant.to_owned(),
        figure: figure.clone(),
        mean: (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64),
        ratio: None,
        ratio_range: None,
        ours: None,
        our_ratio: None,
    }
}

/// Valid rows by their mean (a range by its middle), each with its ratio to the first one that has a mean.
fn ordered(mut rows: Vec<PublishedRow>) -> Vec<PublishedRow> {
    let middle = |row: &PublishedRow| {
        row.mean
            .or_else(|| row.figure.range.map(|[low, high]| f64::midpoint(low, high)))
            .unwrap_or(f64::INFINITY)
    };
    rows.sort_by(|left, right| {
        let invalid = left.figure.invalid.is_some().cmp(&right.figure.invalid.is_some());
        invalid.then(middle(left).total_cmp(&middle(right)))
    });
    let valid = |row: &PublishedRow| row.figure.invalid.is_none();
    let base = rows.iter().filter(|row| valid(row)).find_map(|row| row.mean).filter(|mean| *mean > 0.0);
    for row in rows.iter_mut().filter(|row| valid(row)) {
        row.ratio = base.and_then(|base| row.mean.map(|mean| mean / base));
        row.ratio_range = base.and_then(|base| row.figure.range.map(|range| range.map(|end| end / base)));
    }
    rows
}

/// Puts our level beside a published one.
fn beside(level: &mut PublishedLevel, ours: String, analysis: &Analysis) {
    let mean = |variant: &str| {
        analysis.cell(variant, &ours).and_then(|cell| cell.goodput.as_ref()).map(|summary| summary.mean)
    };
    let base = level.rows.iter().find(|row| row.ratio.is_some()).and_then(|row| mean(&row.variant));
    for row in &mut level.rows {
        row.ours = mean(&row.variant);
        let counts = row.figure.invalid.is_none();
        row.our_ratio =
            row.ours.zip(base).filter(|(_, base)| counts && *base > 0.0).map(|(ours, base)| ours / base);
    }
    level.ours = Some(ours);
}

#[cfg(test)]
mod tests {
    use indexmap::IndexMap;

    use super::*;
    use crate::model::experiment::Question;
    use crate::model::hand_in::Published;
    use crate::report::testing::{Lab, fail_mostly};

    fn values(values: &[f64], invalid: Option<&str>) -> PublishedFigure {
        PublishedFigure { values: values.to_vec(), range: None, invalid: invalid.map(str::to_owned) }
    }

    /// The figures of the exercise, at levels that this run has not.
    fn exercise() -> Lab {
        let mut lab = Lab::measured(&["two", "one-disabled", "three"], &[4, 16, 40], 5);
        let level = |name: &str, figure: PublishedFigure| (name.to_owned(), figure);
        let failed = Some("most requests failed");
        let two = [
            level("1000", values(&[4161.0, 4199.0, 4240.0, 4257.0, 4329.0], failed)),
            level("100", values(&[131.0, 132.0, 133.0, 132.0, 132.0], None)),
        ];
        let one = [
            level("100", values(&[76.0, 77.0, 77.0, 76.0, 77.0], None)),
            level("500", values(&[4657.0, 4700.0, 4708.0, 4767.0, 4539.0], failed)),
        ];
        let three = [
            level("100", values(&[171.0, 177.0, 177.0, 176.0, 176.0], None)),
            level("500", values(&[175.0, 176.0, 176.0, 176.0, 175.0], None)),
        ];
        lab.run.experiment.published = Some(Published {
            source: "a write-up".to_owned(),
            requests_per_second: IndexMap::from([
                ("two".to_owned(), two.into_iter().collect()),
                ("one-disabled".to_owned(), one.into_iter().collect()),
                ("three".to_owned(), three.into_iter().collect()),
            ]),
        });
        lab
    }

    fn of(lab: &Lab) -> PublishedFigures {
        figures(&lab.run.experiment, &lab.analysis()).unwrap()
    }

    #[test]
    fn means_are_computed_again_and_the_chain_rises_from_the_smallest() {
        let found = of(&exercise());
        let names: Vec<&str> = found.levels.iter().map(|level| level.level.as_str()).collect();
        assert_eq!(names, ["100", "500", "1000"]);
        let chain = found.levels[0].chain().unwrap();
        let variants: Vec<&str> = chain.iter().map(|row| row.variant.as_str()).collect();
        assert_eq!(variants, ["one-disabled", "two", "three"]);
        assert!((chain[0].mean.unwrap() - 76.6).abs() < 1e-9);
        assert_eq!(PublishedLevel::sequence(&chain, |row| row.ratio), "1 : 1.72 : 2.29");
    }

    #[test]
    fn invalid_figures_are_in_no_ratio() {
        let found = of(&exercise());
        let at_500 = &found.levels[1];
        assert_eq!((at_500.rows[0].variant.as_str(), at_500.rows[0].ratio), ("three", Some(1.0)));
        assert_eq!((at_500.rows[1].ratio, at_500.chain()), (None, None));
        assert!((at_500.rows[1].mean.unwrap() - 4674.2).abs() < 1e-9);
        // The lowest level has nothing valid: the next one is compared.
        let mut lab = exercise();
        let published = lab.run.experiment.published.as_mut().unwrap();
        for levels in published.requests_per_second.values_mut() {
            levels["100"].invalid = Some("no".to_owned());
            levels.insert("500".to_owned(), values(&[1.0], None));
        }
        assert_eq!(of(&lab).levels.iter().position(|level| level.ours.is_some()), Some(1));
    }

    #[test]
    fn ours_is_of_the_level_asked_about_or_the_middle_one() {
        let mut lab = exercise();
        let found = of(&lab);
        assert!(found.other_level);
        let ours: Vec<Option<&str>> = found.levels.iter().map(|level| level.ours.as_deref()).collect();
        assert_eq!(ours, [Some("16"), None, None]);
        // Ours rise with the order of the scenario: two, one-disabled, three.
        let chain = found.levels[0].chain().unwrap();
        assert_eq!(PublishedLevel::sequence(&chain, |row| row.our_ratio), "1 : 0.50 : 1.50");
        let compare = ["two".to_owned(), "three".to_owned()];
        lab.run.experiment.questions =
            vec![Question { ask: "?".to_owned(), compare, at: Some("40".to_owned()) }];
        assert_eq!(of(&lab).levels[0].ours.as_deref(), Some("40"));
        lab.cell("two", 40).for_each(fail_mostly);
        let found = of(&lab);
        let chain = found.levels[0].chain().unwrap();
        assert_eq!(PublishedLevel::sequence(&chain, |row| row.our_ratio), "1 : — : 1.50");
    }

    #[test]
    fn a_level_that_was_measured_stands_beside_itself() {
        let mut lab = exercise();
        let published = lab.run.experiment.published.as_mut().unwrap();
        for levels in published.requests_per_second.values_mut() {
            levels.insert("4".to_owned(), values(&[10.0], None));
        }
        let found = of(&lab);
        assert!(!found.other_level);
        let ours: Vec<Option<&str>> = found.levels.iter().map(|level| level.ours.as_deref()).collect();
        assert_eq!(ours, [Some("4"), None, None, None]);
    }

    #[test]
    fn a_range_stays_a_range() {
        let mut lab = exercise();
        let published = lab.run.experiment.published.as_mut().unwrap();
        let range = PublishedFigure { range: Some([153.2, 306.4]), ..PublishedFigure::default() };
        published.requests_per_second["two"]["100"] = range;
        let found = of(&lab);
        let row = found.levels[0].rows.iter().find(|row| row.variant == "two").unwrap();
        assert_eq!((row.mean, row.ratio), (None, None));
        let [low, high] = row.ratio_range.unwrap();
        assert!((low - 2.0).abs() < 1e-9 && (high - 4.0).abs() < 1e-9);
    }
}
