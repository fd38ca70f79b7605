//! Floor 2: numbers from numbers. Means with intervals, comparisons with verdicts, percentiles, and the checks that say
//! whether a run may be believed. The unit of replication is the repetition, never the request.

mod compare;
mod convention;
mod drift;
mod error;
mod histogram;
mod holm;
mod little;
mod noncentral;
mod power;
mod proportion;
mod quantile;
mod rank;
mod sentence;
mod steady;
mod student;
mod summary;
mod t_test;

pub use compare::{Compared, Design, DifferenceVerdict, compare};
pub use convention::{CONFIDENCE, DELTA};
pub use drift::{Drift, Observation, drift};
pub use error::StatsError;
pub use histogram::{Latencies, Percentile};
pub use holm::holm;
pub use little::{Little, LittleVerdict, little};
pub use power::{PowerDesign, detectable_sd};
pub use proportion::{proportion_interval, quantile_ranks};
pub use quantile::weighted_quantile;
pub use rank::{RankTest, mann_whitney, mann_whitney_from_u};
pub use sentence::sentence;
pub use steady::{WarmUp, warm_up};
pub use summary::{Summary, prediction_interval, summarise};
pub use t_test::{TTest, TTestKind, t_test};
