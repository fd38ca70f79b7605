//! The drawing of the topology: what stands on the cards, where the cards stand, and the picture.

mod card;
mod draw;
mod layout;
#[cfg(test)]
mod tests;

pub(in crate::report) use draw::{NAME, draw, has_nodes};
