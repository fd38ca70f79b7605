//! The whole program on the fake driver and the fake client: seconds, no network, no Docker.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod actions;
mod bench;
mod check;
mod failures;
mod fake;
mod help;
mod hostile;
mod interrupt;
mod lab;
#[path = "../terminal_support/pty.rs"]
mod pty;
mod run;
mod secrets;
mod terminal;
