//! Makes key pairs and decrypts matched data with the interface of matched-data-cli 0.6.0; see
//! `matched-data-cli --help`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use pqseal_cli::{matched_data::Options, parse::parse, process};

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
