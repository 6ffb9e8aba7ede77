//! Seals and opens matched data; see `pqseal --help`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    pqseal_cli::process::disable_core_dumps();
    pqseal_cli::process::exit_instead_of_abort();
    if let Err(error) = pqseal_cli::process::choose_backend() {
        error.report(false);
        return error.exit.into();
    }
    pqseal_cli::args::run(std::env::args_os().collect()).into()
}
