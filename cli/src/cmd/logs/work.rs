//! From inputs to where their records go, alike for opening and sealing.

use std::{fs::File, io, ops::ControlFlow, path::PathBuf, slice};

use siem::{
    Compression, Pipeline, Transform,
    files::{self, Job, Origin, Task, temporary},
};

use super::{
    address::{Address, is_address},
    destination::{Destination, To},
    file_error::{damaged, not_done, unwritable},
    files::Files,
    not_started,
    report::Report,
    stores::Stores,
    stream,
    terminal::Output,
};
use crate::{error::Error, escape, input::Source, keyfile, output::Target, places::Places};

/// What is to be done to records, and how.
pub(super) struct Work<'w, T> {
    pub(super) pipeline: &'w Pipeline<T>,
    pub(super) to: &'w To,
    pub(super) files: &'w Files,
    /// The permissions of outputs, unless others are asked for.
    pub(super) mode: u32,
    pub(super) depends_on: DependsOn,
}

/// What outputs depend on besides their inputs.
pub(super) struct DependsOn {
    /// The options that change them.
    pub(super) options: String,
    /// The ids of the keys.
    pub(super) keys: Vec<String>,
}

/// Inputs and outputs that do not get into each other's way.
pub(super) struct Route {
    pub(super) inputs: Vec<Source>,
    pub(super) destination: Destination,
    pub(super) stores: Stores,
    /// The outputs besides a folder, by the names of their options.
    outputs: Vec<(&'static str, Target)>,
    pub(super) places: Places,
}

/// The options whose files are added to.
const ADDED_TO: [&str; 2] = ["--dead-letter", "--state"];

impl Route {
    /// Where the records of `inputs` go. `others` are the other outputs, by the names of their
    /// options.
    ///
    /// # Errors
    /// If two outputs, or an output and an input, are in one place.
    pub(super) fn new(
        inputs: Vec<Source>,
        to: &To,
        files: &Files,
        others: impl IntoIterator<Item = (&'static str, Option<Target>)>,
    ) -> Result<Self, Error> {
        let stores = files.stores();
        let places = inputs.iter().filter_map(Source::path).chain(to.path());
        stores.check(places)?;
        let is_one = inputs.len() == 1 && !is_folder(&inputs[0], &stores)?;
        let destination = to.destination(is_one)?;
        match &destination {
            Destination::Folder(_) if inputs.contains(&Source::Stdin) => {
                return Err(Error::usage(NO_NAME));
            }
            Destination::Folder(_) => {}
            _ => files.expect_none()?,
        }
        Self::to(destination, inputs, stores, files, others)
    }

    /// The same for inputs that are followed: all go to one output.
    ///
    /// # Errors
    /// Also if a folder is named, or the output would be compressed.
    pub(super) fn growing(
        inputs: Vec<Source>,
        to: &To,
        files: &Files,
        others: impl IntoIterator<Item = (&'static str, Option<Target>)>,
    ) -> Result<Self, Error> {
        let stores = files.stores();
        let places = || inputs.iter().filter_map(Source::path).chain(to.path());
        stores.check(places())?;
        if let Some(address) = places().find(|path| is_address(path)) {
            return Err(Error::usage(format!(
                "{} is in an object store, and only files are followed; leave --follow and --watch out",
                escape::path(address)
            )));
        }
        let destination = to.destination(true)?;
        let is_compressed = match &destination {
            Destination::Folder(_) => return Err(Error::usage(ONE_OUTPUT)),
            Destination::File(path) => {
                to.in_file(path) != files::OutputCompression::As(Compression::None)
            }
            _ => to.in_stream() != Compression::None,
        };
        if is_compressed {
            return Err(Error::usage(NOT_COMPRESSED));
        }
        Self::to(destination, inputs, stores, files, others)
    }

    fn to(
        destination: Destination,
        inputs: Vec<Source>,
        stores: Stores,
        files: &Files,
        others: impl IntoIterator<Item = (&'static str, Option<Target>)>,
    ) -> Result<Self, Error> {
        if let Destination::File(path) = &destination
            && is_address(path)
            && inputs.iter().any(|input| input.path() == Some(path))
        {
            let path = escape::path(path);
            return Err(Error::usage(format!(
                "{path} is read, and -o would overwrite it; name another object"
            )));
        }
        let to = match &destination {
            Destination::Folder(_) => None,
            Destination::Stdout => Some(("standard output", Target::Stdout)),
            Destination::Device(path) | Destination::File(path) => {
                Some(("-o", Target::File(path.clone())))
            }
        };
        let ours = [
            ("--failed-list", files.failed_list.clone()),
            ("--state", files.state_file()),
        ];
        let named = ours.into_iter().chain(others);
        let named = named.filter_map(|(option, target)| Some((option, target?)));
        let outputs: Vec<_> = to.into_iter().chain(named).collect();
        let mut places = Places::default();
        for (option, target) in &outputs {
            places.add(option, target)?;
        }
        inputs
            .iter()
            .try_for_each(|input| places.check_input(input))?;
        Ok(Self {
            inputs,
            destination,
            stores,
            outputs,
            places,
        })
    }

    /// Refuses to write over a key.
    ///
    /// # Errors
    /// If an output is one of `keys`, or a file that holds a key and would be replaced.
    pub(super) fn protect(&self, keys: &[Source]) -> Result<(), Error> {
        self.outputs.iter().try_for_each(|(option, target)| {
            keyfile::protect_from(option, ADDED_TO.contains(option), target, keys)
        })
    }

    /// Whether a person sees the records as they come.
    pub(super) fn is_to_screen(&self) -> bool {
        self.destination == Destination::Stdout && io::IsTerminal::is_terminal(&io::stdout())
    }
}

const NO_NAME: &str = "standard input has no name for a file in a folder; name a file with -o FILE";

const ONE_OUTPUT: &str = "records that are followed go to one output; name a file with -o FILE";
const NOT_COMPRESSED: &str = "records that are followed are written as they come, and not compressed; leave --compress out, or name a file without .gz or .zst";

impl<T: Transform> Work<'_, T> {
    /// Does it.
    ///
    /// # Errors
    /// Those that end the run.
    pub(super) fn run(&self, route: &Route, report: &mut Report) -> Result<(), Error> {
        let inputs = &route.inputs;
        let sizes: Option<Vec<_>> = inputs.iter().map(Source::size).collect();
        if let Some(sizes) = sizes {
            report.meter().expect(sizes.iter().sum());
        }
        let fail_fast = self.files.fail_fast;
        match &route.destination {
            Destination::Folder(folder) => {
                let paths: Vec<_> = inputs
                    .iter()
                    .filter_map(|input| Some(input.path()?.to_owned()))
                    .collect();
                self.folder(&paths, folder, route, report)
            }
            Destination::File(path) => self.file(&inputs[0], path.clone(), route, report),
            Destination::Stdout => {
                let output = Output::stdout(self.to.in_stream())
                    .map_err(|error| Error::io("write standard output", &error))?;
                stream::run(self.pipeline, route, output, fail_fast, report)
            }
            Destination::Device(path) => {
                let output = Output::device(path, self.to.in_stream());
                let output = output.map_err(|error| {
                    Error::io(format_args!("write {}", escape::path(path)), &error)
                })?;
                stream::run(self.pipeline, route, output, fail_fast, report)
            }
        }
    }

    /// One input to one file.
    fn file(
        &self,
        input: &Source,
        output: PathBuf,
        route: &Route,
        report: &mut Report,
    ) -> Result<(), Error> {
        let settings = self.settings(self.to.in_file(&output), report);
        let to = route.stores.output(&output);
        let to = to.map_err(|error| unwritable(&output, &error))?;
        let task = task(input, output, &route.stores);
        let mut task = task.map_err(|error| input.unreadable(&error).of_one())?;
        task.to = to;
        temporary::sweep(&task.output);
        report.planned(1, false);
        let meter = report.meter();
        let mut ran = Ok(());
        let tasks = slice::from_ref(&task);
        let started = files::run(self.pipeline, tasks, &settings, &*meter, |ended| {
            for (task, done) in ended {
                ran = match done {
                    Ok(mut done) => {
                        let damage = done.damage.take();
                        let done = report.file_done(&task.job, done);
                        match damage {
                            Some(damage) => Err(listed(damaged(damage, task), task, report)),
                            None => done,
                        }
                    }
                    Err(error) => {
                        let error = not_done(error, &task.job.input, &task.output);
                        Err(listed(error, task, report))
                    }
                };
            }
            ControlFlow::Continue(())
        });
        started.map_err(not_started)?;
        ran
    }
}

/// The failure of an only file.
fn listed(error: Error, task: &Task, report: &mut Report) -> Error {
    report.file_listed(task.job.input.clone(), error.clone());
    error
}

fn task(input: &Source, output: PathBuf, stores: &Stores) -> io::Result<Task> {
    let Some(path) = input.path() else {
        let job = Job {
            input: input.to_string().into(),
            name: PathBuf::new(),
            stamp: None,
        };
        let from = Origin::Opened(stdin()?);
        return Ok(Task {
            from,
            ..Task::new(job, output)
        });
    };
    match (stores.object(path), stores.input(path)) {
        (Some(job), Some(store)) => Ok(Task {
            from: Origin::Store(store),
            ..Task::new(job?, output)
        }),
        _ => {
            let name = path.file_name().unwrap_or(path.as_os_str());
            Ok(Task::new(Job::new(path.to_owned(), name.into()), output))
        }
    }
}

/// Whether there are several files at an input, or several objects below it.
fn is_folder(input: &Source, stores: &Stores) -> Result<bool, Error> {
    let Some(path) = input.path() else {
        return Ok(false);
    };
    if Address::of(path).is_some_and(|address| address.names_folder()) {
        return Ok(true);
    }
    match stores.object(path) {
        None => Ok(path.is_dir()),
        Some(Ok(_)) => Ok(false),
        // What is below it is looked for.
        Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Some(Err(error)) => Err(input.unreadable(&error)),
    }
}

/// Standard input as a file, which may be a pipe.
#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

#[cfg(windows)]
fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}
