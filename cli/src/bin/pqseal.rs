//! Seals and opens matched data; see `pqseal --help`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    pqseal_cli::process::disable_core_dumps();
    pqseal_cli::process::check_backend();
    pqseal_cli::args::run(std::env::args_os().collect()).into()
}
