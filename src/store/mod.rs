//! Floor 5: what is written down. Run folders under `reports/`, and the state of labs between calls.

mod error;
mod run_folder;
mod state;

pub use error::{LAB_NAME_RULE, StoreError};
pub use run_folder::RunFolder;
pub use state::{ActionInForce, LabLock, LabState, STATE_FORMAT, StateDirectory, is_lab_name};
