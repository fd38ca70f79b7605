//! A comparison as one honest sentence. The numbers are all computed; only the frame is fixed.

use crate::model::experiment::Language;
use crate::stats::compare::{Compared, Design, DifferenceVerdict};

/// Says in one or two sentences what a comparison of good requests per second shows; names are put in as they are.
#[must_use]
pub fn sentence(language: Language, compared: &Compared, base: &str, new: &str) -> String {
    match compared.verdict {
        DifferenceVerdict::Different => different(language, compared, base, new),
        DifferenceVerdict::Equivalent => equivalent(language, compared, base, new),
        DifferenceVerdict::Inconclusive => inconclusive(language, compared, base, new),
    }
}

fn different(language: Language, compared: &Compared, base: &str, new: &str) -> String {
    let change = compared.ratio - 1.0;
    let more = change >= 0.0;
    let (low, high) = if more {
        (compared.ratio_ci[0] - 1.0, compared.ratio_ci[1] - 1.0)
    } else {
        (1.0 - compared.ratio_ci[1], 1.0 - compared.ratio_ci[0])
    };
    let [change, confidence, low, high, delta] =
        [change.abs(), compared.confidence, low, high, compared.delta].map(percent);
    let (rounds, p) = (rounds(language, compared), p_text(compared.p));
    let rank = compared.mann_whitney_p.map(p_text);
    match language {
        Language::En => {
            let direction = if more { "more" } else { "fewer" };
            let rank = rank.map(|p| format!(", rank test {p}")).unwrap_or_default();
            let but = if compared.small {
                format!(" The difference is real but stays below the {delta} that matter.")
            } else {
                String::new()
            };
            format!(
                "Yes, they differ: {new} gave {change} {direction} good requests per second than {base} ({confidence} \
                 interval {low} to {high}; {rounds}, {p}{rank}).{but}"
            )
        }
        Language::Es => {
            let direction = if more { "más" } else { "menos" };
            let rank = rank.map(|p| format!(", prueba de rangos {p}")).unwrap_or_default();
            let but = if compared.small {
                format!(" La diferencia es real, pero queda por debajo del {delta} que importa.")
            } else {
                String::new()
            };
            format!(
                "Sí, hay diferencia: {new} dio un {change} {direction} de peticiones correctas por segundo que {base} \
                 (intervalo de confianza del {confidence}: de {low} a {high}; {rounds}, {p}{rank}).{but}"
            )
        }
    }
}

fn equivalent(language: Language, compared: &Compared, base: &str, new: &str) -> String {
    let [low, high] = compared.ratio_ci_equivalence.map(|end| signed_percent(end - 1.0));
    let (ratio, rounds) = (compared.ratio, rounds(language, compared));
    let [confidence, delta] = [2.0 * compared.confidence - 1.0, compared.delta].map(percent);
    match language {
        Language::En => format!(
            "Practically the same: {new} over {base} is {ratio:.3}, and the {confidence} interval ({low} to {high}) stays \
             within the ±{delta} that matter ({rounds})."
        ),
        Language::Es => format!(
            "Prácticamente iguales: {new} entre {base} es {ratio:.3}, y el intervalo de confianza del {confidence} (de {low} \
             a {high}) queda dentro del ±{delta} que importa ({rounds})."
        ),
    }
}

fn inconclusive(language: Language, compared: &Compared, base: &str, new: &str) -> String {
    let [low, high] = compared.ratio_ci.map(|end| signed_percent(end - 1.0));
    let change = signed_percent(compared.ratio - 1.0);
    let [confidence, noticed] = [compared.confidence, compared.mde].map(percent);
    let (rounds, p) = (rounds(language, compared), p_text(compared.p));
    match language {
        Language::En => format!(
            "No difference was shown: {new} measured {change} against {base}, but the {confidence} interval reaches from \
             {low} to {high} ({rounds}, {p}). Only a difference of {noticed} or more would have been noticed reliably, so \
             this does not prove that they are equal."
        ),
        Language::Es => format!(
            "No se ha mostrado ninguna diferencia: {new} midió {change} respecto a {base}, pero el intervalo de confianza del \
             {confidence} va de {low} a {high} ({rounds}, {p}). Solo se habría notado con fiabilidad una diferencia del \
             {noticed} o más, así que esto no demuestra que sean iguales."
        ),
    }
}

fn rounds(language: Language, compared: &Compared) -> String {
    let n = compared.n;
    match (language, compared.design) {
        (Language::En, Design::Paired) => format!("{n} interleaved rounds, paired t test"),
        (Language::En, Design::Unpaired) => format!("{n} runs each, not interleaved, Welch's t test"),
        (Language::Es, Design::Paired) => format!("{n} rondas intercaladas, prueba t pareada"),
        (Language::Es, Design::Unpaired) => {
            format!("{n} mediciones de cada una, sin intercalar, prueba t de Welch")
        }
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
        sentence(Language::En, &compare(&BASE, &new, Design::Paired, 0.95, 0.03).unwrap(), "A", "B")
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
        assert!(sentence(Language::En, &compared, "A", "B").contains("not interleaved"));
    }

    #[test]
    fn every_sentence_exists_in_spanish_with_the_same_numbers() {
        for new in [
            [321.4, 309.2, 318.0, 322.9, 316.1],
            [151.0, 148.0, 153.0, 149.0, 152.0],
            [316.0, 290.2, 312.7, 318.9, 294.1],
            [302.9, 295.0, 308.9, 300.8, 302.1],
        ] {
            let compared = compare(&BASE, &new, Design::Paired, 0.95, 0.03).unwrap();
            let numbers = |language| -> Vec<String> {
                sentence(language, &compared, "A", "B")
                    .split(|c: char| !(c.is_ascii_digit() || "+−.".contains(c)))
                    .map(|word| word.trim_end_matches('.').to_owned())
                    .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
                    .collect()
            };
            assert_eq!(numbers(Language::En), numbers(Language::Es));
        }
        let compared =
            compare(&BASE, &[321.4, 309.2, 318.0, 322.9, 316.1], Design::Paired, 0.95, 0.03).unwrap();
        assert_eq!(
            sentence(Language::Es, &compared, "A", "B"),
            "Sí, hay diferencia: B dio un 5.4 % más de peticiones correctas por segundo que A (intervalo de confianza del \
             95 %: de 3.3 % a 7.7 %; 5 rondas intercaladas, prueba t pareada, p = 0.002, prueba de rangos p = 0.008)."
        );
    }
}
