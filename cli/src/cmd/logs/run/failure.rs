//! Errors that end a run, or of files that were not processed, or not to their end.

use std::{io, path::Path};

use pqseal_keys::calendar::NO_PERIOD;
use pqseal_pipeline::files::{self, Task};

use super::{Report, unwritable};
use crate::{error::Error, escape, input::Source};

/// Converts the failure of a run to an error.
pub(super) fn failure(
    error: pqseal_pipeline::Error,
    input: &Source,
    output: &str,
    report: &Report,
) -> Error {
    use pqseal_pipeline::Error as Run;
    match error {
        // The command line is wrong, not the input.
        Run::Input(error @ pqseal_pipeline::InputError::ParquetStream) => {
            Error::usage(format!("{input}: {error}"))
        }
        Run::Input(error) if error.is_unsupported() => {
            Error::incomplete("unsupported_input", format!("{input}: {error}"))
        }
        Run::Start(error) => Error::io("start a thread", &error),
        Run::Read(error) => input.unreadable(&error).of_one(),
        Run::Input(error) => input.unreadable(&error.into()).of_one(),
        Run::Write(error) => Error::io(format_args!("write {output}"), &error),
        Run::Letter(error) => report.undelivered(&error),
        Run::Table(problem) => Error::incomplete(
            "bad_header",
            format!("the header of {input} is not usable: {problem}"),
        ),
        Run::Record { number, reason } if reason.code() == pqseal_keys::KEY_UNAVAILABLE => {
            Error::stopped(
                reason.code(),
                format!("record {number} of {input} was not opened: {reason}"),
            )
        }
        Run::Record { number, reason } if reason.code() == NO_PERIOD => Error::stopped(
            reason.code(),
            format!("record {number} of {input} was not sealed: {reason}"),
        ),
        Run::Record { number, reason } => Error::incomplete(
            reason.code(),
            format!(
                "record {number} of {input} cannot be sealed ({}): {reason}{}",
                reason.code(),
                match report.has_letters() {
                    true => "",
                    false => ". Add --on-refused FILE to seal it to that file and continue",
                }
            ),
        ),
        other => input.unreadable(&io::Error::other(other)).of_one(),
    }
}

/// Describes a damaged file, of which the records before the damage are kept.
pub(super) fn damaged(damage: pqseal_pipeline::Error, task: &Task, report: &Report) -> Error {
    let output = escape::path(&task.output);
    let mut error = failure(
        damage,
        &Source::File(task.job.input.clone()),
        &output,
        report,
    );
    error.message += &format!("; {output} has the records before that");
    error
}

/// Converts the failure of a file to an error.
pub(super) fn not_done(error: files::Error, input: &Path, output: &Path, report: &Report) -> Error {
    let input = Source::File(input.to_owned());
    match error {
        files::Error::List(error) => {
            Error::io(format_args!("list the folder {input}"), &error).of_one()
        }
        files::Error::Open(error) => input.unreadable(&error).of_one(),
        files::Error::Create(error) => unwritable(output, &error).of_one(),
        files::Error::Run(error) => failure(error, &input, &escape::path(output), report),
        files::Error::Changed => Error::changed(&input),
        other => Error::io(format_args!("read {input}"), &io::Error::other(other)).of_one(),
    }
}

#[cfg(test)]
mod tests {
    use pqseal_pipeline::Reason;

    use super::{
        super::{Action, ReportSettings},
        *,
    };
    use crate::error::Exit;

    /// The end of a calendar ends the run, and is no problem of the record.
    #[test]
    fn a_run_without_a_period_stops() {
        let settings = ReportSettings {
            action: Action::Seal,
            keys: Vec::new(),
            fields: Vec::new(),
            has_info: false,
            has_aad: false,
            again: false,
            stats: None,
            prometheus: None,
            failed_list: None,
            letters: None,
            strict: false,
            allowed: None,
            to_screen: false,
            json: false,
        };
        let report = Report::start(settings, true).unwrap();
        let ended = pqseal_pipeline::Error::Record {
            number: 7,
            reason: Reason::NoPeriod,
        };
        let error = failure(ended, &Source::Stdin, "out", &report);
        assert_eq!((error.exit, error.code), (Exit::Stopped, NO_PERIOD));
        assert!(error.message.contains("record 7"), "{}", error.message);
    }
}
