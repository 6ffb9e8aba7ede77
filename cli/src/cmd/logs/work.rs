//! The common part of opening and sealing: from inputs to their destination.

use std::{
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    slice,
    sync::{Arc, atomic::AtomicBool},
};

use pqseal_pipeline::{
    Pipeline, Transform,
    files::{self, Job, Origin, Task},
};

use super::{
    destination::Destination,
    file_error::{damaged, not_done},
    not_started,
    report::Report,
    route::Route,
    stores::Stores,
    stream,
    terminal::Output,
    transfer::{Manner, Transfer, Way},
    unwritable,
};
use crate::{
    error::Error,
    input::{Source, stdin},
};

/// The parameters of a run.
pub(super) struct Work<'w, T> {
    pub(super) pipeline: &'w Pipeline<T>,
    pub(super) transfer: &'w Transfer,
    /// The default permissions of outputs.
    pub(super) mode: u32,
    pub(super) depends_on: DependsOn,
}

/// Everything that outputs depend on besides their inputs.
pub(super) struct DependsOn {
    /// The options that change outputs.
    pub(super) options: String,
    /// The ids of the keys.
    pub(super) keys: Vec<String>,
}

impl<T: Transform> Work<'_, T> {
    /// Processes the inputs.
    ///
    /// # Errors
    /// Those that end the run.
    pub(super) fn run(&self, way: &Way, report: &mut Report) -> Result<(), Error> {
        match way.manner {
            Manner::Once => self.once(&way.route, report),
            Manner::Growing => self.follow(&way.route, report),
            #[cfg(feature = "kafka")]
            Manner::Topic => self.consume(&way.route, report),
        }
    }

    /// Processes inputs to their current ends.
    fn once(&self, route: &Route, report: &mut Report) -> Result<(), Error> {
        let inputs = &route.inputs;
        let sizes: Option<Vec<_>> = inputs.iter().map(Source::size).collect();
        if let Some(sizes) = sizes {
            report.meter().expect(sizes.iter().sum());
        }
        let fail_fast = self.transfer.files.fail_fast;
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
                let output = Output::stdout(self.transfer.to.in_stream())
                    .map_err(|error| Error::io("write standard output", &error))?;
                stream::run(self.pipeline, route, output, fail_fast, report)
            }
            Destination::Device(path) => {
                let output = Output::device(path, self.transfer.to.in_stream());
                let output = output.map_err(|error| unwritable(path, &error))?;
                stream::run(self.pipeline, route, output, fail_fast, report)
            }
            Destination::Topic(path) => {
                // A signal ends the process immediately.
                let output = self.topic(path, Arc::default())?;
                stream::run(self.pipeline, route, output, fail_fast, report)
            }
        }
    }

    /// Opens an output to a topic. Once `is_over` is true, the topic is waited for only a little
    /// longer.
    ///
    /// # Errors
    /// If it cannot be written to.
    pub(super) fn topic(&self, path: &Path, is_over: Arc<AtomicBool>) -> Result<Output, Error> {
        let lines = self
            .transfer
            .kafka
            .writer(path, self.transfer.files.retry(), is_over)?;
        Output::topic(lines).map_err(|error| unwritable(path, &error))
    }

    /// Processes one input into one file.
    fn file(
        &self,
        input: &Source,
        output: PathBuf,
        route: &Route,
        report: &mut Report,
    ) -> Result<(), Error> {
        let settings = self.settings(self.transfer.to.in_file(&output), report);
        let to = route.stores.output(&output);
        let to = to.map_err(|error| unwritable(&output, &error))?;
        let task = task(input, output, &route.stores);
        let mut task = task.map_err(|error| input.unreadable(&error).of_one())?;
        task.to = to;
        pqseal_atomic_file::sweep(&task.output);
        report.planned(1, false);
        let meter = report.meter();
        let mut ran = Ok(());
        let tasks = slice::from_ref(&task);
        let started = files::run(self.pipeline, tasks, &settings, &*meter, |ended| {
            for (task, done) in ended {
                ran = match done {
                    Ok(mut done) => {
                        let is_reported = report.file_done(&task.job, &mut done);
                        match done.damage.take() {
                            Some(damage) => {
                                Err(listed(damaged(damage, task, report), task, report))
                            }
                            None => is_reported,
                        }
                    }
                    Err(error) => {
                        let error = match error {
                            files::Error::Create(error) => unwritable(&task.output, &error),
                            error => not_done(error, &task.job.input, &task.output, report),
                        };
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

/// Lists the failure of an only file.
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
