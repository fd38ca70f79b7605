//! The order of the sections.

use crate::report::analysis::Analysis;
use crate::report::input::ReportInput;
use crate::report::page::{cells, comparisons, first, machines, method, texts};

/// The whole report as Markdown.
pub(in crate::report) fn report(input: &ReportInput, analysis: &Analysis) -> String {
    [
        first::page(input, analysis),
        cells::section(analysis),
        comparisons::section(input, analysis),
        first::findings(analysis),
        machines::section(input, analysis),
        method::section(input, analysis),
        texts::configurations(input),
        texts::evidence(input),
        method::reproduce(input),
    ]
    .concat()
}
