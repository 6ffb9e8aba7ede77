//! A reverse proxy that logs the matches of its rules, sealed; see `pqseal-edge --help`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use pqseal_cli::{edge::Options, parse::parse, process};

fn main() -> ExitCode {
    process::run(|arguments| {
        parse::<Options>(&arguments, false, process::version)
            .map_or_else(ExitCode::from, Options::run)
    })
}
