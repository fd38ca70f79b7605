//! Floor 4: what a run says. Repetitions and telemetry become cells, comparisons, answers, findings and thresholds, and
//! those become Markdown, charts, CSV and a terminal summary: bytes in memory, the same bytes for the same run.

mod analyse;
mod analysis;
mod answer;
mod cell;
mod chart;
mod comparison;
mod csv;
mod error;
mod files;
mod finding;
mod input;
#[cfg(test)]
mod language_tests;
mod markdown;
mod number;
mod page;
mod published;
mod role;
mod rule;
mod strike;
mod terminal;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod testing_topology;
#[cfg(test)]
mod tests;
mod threshold;
mod timeline;
mod usage;
mod view;
mod words;

pub use analyse::analyse;
pub use analysis::{Analysis, Answer, ComparisonRow, ThresholdVerdict, Verdict};
pub use cell::{CellSummary, CourseColumns, Errors, LatencySummary, PercentileSummary, RepetitionSummary};
pub use error::ReportError;
pub use files::files;
pub use finding::Finding;
pub use input::{ReportFile, ReportInput};
pub use terminal::terminal;
pub use usage::{NodeUse, ServiceUse};
