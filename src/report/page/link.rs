//! Links inside the report: to a section by its own heading, in whatever language it is written.

/// A link to the section that begins with the text's first heading; nothing when it has none.
pub(super) fn to(section: &str) -> Option<String> {
    let heading = section.lines().find_map(|line| line.strip_prefix('#'))?;
    let heading = heading.trim_start_matches('#').trim();
    Some(format!("[{heading}](#{})", anchor(heading)))
}

/// The anchor that Markdown readers give a heading: small letters, blanks as hyphens, no other signs.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_the_heading() {
        assert_eq!(
            to("## Findings in detail\n\n### x\n").as_deref(),
            Some("[Findings in detail](#findings-in-detail)")
        );
        assert_eq!(to("text\n\n### ¿Qué, cómo?\n").as_deref(), Some("[¿Qué, cómo?](#qué-cómo)"));
        assert_eq!(to("no heading"), None);
    }
}
