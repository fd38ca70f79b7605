//! Headings that are linked to, and the few words that several parts of a report share.

use crate::report::words::phrase::{labels, phrases};

labels! {
    /// Heading of what was seen and what to do about it.
    findings_heading { "Findings in detail", "Hallazgos en detalle" }
    /// Heading of the evidence itself.
    evidence_heading { "Evidence", "Evidencias" }
    /// Heading of the rendered configurations.
    configurations_heading { "Configurations", "Configuraciones" }
    /// Head of the column of levels.
    level { "Level", "Nivel" }
    /// Head of the column of variants.
    variant { "Variant", "Variante" }
    /// Where a struck cell has no number.
    struck { "struck", "descartada" }
    /// Where a cell was not measured.
    not_measured { "not measured", "sin medir" }
    /// All of several variants.
    every_variant { "every variant", "todas las variantes" }
    /// Where a text is missing.
    not_kept { "(the text was not kept with the run)", "(el texto no se guardó con la ejecución)" }
}

phrases! {
    /// The variants that a text is from.
    within(variants) { "In {variants}.", "En {variants}." }
    /// A service with the variants in which it said something.
    where_from(service, variants) { "{service}, in {variants}", "{service}, en {variants}" }
}
