//! A finding as the report prints it.

use serde::Serialize;

use crate::model::experiment::Language;
use crate::model::finding::FindingKind;
use crate::report::view::CellView;
use crate::report::words;

/// Something the report must say, with what was seen and what to do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Kind.
    pub kind: FindingKind,
    /// Variant it belongs to; none for the whole run.
    pub variant: Option<String>,
    /// Levels it was seen at.
    pub levels: Vec<String>,
    /// Heading.
    pub title: String,
    /// What was seen, with its numbers.
    pub evidence: String,
    /// What to do about it.
    pub advice: String,
}

impl Finding {
    /// A finding of the whole run.
    pub(super) fn of_run(language: Language, kind: FindingKind, evidence: String) -> Self {
        Self::new(language, kind, None, Vec::new(), evidence)
    }

    /// A finding of one variant.
    pub(super) fn of_variant(
        language: Language,
        kind: FindingKind,
        variant: &str,
        levels: Vec<String>,
        evidence: String,
    ) -> Self {
        Self::new(language, kind, Some(variant.to_owned()), levels, evidence)
    }

    fn new(
        language: Language,
        kind: FindingKind,
        variant: Option<String>,
        levels: Vec<String>,
        evidence: String,
    ) -> Self {
        Self {
            kind,
            variant,
            levels,
            title: words::title(language, kind).to_owned(),
            evidence,
            advice: words::advice(language, kind).to_owned(),
        }
    }
}

/// One finding a variant from what a rule says of each of its cells: levels and evidence are gathered.
pub(super) fn by_variant(
    language: Language,
    cells: &[CellView],
    kind: FindingKind,
    rule: impl Fn(&CellView) -> Option<String>,
) -> Vec<Finding> {
    let mut gathered: Vec<(&str, Vec<String>, Vec<String>)> = Vec::new();
    for cell in cells {
        let Some(seen) = rule(cell) else { continue };
        let sentence = words::evidence::at_level(language, &cell.level.name, &seen);
        match gathered.iter_mut().find(|(variant, ..)| *variant == cell.variant.name) {
            Some((_, levels, sentences)) => {
                levels.push(cell.level.name.clone());
                sentences.push(sentence);
            }
            None => gathered.push((&cell.variant.name, vec![cell.level.name.clone()], vec![sentence])),
        }
    }
    gathered
        .into_iter()
        .map(|(variant, levels, sentences)| {
            Finding::of_variant(
                language,
                kind,
                variant,
                levels,
                format!("{variant}, {}", sentences.join("; ")),
            )
        })
        .collect()
}

/// Findings of one kind and variant as one, their evidence one after the other.
pub(super) fn merged(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::new();
    for finding in findings {
        let same = |other: &&mut Finding| other.kind == finding.kind && other.variant == finding.variant;
        let Some(known) = merged.iter_mut().find(same) else {
            merged.push(finding);
            continue;
        };
        // The variant's name stands in front of the first part only.
        let named = finding.variant.map(|variant| format!("{variant}, ")).unwrap_or_default();
        let part = finding.evidence.strip_prefix(&named).unwrap_or(&finding.evidence);
        known.evidence.push_str("; ");
        known.evidence.push_str(part);
        for level in finding.levels {
            if !known.levels.contains(&level) {
                known.levels.push(level);
            }
        }
    }
    merged
}

/// Findings of one kind together: each group has one heading and one advice, and evidence for each variant.
pub(super) fn by_kind(findings: &[Finding]) -> impl Iterator<Item = &[Finding]> {
    findings.chunk_by(|one, next| one.kind == next.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_and_variant_is_one_finding_with_both_parts() {
        let seen = |kind, variant: &str, levels: &[&str], seen: &str| {
            let levels = levels.iter().map(|level| (*level).to_owned()).collect();
            Finding::of_variant(Language::En, kind, variant, levels, format!("{variant}, {seen}"))
        };
        let findings = merged(vec![
            seen(FindingKind::WorkersAllBusy, "one", &["4"], "at 4: a log"),
            seen(FindingKind::WorkersAllBusy, "two", &["4"], "at 4: another log"),
            seen(FindingKind::WorkersAllBusy, "one", &["4", "16"], "at 4: busy; at 16: busy"),
            seen(FindingKind::CpuThrottled, "one", &["4"], "at 4: throttled"),
        ]);
        let shown: Vec<&str> = findings.iter().map(|finding| finding.evidence.as_str()).collect();
        assert_eq!(
            shown,
            ["one, at 4: a log; at 4: busy; at 16: busy", "two, at 4: another log", "one, at 4: throttled"]
        );
        assert_eq!(findings[0].levels, ["4", "16"]);
        assert_eq!(by_kind(&findings).map(<[Finding]>::len).collect::<Vec<usize>>(), [2, 1]);
    }
}
