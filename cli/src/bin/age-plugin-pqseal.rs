//! A plugin of age and rage; see `age-plugin-pqseal --help`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use pqseal_cli::{age_plugin::Options, parse::parse, process};

fn main() -> ExitCode {
    process::prepare();
    if let Err(error) = process::choose_backend() {
        error.report(false);
        return error.exit.into();
    }
    let arguments: Vec<_> = std::env::args_os().collect();
    parse::<Options>(&arguments, false, || env!("CARGO_PKG_VERSION"))
        .map_or_else(ExitCode::from, Options::run)
}
