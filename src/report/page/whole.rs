//! The order of the sections.

use crate::report::analysis::Analysis;
use crate::report::input::ReportInput;
use crate::report::page::{cells, comparisons, first, machines, method, published, shares, telemetry, texts};

/// The whole report as Markdown.
pub(in crate::report) fn report(input: &ReportInput, analysis: &Analysis) -> String {
    let language = input.run.experiment.report.language;
    let evidence = texts::evidence(input);
    let machines = machines::section(input, analysis);
    [
        first::page(input, analysis, &evidence),
        cells::section(analysis),
        shares::section(input),
        comparisons::section(input, analysis),
        published::section(input, analysis),
        first::findings(analysis, language),
        telemetry::section(input, analysis, &machines),
        machines,
        method::section(input, analysis),
        texts::configurations(input),
        evidence,
        method::reproduce(input),
    ]
    .concat()
}
