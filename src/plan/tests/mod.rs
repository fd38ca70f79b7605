//! The planning floor on the built-in software folders.

mod converge;
mod rendering;
mod sequence;
