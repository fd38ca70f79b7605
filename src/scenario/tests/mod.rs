//! Tests of the language as a whole, on a small catalogue of their own.

mod derived;
mod document;
mod fixture;
mod hand_in;
mod laws;
mod lowering;
mod overlays;
mod problems;
