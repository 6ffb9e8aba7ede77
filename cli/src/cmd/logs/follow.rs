//! `--follow` and `--watch` of `pqseal logs open` and `pqseal logs seal`: files that grow.

use std::{
    fs::File,
    io,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use pqseal_pipeline::{
    Transform,
    files::{
        self,
        follow::{Event, Follow, Follower, Sink},
    },
};

use super::{
    destination::Destination, file_error::not_done, report::Report, route::Route, terminal::Output,
    unwritable, work::Work,
};
use crate::{
    error::{Error, Exit, warn},
    escape,
    input::Source,
    process, signals,
};

impl<T: Transform> Work<'_, T> {
    /// Follows the inputs until a signal.
    ///
    /// # Errors
    /// Those that end the run.
    pub(super) fn follow(&self, route: &Route, report: &mut Report) -> Result<(), Error> {
        let growing = &self.transfer.growing;
        let is_over =
            signals::asked_to_end().map_err(|error| Error::io("wait for signals", &error))?;
        report.warn_early();
        if matches!(
            route.destination,
            Destination::Stdout | Destination::Device(_)
        ) {
            let ends = report.end_if_stalled();
            ends.map_err(|error| Error::io("wait for signals", &error))?;
        }
        let paths = route.inputs.iter().filter_map(Source::path);
        let what = Follow {
            inputs: paths.map(Path::to_owned).collect(),
            folders: growing.watch,
            from_end: growing.from_end,
            state: self.transfer.files.state.clone(),
            keep_open: keep_open(route.inputs.len()),
            rest: files::follow::REST,
        };
        let (mut output, name) = self.sink(&route.destination, &is_over)?;
        let ran = files::follow::follow(self.pipeline, &what, &mut output, report, &is_over);
        match ran {
            Ok(()) => output
                .finish()
                .map_err(|error| Error::io(format_args!("write {name}"), &error)),
            Err(files::Error::Create(error)) => {
                let state = what.state.unwrap_or_default();
                Err(unwritable(&state, &error))
            }
            Err(files::Error::OtherOutput { noted, .. }) => Err(other_output(&what, &noted, &name)),
            Err(files::Error::Run(error)) => {
                let input = &route.inputs[0];
                Err(super::failure(error, input, &name, report))
            }
            Err(files::Error::Record { path, error }) => {
                Err(super::failure(error, &Source::File(path), &name, report))
            }
            Err(other) => Err(Error::io("follow", &io::Error::other(other))),
        }
    }

    /// Opens the output that records are written to as they come, and returns it with its name.
    /// Once `is_over` is true, a topic is waited for only a little longer.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn sink(
        &self,
        destination: &Destination,
        is_over: &Arc<AtomicBool>,
    ) -> Result<(Output, String), Error> {
        let compression = self.transfer.to.in_stream();
        let (path, output) = match destination {
            Destination::Device(path) => (path, Output::device(path, compression)),
            Destination::File(path) => {
                let (mode, is_exact) = self.transfer.to.mode(self.mode);
                (path, Output::appended(path, mode, is_exact))
            }
            Destination::Topic(path) => {
                let output = self.topic(path, Arc::clone(is_over))?;
                return Ok((output, escape::path(path)));
            }
            _ => {
                let name = "standard output".to_owned();
                let output = Output::stdout(compression);
                return match output {
                    Ok(output) => Ok((output, name)),
                    Err(error) => Err(Error::io(format_args!("write {name}"), &error)),
                };
            }
        };
        let output = output.map_err(|error| unwritable(path, &error))?;
        Ok((output, escape::path(path)))
    }
}

/// Returns how many growing files stay open: half of the limit. The other half is for other uses;
/// folders are listed one at a time.
fn keep_open(inputs: usize) -> usize {
    let wanted = (2 * inputs as u64).max(4096);
    usize::try_from(process::open_files(wanted) / 2).unwrap_or(usize::MAX)
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

/// Makes the error for an output that the state does not describe.
fn other_output(what: &Follow, noted: &Path, name: &str) -> Error {
    let state = escape::path(what.state.as_deref().unwrap_or(Path::new("")));
    let noted = escape::path(noted);
    Error::refused(format!(
        "the state {state} was written for the output {noted}, and {name} is another file, or was replaced; with -o name that output or a new file, or name another file with --state"
    ))
}

impl Sink for Output {
    fn settle(&mut self) -> io::Result<()> {
        self.sync()
    }

    fn file(&mut self) -> Option<(&Path, &File)> {
        Self::file(self)
    }

    fn is_whole(&self) -> bool {
        Self::is_whole(self)
    }

    fn cut(&mut self, size: u64) -> io::Result<()> {
        self.truncate(size)
    }

    fn end_line(&mut self) -> io::Result<()> {
        Self::end_line(self)
    }

    fn reopen(&mut self) -> io::Result<()> {
        Self::reopen(self)?;
        self.lock()
    }

    fn is_asked_to_reopen(&mut self) -> bool {
        Self::is_asked_to_reopen(self)
    }
}

impl Follower for Report {
    fn event(&mut self, path: &Path, event: Event) {
        let name = escape::path(path);
        let one = |code, message| Error {
            exit: Exit::Incomplete,
            code,
            message,
        };
        let failed = match event {
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
            Event::Lost => one(
                "rotated",
                format!(
                    "{name} was removed, replaced or truncated. If it had unread records, they were not found. If it was compressed, open it without --follow"
                ),
            ),
            Event::Refused(error) => one("not_followed", format!("{name}: {error}")),
            Event::Failed(error) => not_done(error, path, path, self),
            _ => return,
        };
        self.file_failed(path.to_owned(), failed);
    }

    fn tick(&mut self) {
        self.refresh();
    }
}
