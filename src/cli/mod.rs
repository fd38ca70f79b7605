//! Floor 8: arguments, one file per verb, progress and exit codes. The only floor that prints.

mod arguments;
mod doctor;
mod entry;
mod error;
mod exit;
mod inputs;
mod live;
mod output;
mod progress;
mod session;
mod signals;
mod terminal;
mod verb;

pub use arguments::Arguments;
pub use entry::main;
pub use error::CliError;
pub use exit::{Exit, document as exit_codes_document};
pub use verb::init::STARTER;
