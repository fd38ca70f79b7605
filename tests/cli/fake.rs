//! The scripts that the tests give to the fakes, in one place: what `BENCHTOP_FAKE` and `BENCHTOP_FAKE_LOAD` hold.

use std::path::Path;

/// A fake engine that keeps its nodes in `engine.json` of a folder, so that several calls of the program see the same
/// machines, and notes every command in `engine.log`.
pub fn engine(folder: &Path) -> String {
    format!("state {0}/engine.json; log {0}/engine.log", folder.display())
}

/// The same engine with a failure: `create web2`, `write nginx.conf`, `start web1.nginx`, …
pub fn engine_failing_at(folder: &Path, what: &str) -> String {
    format!("{}; fail {what}", engine(folder))
}

/// A client whose n-th measurement fails, counted from 1.
pub fn client_failing_at(measurement: u64) -> String {
    format!("fail measure {measurement}")
}

/// A client whose n-th measurement goes on until it is cancelled, counted from 1.
pub fn client_hanging_at(measurement: u64) -> String {
    format!("hang measure {measurement}")
}
