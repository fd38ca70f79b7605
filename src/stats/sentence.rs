//! A comparison as one honest sentence. The numbers are all computed; only the frame is fixed.

use crate::stats::compare::{Compared, Design, DifferenceVerdict};

/// Says in one or two sentences what a comparison of good requests per second shows; names are put in as they are.
#[must_use]
pub fn sentence(compared: &Compared, base: &str, new: &str) -> String {
    match compared.verdict {
        DifferenceVerdict::Different => different(compared, base, new),
        DifferenceVerdict::Equivalent => equivalent(compared, base, new),
        DifferenceVerdict::Inconclusive => inconclusive(compared, base, new),
    }
}

fn different(compared: &Compared, base: &str, new: &str) -> String {
    let change = compared.ratio - 1.0;
    let but = if compared.small {
        format!(" The difference is real but stays below the {} that matter.", percent(compared.delta))
    } else {
        String::new()
    };
    let rank = compared.mann_whitney_p.map(|p| format!(", rank test {}", p_text(p))).unwrap_or_default();
    let (low, high) = if change >= 0.0 {
        (compared.ratio_ci[0] - 1.0, compared.ratio_ci[1] - 1.0)
    } else {
        (1.0 - compared.ratio_ci[1], 1.0 - compared.ratio_ci[0])
    };
    format!(
        "Yes, they differ: {new} gave {} {} good requests per second than {base} ({} interval {} to {}; {}, {}{rank}).{but}",
        percent(change.abs()),
        if change >= 0.0 { "more" } else { "fewer" },
        percent(compared.confidence),
        percent(low),
        percent(high),
        rounds(compared),
        p_text(compared.p),
    )
}

fn equivalent(compared: &Compared, base: &str, new: &str) -> String {
    let ci = compared.ratio_ci_equivalence;
    format!(
        "Practically the same: {new} over {base} is {:.3}, and the {} interval ({} to {}) stays within the ±{} that matter ({}).",
        compared.ratio,
        percent(2.0 * compared.confidence - 1.0),
        signed_percent(ci[0] - 1.0),
        signed_percent(ci[1] - 1.0),
        percent(compared.delta),
        rounds(compared),
    )
}

fn inconclusive(compared: &Compared, base: &str, new: &str) -> String {
    format!(
        "No difference was shown: {new} measured {} against {base}, but the {} interval reaches from {} to {} ({}, {}). \
         Only a difference of {} or more would have been noticed reliably, so this does not prove that they are equal.",
        signed_percent(compared.ratio - 1.0),
        percent(compared.confidence),
        signed_percent(compared.ratio_ci[0] - 1.0),
        signed_percent(compared.ratio_ci[1] - 1.0),
        rounds(compared),
        p_text(compared.p),
        percent(compared.mde),
    )
}

fn rounds(compared: &Compared) -> String {
    match compared.design {
        Design::Paired => format!("{} interleaved rounds, paired t test", compared.n),
        Design::Unpaired => format!("{} runs each, not interleaved, Welch's t test", compared.n),
    }
}

/// `p = 0.002`, `p < 0.001`.
fn p_text(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

/// A share as a percentage: one decimal below 100 %, none for whole numbers such as 95 %.
fn percent(share: f64) -> String {
    let value = share * 100.0;
    if (value - value.round()).abs() < 1e-9 || value.abs() >= 1000.0 {
        format!("{value:.0} %")
    } else {
        format!("{value:.1} %")
    }
}

/// A share as a percentage with its sign, `−` as the minus.
fn signed_percent(share: f64) -> String {
    let text = percent(share.abs());
    if text.chars().all(|c| !c.is_ascii_digit() || c == '0') {
        text
    } else if share < 0.0 {
        format!("−{text}")
    } else {
        format!("+{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::compare::compare;

    const BASE: [f64; 5] = [301.2, 296.8, 305.0, 299.1, 303.4];

    fn said(new: [f64; 5]) -> String {
        sentence(&compare(&BASE, &new, Design::Paired, 0.95, 0.03).unwrap(), "A", "B")
    }

    #[test]
    fn each_verdict_has_its_sentence_with_its_numbers() {
        assert_eq!(
            said([321.4, 309.2, 318.0, 322.9, 316.1]),
            "Yes, they differ: B gave 5.4 % more good requests per second than A (95 % interval 3.3 % to 7.7 %; \
             5 interleaved rounds, paired t test, p = 0.002, rank test p = 0.008)."
        );
        assert_eq!(
            said([316.0, 290.2, 312.7, 318.9, 294.1]),
            "No difference was shown: B measured +1.7 % against A, but the 95 % interval reaches from −3.5 % to +7.1 % \
             (5 interleaved rounds, paired t test, p = 0.427). Only a difference of 7.4 % or more would have been \
             noticed reliably, so this does not prove that they are equal."
        );
        assert_eq!(
            said([302.9, 295.0, 308.9, 300.8, 302.1]),
            "Practically the same: B over A is 1.003, and the 90 % interval (−0.5 % to +1.0 %) stays within the ±3 % \
             that matter (5 interleaved rounds, paired t test)."
        );
    }

    #[test]
    fn fewer_is_said_with_its_bounds_the_right_way_round() {
        let text = said([151.0, 148.0, 153.0, 149.0, 152.0]);
        assert!(text.contains("B gave 50.0 % fewer") || text.contains("B gave 49.9 % fewer"), "{text}");
        let shown = text.split("interval ").nth(1).unwrap();
        let numbers: Vec<f64> = shown.split(' ').filter_map(|word| word.parse().ok()).take(2).collect();
        assert!(numbers[0] < numbers[1], "{text}");
    }

    #[test]
    fn runs_that_were_not_interleaved_are_called_so() {
        let compared =
            compare(&BASE, &[151.0, 148.0, 153.0, 149.0, 152.0], Design::Unpaired, 0.95, 0.03).unwrap();
        assert!(sentence(&compared, "A", "B").contains("not interleaved"));
    }
}
