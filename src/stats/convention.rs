//! The two numbers that every report uses unless it is told otherwise.

/// The smallest relative difference a user is taken to care about, when nothing else is said.
pub const DELTA: f64 = 0.03;

/// The confidence of every interval in a report, 0–1.
pub const CONFIDENCE: f64 = 0.95;
