//! The program: everything it does is in the library's top floor.

use std::process::ExitCode;

fn main() -> ExitCode {
    benchtop::cli::main()
}
