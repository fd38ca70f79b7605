//! The engine against a server that misbehaves: every outcome, and the laws of counting.

mod cell;
mod laws;
mod outcomes;
mod persistence;

use cell::{measure, spec};
