//! Links inside the report: to a section by its own heading, in whatever language it is written.

use crate::report::markdown::slug;

/// A link to the section that begins with the text's first heading; nothing when it has none.
pub(super) fn to(section: &str) -> Option<String> {
    let heading = section.lines().find_map(|line| line.strip_prefix('#'))?;
    let heading = heading.trim_start_matches('#').trim();
    Some(format!("[{heading}](#{})", slug(heading)))
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
