//! `--follow` and `--watch` of `pqseal logs open` and `pqseal logs seal`: files that grow.

use std::{
    io,
    path::{Path, PathBuf},
};

use pqseal_pipeline::{
    Transform,
    files::{
        self,
        follow::{Event, Follow, Follower},
    },
};

use super::{
    OutputStream, Report, Run,
    failure::{failure, not_done},
    unwritable,
};
use crate::{
    error::{Error, warn},
    escape,
    input::Source,
    process, signals,
};

impl<T: Transform> Run<'_, T> {
    /// Follows the inputs until a signal.
    ///
    /// # Errors
    /// Those that end the run.
    pub(super) fn follow(
        &self,
        inputs: &[PathBuf],
        in_folders: bool,
        to: &OutputStream,
        report: &mut Report,
    ) -> Result<(), Error> {
        let is_over =
            signals::asked_to_end().map_err(|error| Error::io("wait for signals", &error))?;
        report.follow_files();
        if matches!(to, OutputStream::Stdout | OutputStream::Device(_)) {
            let ends = report.end_if_stalled();
            ends.map_err(|error| Error::io("wait for signals", &error))?;
        }
        // Half of the limit of open files is for other uses; folders are listed one at a time.
        let wanted = (2 * inputs.len() as u64).max(4096);
        let follow = Follow {
            inputs: inputs.to_vec(),
            folders: in_folders,
            from_end: self.io.from_end,
            state: self.io.state.clone(),
            keep_open: usize::try_from(process::open_files(wanted) / 2).unwrap_or(usize::MAX),
            rest: files::follow::REST,
        };
        let mut output = self.open_output(to, is_over.clone())?;
        let ran = files::follow::follow(self.pipeline, &follow, &mut output, report, &is_over);
        let name = to.to_string();
        match ran {
            Ok(()) => output.finish().map_err(|error| to.unwritable(&error)),
            Err(files::Error::Create(error)) => {
                Err(unwritable(&follow.state.unwrap_or_default(), &error))
            }
            Err(files::Error::OtherOutput { noted, .. }) => {
                let state = escape::path(&follow.state.unwrap_or_default());
                let noted = escape::path(&noted);
                Err(Error::refused(format!(
                    "the state {state} was written for the output {noted}, and {name} is another file, or was replaced; with -o name that output or a new file, or name another file with --state"
                )))
            }
            Err(files::Error::Run(error)) => Err(failure(
                error,
                &Source::File(inputs[0].clone()),
                &name,
                report,
            )),
            Err(files::Error::Record { path, error }) => {
                Err(failure(error, &Source::File(path), &name, report))
            }
            Err(other) => Err(Error::io("follow", &io::Error::other(other))),
        }
    }
}

impl Follower for Report {
    fn event(&mut self, path: &Path, event: Event) {
        let name = escape::path(path);
        let (code, message) = match event {
            Event::Missing => {
                return warn(
                    "waiting",
                    format_args!("{name} does not exist; waiting for it"),
                );
            }
            Event::NotCut { bytes } => {
                let why = "the state was written by an earlier version";
                return not_cut(&name, bytes, why);
            }
            Event::Kept { bytes } => {
                let why = "some of its input no longer exists";
                return not_cut(&name, bytes, why);
            }
            Event::Truncated => {
                let message = "was truncated or rewritten; reading it from the start";
                return warn("truncated_file", format_args!("{name} {message}"));
            }
            Event::Lost => (
                "rotated",
                format!(
                    "{name} was removed, replaced or truncated. If it had unread records, they were not found. If it was compressed, open it without --follow"
                ),
            ),
            Event::Refused(error) => ("not_followed", format!("{name}: {error}")),
            Event::Failed(error) => {
                let error = not_done(error, path, path, self);
                return self.file_failed(path.to_owned(), error);
            }
            _ => return,
        };
        let error = Error::incomplete(code, message);
        self.file_failed(path.to_owned(), error);
    }

    fn tick(&mut self) {
        self.refresh();
    }
}

/// Warns that an output may contain records twice.
fn not_cut(name: &str, bytes: u64, why: &str) {
    warn(
        "not_cut",
        format_args!(
            "{name} was not truncated to the length in the state, since {why}; the records in its last {bytes} bytes may be written again"
        ),
    );
}
