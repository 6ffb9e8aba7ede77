//! What to say of a file that was not done, or not to its end.

use std::{io, path::Path};

use siem::files::{self, Task};

use super::{failure, report::Report};
use crate::{error::Error, escape, input::Source};

/// What is kept of a damaged file ends where the damage begins.
pub(super) fn damaged(damage: siem::Error, task: &Task, report: &Report) -> Error {
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

/// Why a file could not be done.
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

/// That a file or folder cannot be written.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> Error {
    Error::io(format_args!("write {}", escape::path(path)), error)
}
