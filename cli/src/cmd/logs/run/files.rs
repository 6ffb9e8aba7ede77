//! Processes files into files: one into one, or files and folders into a folder.

use std::{
    collections::HashMap,
    fs,
    io::{
        self,
        ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull},
    },
    ops::ControlFlow,
    path::{Path, PathBuf},
    slice,
};

use pqseal_pipeline::{
    Transform,
    files::{self, Ended, Job, Origin, OutputCompression, Settings, State, Task, is_address},
};

use super::{
    Report, Run,
    failure::{damaged, not_done},
    not_started, unwritable,
};
use crate::{
    error::Error,
    escape,
    input::{Source, stdin},
    places::without_links,
    process,
};

impl<T: Transform> Run<'_, T> {
    /// Processes one input into one file.
    ///
    /// # Errors
    /// Those that end the run.
    pub(super) fn file(
        &self,
        input: &Source,
        output: &Path,
        report: &mut Report,
    ) -> Result<(), Error> {
        if let Some(size) = input.size() {
            report.meter().expect(size);
        }
        let settings = self.settings(self.io.output.of_file(output), report);
        let to = self.outputs.stores.output(output);
        let to = to.map_err(|error| unwritable(output, &error))?;
        let task = self.task(input, output.to_owned());
        let mut task = task.map_err(|error| input.unreadable(&error).of_one())?;
        task.to = to;
        pqseal_atomic_file::sweep(&task.output);
        report.planned(1, false);
        let meter = report.meter();
        let mut ran = Ok(());
        let tasks = slice::from_ref(&task);
        let started = files::run(self.pipeline, tasks, &settings, &*meter, |ended| {
            for (task, done) in ended {
                let failed = match done {
                    Ok(mut done) => {
                        ran = report.file_done(&task.job, &mut done);
                        let damage = done.damage.take();
                        damage.map(|damage| damaged(damage, task, report))
                    }
                    Err(files::Error::Create(error)) => Some(unwritable(output, &error)),
                    Err(error) => Some(not_done(error, &task.job.input, output, report)),
                };
                if let Some(error) = failed {
                    report.file_listed(task.job.input.clone(), error.clone());
                    ran = Err(error);
                }
            }
            ControlFlow::Continue(())
        });
        started.map_err(not_started)?;
        ran
    }

    /// Makes the task for one file, object or standard input.
    fn task(&self, input: &Source, output: PathBuf) -> io::Result<Task> {
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
        let stores = &self.outputs.stores;
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

    /// Processes `inputs` into files in `folder`, except for those that an earlier run finished. A
    /// file that fails is reported, and the others are still processed.
    ///
    /// # Errors
    /// Those that end the run.
    pub(super) fn folder(
        &self,
        inputs: &[PathBuf],
        folder: &Path,
        report: &mut Report,
    ) -> Result<(), Error> {
        inputs.iter().try_for_each(|input| outside(input, folder))?;
        let stores = &self.outputs.stores;
        let to = stores.output(folder);
        let to = to.map_err(|error| unwritable(folder, &error))?;
        let compression = self.io.output.of_folder();
        let plan = self.list(inputs);
        let (mut tasks, mut failed) = (Vec::new(), plan.failed);
        for job in plan.jobs {
            match compression.name(&job, self.pipeline.framing()) {
                Ok(name) => {
                    let mut task = Task::new(job, folder.join(name));
                    task.to.clone_from(&to);
                    if let Some(store) = stores.input(&task.job.input) {
                        task.from = Origin::Store(store);
                    }
                    tasks.push(task);
                }
                Err(error) => failed.push((job.input, files::Error::Open(error))),
            }
        }
        check_outputs(&tasks)?;
        if to.is_none() {
            let outputs = tasks.iter().map(|task| task.output.as_path());
            self.outputs.places.check_outputs(folder, outputs)?;
            fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        }
        let mut state = self.state(folder)?;
        report.left_out(&plan.left_out);
        report.planned(tasks.len() + failed.len(), true);
        for (path, error) in failed {
            let is_last = error.is_unreachable();
            let error = not_done(error, &path, folder, report);
            if is_last {
                return Err(error.stops());
            }
            report.file_failed(path, error);
        }
        tasks.retain(|task| match state.done(task) {
            Some(outcome) => {
                report.done_before(outcome);
                false
            }
            None => true,
        });
        sweep(&tasks);
        self.process(&tasks, &mut state, report)
    }

    /// Lists the files and objects of `inputs`.
    fn list(&self, inputs: &[PathBuf]) -> files::Plan {
        let selection = self.io.selection();
        let mut all = files::Plan::default();
        for input in inputs {
            let listed = self.outputs.stores.plan(input, &selection);
            let listed = listed.unwrap_or_else(|| files::plan(slice::from_ref(input), &selection));
            all.jobs.extend(listed.jobs);
            all.left_out.extend(listed.left_out);
            all.failed.extend(listed.failed);
        }
        all
    }

    fn state(&self, folder: &Path) -> Result<State, Error> {
        let (options, keys) = (self.options.as_bytes(), self.keys.iter().cloned());
        let (path, journal) = match &self.io.state {
            Some(path) => (path.clone(), Ok(None)),
            None => {
                let journal = self.outputs.stores.journal(folder);
                (folder.join(".pqseal-logs"), journal)
            }
        };
        let state = journal.and_then(|journal| match journal {
            Some(journal) => State::of(journal, options, keys),
            None => State::load(&path, options, keys),
        });
        state.map_err(|error| Source::File(path).unreadable(&error))
    }

    fn process(&self, tasks: &[Task], state: &mut State, report: &mut Report) -> Result<(), Error> {
        let meter = report.meter();
        meter.expect(tasks.iter().map(|task| task.job.size()).sum());
        if self.io.fail_fast && report.has_failed_files() {
            return Ok(());
        }
        let settings = self.settings(self.io.output.of_folder(), report);
        let mut ran = Ok(());
        let started = files::run(self.pipeline, tasks, &settings, &*meter, |ended| {
            ran = note(ended, state, report);
            match ran {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        started.map_err(not_started)?;
        ran
    }

    fn settings(&self, compression: OutputCompression, report: &Report) -> Settings {
        let (mode, is_exact_mode) = self.io.output.mode(self.mode);
        Settings {
            compression,
            mode,
            is_exact_mode,
            wants_letters: report.has_letters(),
            // Half of the open files are left for other uses.
            together: usize::try_from(process::open_files(1024) / 8)
                .map_or(128, |n| n.clamp(1, 128)),
            fail_fast: self.io.fail_fast,
            keep_partial: self.io.keep_partial,
        }
    }
}

/// Reports the results of some files, and records those that are done in `state`.
fn note(ended: Vec<Ended<'_>>, state: &mut State, report: &mut Report) -> Result<(), Error> {
    let mut done = Vec::new();
    // The first failure that ends the run. Finished files are recorded all the same.
    let mut over = None;
    for (task, result) in ended {
        let input = task.job.input.clone();
        match result {
            Ok(mut file) => {
                let is_reported = report.file_done(&task.job, &mut file);
                // A file that is damaged, or whose dead letters are not written, will be processed
                // again.
                match file.damage.take() {
                    Some(damage) => report.file_failed(input, damaged(damage, task, report)),
                    None if is_reported.is_err() => {}
                    None => done.push((&task.job, file.stamp.clone(), file.outcome())),
                }
                if let Err(error) = is_reported {
                    over.get_or_insert(error);
                }
            }
            // No other file can be written either.
            Err(files::Error::Create(error))
                if matches!(
                    error.kind(),
                    StorageFull | QuotaExceeded | ReadOnlyFilesystem
                ) =>
            {
                over.get_or_insert_with(|| unwritable(&task.output, &error));
                report.file_failed(input, unwritable(&task.output, &error));
            }
            Err(error) => {
                let is_over = error.is_unreachable();
                let error = not_done(error, &input, &task.output, report);
                if is_over {
                    over.get_or_insert_with(|| error.clone().stops());
                }
                report.file_failed(input, error);
            }
        }
    }
    state
        .note(done)
        .map_err(|error| unwritable(state.path(), &error))?;
    over.map_or(Ok(()), Err)
}

/// Removes temporary files of killed runs next to the outputs of this one.
fn sweep(tasks: &[Task]) {
    let mut outputs: Vec<_> = tasks.iter().map(|task| &task.output).collect();
    outputs.dedup_by(|a, b| a.parent() == b.parent());
    outputs
        .iter()
        .for_each(|output| pqseal_atomic_file::sweep(output));
}

/// Refuses an output folder that overlaps an input: outputs must not replace inputs, and the next
/// run must not take them for inputs.
fn outside(input: &Path, folder: &Path) -> Result<(), Error> {
    let places = match (is_address(input), is_address(folder)) {
        (true, true) => Ok((input.to_owned(), folder.to_owned())),
        (false, false) => {
            fs::canonicalize(input).and_then(|input| Ok((input, without_links(folder)?)))
        }
        _ => return Ok(()),
    };
    let Ok((input, folder)) = places else {
        return Ok(());
    };
    if folder.starts_with(&input) || input.parent() == Some(&*folder) {
        let (input, folder) = (escape::path(&input), escape::path(&folder));
        return Err(Error::usage(format!(
            "the output folder {folder} and the input {input} are not separate; name another folder with -o"
        )));
    }
    Ok(())
}

/// Refuses two inputs that would become one output.
fn check_outputs(tasks: &[Task]) -> Result<(), Error> {
    let mut inputs: HashMap<&Path, &Path> = HashMap::new();
    for task in tasks {
        if let Some(other) = inputs.insert(&task.output, &task.job.input) {
            let [a, b, output] = [other, &task.job.input, &task.output].map(escape::path);
            return Err(Error::usage(format!(
                "{a} and {b} would both become {output}; run them separately, into two folders"
            )));
        }
    }
    Ok(())
}
