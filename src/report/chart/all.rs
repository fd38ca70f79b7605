//! Which charts there are.

use crate::report::analysis::Analysis;
use crate::report::chart::{goodput, latency, machine, picture, topology};
use crate::report::error::ReportError;
use crate::report::input::{ReportFile, ReportInput};
use crate::report::timeline;

/// Every chart that has something to show, as SVG and as PNG of twice the size.
pub(in crate::report) fn charts(
    input: &ReportInput,
    analysis: &Analysis,
) -> Result<Vec<ReportFile>, ReportError> {
    let language = input.run.experiment.report.language;
    let mut files = Vec::new();
    let mut add = |name: &str, svg: String| -> Result<(), ReportError> {
        files.push(ReportFile { name: format!("{name}.png"), bytes: picture::png(name, &svg)? });
        files.push(ReportFile { name: format!("{name}.svg"), bytes: svg.into_bytes() });
        Ok(())
    };
    if goodput::has_points(analysis) {
        add(goodput::NAME, goodput::draw(analysis, language)?)?;
    }
    if latency::has_latency(analysis) {
        add(latency::NAME, latency::draw(analysis, language)?)?;
    }
    if topology::has_nodes(input.run) {
        add(topology::NAME, topology::draw(input.run)?)?;
    }
    for timeline in timeline::timelines(input, analysis) {
        add(&machine::name(&timeline.variant), machine::draw(&timeline, language)?)?;
    }
    Ok(files)
}
