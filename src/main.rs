//! The command line: see `tranquera --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    tranquera::cli::main()
}
