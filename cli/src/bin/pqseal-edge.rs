//! A reverse proxy that logs the matches of its rules, sealed; see `pqseal-edge --help`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use pqseal_cli::{parse::parse, process, proxy::Options};

fn main() -> ExitCode {
    process::prepare();
    if let Err(error) = process::choose_backend() {
        error.report(false);
        return error.exit.into();
    }
    let arguments: Vec<_> = std::env::args_os().collect();
    parse::<Options>(&arguments, false, process::version).map_or_else(ExitCode::from, Options::run)
}
