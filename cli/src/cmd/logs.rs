//! `pqseal logs`: opens, seals and generates log records in bulk.

#[cfg(feature = "kafka")]
mod consume;
mod destination;
mod fields;
mod file_counts;
mod file_error;
mod files;
mod folder;
mod follow;
mod generate;
mod growing;
#[cfg(feature = "kafka")]
mod kafka;
#[cfg(not(feature = "kafka"))]
#[path = "logs/kafka/unsupported.rs"]
mod kafka;
mod letters;
mod meter;
mod open;
mod opening;
mod refused;
mod report;
mod route;
mod seal;
mod sealing;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "stores")]
mod stores;
#[cfg(not(feature = "stores"))]
#[path = "logs/stores/unsupported.rs"]
mod stores;
mod stream;
mod summary;
mod terminal;
mod topic;
mod topic_options;
mod transfer;
mod work;

use std::{
    io,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use pqseal_keys::calendar::NO_PERIOD;

use report::Report;

use crate::{
    error::{Error, Exit},
    escape,
    input::Source,
};

/// The arguments of `pqseal logs`.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::LOGS))]
pub struct Logs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Open(Box<open::Open>),
    Seal(Box<seal::Seal>),
    Generate(generate::Generate),
    #[cfg(feature = "serve")]
    Serve(serve::Serve),
}

impl Logs {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<Exit, Error> {
        match self.action {
            Action::Open(open) => open.run(json),
            Action::Seal(seal) => seal.run(json),
            Action::Generate(generate) => generate.run(json).map(|()| Exit::Done),
            #[cfg(feature = "serve")]
            Action::Serve(serve) => serve.run(),
        }
    }
}

/// Converts the failure of a run to an error.
fn failure(error: pqseal_pipeline::Error, input: &Source, output: &str, report: &Report) -> Error {
    use pqseal_pipeline::Error as Run;
    match error {
        // The command line is wrong, not the input.
        Run::Input(error @ pqseal_pipeline::InputError::ParquetStream) => {
            Error::usage(format!("{input}: {error}"))
        }
        Run::Input(error) if error.is_unsupported() => Error {
            exit: Exit::Incomplete,
            code: "unsupported_input",
            message: format!("{input}: {error}"),
        },
        Run::Start(error) => Error::io("start a thread", &error),
        Run::Read(error) => input.unreadable(&error).of_one(),
        Run::Input(error) => input.unreadable(&error.into()).of_one(),
        Run::Write(error) => Error::io(format_args!("write {output}"), &error),
        Run::Letter(error) => report.undelivered(&error),
        Run::Table(problem) => Error {
            exit: Exit::Incomplete,
            code: "bad_header",
            message: format!("the header of {input} is not usable: {problem}"),
        },
        Run::Record { number, reason } if reason.code() == pqseal_keys::KEY_UNAVAILABLE => Error {
            exit: Exit::Stopped,
            code: reason.code(),
            message: format!("record {number} of {input} was not opened: {reason}"),
        },
        Run::Record { number, reason } if reason.code() == NO_PERIOD => Error {
            exit: Exit::Stopped,
            code: reason.code(),
            message: format!("record {number} of {input} was not sealed: {reason}"),
        },
        Run::Record { number, reason } => Error {
            exit: Exit::Incomplete,
            code: reason.code(),
            message: format!(
                "record {number} of {input} cannot be sealed ({}): {reason}{}",
                reason.code(),
                match report.has_letters() {
                    true => "",
                    false => ". Add --on-refused FILE to seal it to that file and continue",
                }
            ),
        },
        other => input.unreadable(&io::Error::other(other)).of_one(),
    }
}

/// Converts the failure to start the threads of a pipeline to an error.
fn not_started(error: pqseal_pipeline::Error) -> Error {
    match error {
        pqseal_pipeline::Error::Start(error) => Error::io("start the threads", &error),
        other => Error::io("start", &io::Error::other(other)),
    }
}

/// Returns the inputs as sources; no input and `-` are standard input.
fn sources(inputs: &[PathBuf]) -> Vec<Source> {
    match inputs {
        [] => vec![Source::Stdin],
        _ => inputs
            .iter()
            .map(|input| Source::from(input.clone().into_os_string()))
            .collect(),
    }
}

/// Makes the error for a file or folder that cannot be written.
fn unwritable(path: &Path, error: &io::Error) -> Error {
    Error::io(format_args!("write {}", escape::path(path)), error)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use pqseal_pipeline::Reason;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        counting: report::Counting,
    }

    /// The end of a calendar ends the run, and is no problem of the record.
    #[test]
    fn a_run_without_a_period_stops() {
        let run = report::Run {
            action: summary::Action::Seal,
            keys: Vec::new(),
            asked: summary::Asked::default(),
            failed_list: None,
            to_screen: false,
            json: false,
        };
        let report = Report::new(&Command::parse_from([""]).counting, run).unwrap();
        let ended = pqseal_pipeline::Error::Record {
            number: 7,
            reason: Reason::NoPeriod,
        };
        let error = failure(ended, &Source::Stdin, "out", &report);
        assert_eq!((error.exit, error.code), (Exit::Stopped, NO_PERIOD));
        assert!(error.message.contains("record 7"), "{}", error.message);
    }
}
