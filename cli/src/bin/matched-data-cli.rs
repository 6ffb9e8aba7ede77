//! Makes key pairs and decrypts matched data with the interface of matched-data-cli 0.6.0; see
//! `matched-data-cli --help`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use pqseal_cli::{matched_data_cli::Options, parse::parse, process};

fn main() -> ExitCode {
    process::run(|arguments| {
        parse::<Options>(&arguments, false, || env!("CARGO_PKG_VERSION"))
            .map_or_else(ExitCode::from, Options::run)
    })
}
