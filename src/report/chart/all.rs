//! Which charts there are.

use crate::report::analysis::Analysis;
use crate::report::chart::{goodput, latency, picture};
use crate::report::error::ReportError;
use crate::report::input::ReportFile;

/// Every chart that has something to show, as SVG and as PNG of twice the size.
pub(in crate::report) fn charts(analysis: &Analysis) -> Result<Vec<ReportFile>, ReportError> {
    let mut files = Vec::new();
    let mut add = |name: &'static str, svg: String| -> Result<(), ReportError> {
        files.push(ReportFile { name: format!("{name}.png"), bytes: picture::png(name, &svg)? });
        files.push(ReportFile { name: format!("{name}.svg"), bytes: svg.into_bytes() });
        Ok(())
    };
    if goodput::has_points(analysis) {
        add(goodput::NAME, goodput::draw(analysis)?)?;
    }
    if latency::has_latency(analysis) {
        add(latency::NAME, latency::draw(analysis)?)?;
    }
    Ok(files)
}
