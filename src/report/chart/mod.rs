//! The charts: drawn once as SVG, turned into PNG with the fonts that are built in. No system font is ever looked for.

mod all;
mod canvas;
mod font;
mod frame;
mod goodput;
mod latency;
mod machine;
mod mark;
mod picture;
mod scale;
#[cfg(test)]
mod tests;
mod topology;

pub(super) use all::charts;
pub(super) use goodput::{NAME as GOODPUT, has_points};
pub(super) use latency::{NAME as LATENCY, has_latency};
pub(super) use machine::name as machine_name;
pub(super) use topology::{NAME as TOPOLOGY, has_nodes};
