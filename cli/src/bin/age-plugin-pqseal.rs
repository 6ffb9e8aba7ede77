//! A plugin of age and rage; see `age-plugin-pqseal --help`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use pqseal_cli::{age_plugin::Options, parse::parse, process};

fn main() -> ExitCode {
    process::run(|arguments| {
        parse::<Options>(&arguments, false, || env!("CARGO_PKG_VERSION"))
            .map_or_else(ExitCode::from, Options::run)
    })
}
