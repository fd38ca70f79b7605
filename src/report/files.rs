//! The files of a report, as bytes in memory.

use crate::report::analysis::Analysis;
use crate::report::chart;
use crate::report::csv;
use crate::report::error::ReportError;
use crate::report::input::{ReportFile, ReportInput};
use crate::report::page;

/// `report.md`, the charts (SVG and PNG) and the CSV files: the same bytes for the same run, whenever it is made.
///
/// # Errors
/// When a chart cannot be drawn.
pub fn files(input: &ReportInput, analysis: &Analysis) -> Result<Vec<ReportFile>, ReportError> {
    let mut files =
        vec![ReportFile { name: "report.md".to_owned(), bytes: page::report(input, analysis).into_bytes() }];
    files.extend(chart::charts(input, analysis)?);
    files.push(ReportFile {
        name: "cells.csv".to_owned(),
        bytes: csv::repetitions(input, analysis).into_bytes(),
    });
    files
        .push(ReportFile { name: "summary.csv".to_owned(), bytes: csv::cells(input, analysis).into_bytes() });
    Ok(files)
}
