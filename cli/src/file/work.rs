//! Processes files one after another. A file that fails does not stop the others.

use std::{
    fs::{File, Metadata},
    io::{self, Seek},
    path::PathBuf,
};

use pqseal_atomic_file::Overwrite;

use super::{
    failure,
    meter::is_of_output,
    place::{self, Place},
    plan::Job,
};
use crate::{
    error::{Error, Exit},
    input::{Source, stdin},
    output::Target,
    places::Places,
    signals,
};

/// Returns the inputs as sources; no input and `-` are standard input.
pub(super) fn sources(inputs: &[PathBuf]) -> Vec<Source> {
    match inputs {
        [] => vec![Source::Stdin],
        _ => inputs
            .iter()
            .map(|input| Source::from(input.clone().into_os_string()))
            .collect(),
    }
}

pub(super) fn overwrite(force: bool) -> Overwrite {
    match force {
        true => Overwrite::Allow,
        false => Overwrite::Refuse,
    }
}

/// Runs all jobs, reports those that fail, and their number at the end.
pub(super) fn run_all(
    jobs: Vec<Job>,
    errors: Vec<Error>,
    json: bool,
    one: impl Fn(&Job) -> Result<(), Error>,
) -> Result<Exit, Error> {
    signals::before_the_end(|| {}).map_err(|error| Error::io("handle signals", &error))?;
    let all = jobs.len() + errors.len();
    if all == 0 {
        return Err(Error::usage("the folders have no files; nothing was done"));
    }
    jobs.iter()
        .try_for_each(|job| check_growth(&job.input, &job.output))?;
    let mut failures = errors;
    if let ([job], true) = (&jobs[..], failures.is_empty()) {
        return one(job).map(|()| Exit::Done);
    }
    failures.iter().for_each(|error| error.report(json));
    for job in &jobs {
        if let Err(error) = one(job) {
            error.report(json);
            failures.push(error);
        }
    }
    match failures.len() {
        0 => Ok(Exit::Done),
        failed => Err(Error {
            exit: Exit::Incomplete,
            code: "incomplete",
            message: format!("{failed} of {all} files failed; the reasons are above"),
        }),
    }
}

/// Refuses an input that standard output is appended to, because it would grow while it
/// is read.
pub(super) fn check_growth(input: &Source, output: &Target) -> Result<(), Error> {
    let mut places = Places::default();
    if *output == Target::Stdout {
        places.add("standard output", output)?;
    }
    places.check_input(input)
}

/// Refuses to overwrite a key that is in use, even with --force.
pub(super) fn check_keys<'s>(
    output: &Target,
    mut keys: impl Iterator<Item = &'s Source>,
) -> Result<(), Error> {
    let mut places = Places::default();
    let name = match output {
        Target::Stdout => "standard output",
        Target::File(_) => "-o",
    };
    places.add(name, output)?;
    keys.try_for_each(|key| places.check_input(key))
}

/// Opens an input, which may be standard input.
pub(super) fn open_input(input: &Source) -> Result<File, Error> {
    let file = match input.path() {
        Some(path) => File::open(path),
        None => stdin(),
    };
    let file = file.and_then(|file| match kind(&file, Metadata::is_dir) {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => Ok(file),
    });
    file.map_err(|error| input.unreadable(&error).of_one())
}

/// Reports whether it is a regular file, as standard input may be.
pub(super) fn is_regular(file: &File) -> bool {
    kind(file, Metadata::is_file)
}

/// Returns `false` if there is no metadata, as for pipes on Windows.
fn kind(file: &File, is: fn(&Metadata) -> bool) -> bool {
    file.metadata().is_ok_and(|found| is(&found))
}

/// Returns the position in a regular file, as standard input may have one.
pub(super) fn position(mut file: &File) -> io::Result<u64> {
    file.stream_position()
}

/// Completes an output, or reports why it failed.
pub(super) fn finished(job: &Job, written: Result<Place, pqseal_age::Error>) -> Result<(), Error> {
    let error = match written {
        Ok(place) => match place.finish() {
            Ok(()) => return Ok(()),
            Err(error) => return Err(place::failed(&job.output, &error)),
        },
        Err(error) => error,
    };
    match error {
        // The reader of a pipe has closed it, and needs no more.
        pqseal_age::Error::Io(error)
            if error.kind() == io::ErrorKind::BrokenPipe && job.output == Target::Stdout =>
        {
            Ok(())
        }
        pqseal_age::Error::Io(error) if is_of_output(&error) => {
            Err(place::failed(&job.output, &error))
        }
        pqseal_age::Error::Io(error) => Err(job.input.unreadable(&error).of_one()),
        error => Err(failure::of_file(&job.input, &error)),
    }
}
