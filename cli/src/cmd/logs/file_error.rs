//! Errors of files that were not processed, or not to their end.

use std::{io, path::Path};

use pqseal_pipeline::files::{self, Task};

use super::{failure, report::Report, unwritable};
use crate::{error::Error, escape, input::Source};

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
