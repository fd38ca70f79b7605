//! Why a report cannot be made. Strange numbers are never a reason: only a chart can fail.

/// Floor 4's report error.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A chart could not be drawn.
    #[error("chart {chart} could not be drawn: {reason}")]
    Draw {
        /// File name without extension.
        chart: String,
        /// What the drawing library said.
        reason: String,
    },
    /// A drawn chart is not the SVG it should be.
    #[error("chart {chart} could not be turned into a picture")]
    Picture {
        /// File name without extension.
        chart: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The picture is larger than can be held in memory.
    #[error("chart {chart} is too large ({width} × {height} pixels)")]
    TooLarge {
        /// File name without extension.
        chart: String,
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
    },
}

impl ReportError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(
            "the numbers are safe in the run folder; please report this as a bug with its `run.json`"
                .to_owned(),
        )
    }
}
