//! Processes files and folders into files in a folder.

use std::{
    collections::HashMap,
    fs, io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    slice,
};

use pqseal_pipeline::{
    Transform,
    files::{self, Ended, Job, Origin, Plan, Settings, State, Task, is_address},
};

use super::{
    file_error::{damaged, not_done},
    not_started,
    report::Report,
    route::Route,
    stores::Stores,
    unwritable,
    work::{DependsOn, Work},
};
use crate::{error::Error, escape, input::Source, places::without_links, process};

impl<T: Transform> Work<'_, T> {
    /// Processes `inputs` into files in `folder`, except for those that an earlier run finished. A
    /// file that fails is reported, and the others are still processed.
    ///
    /// # Errors
    /// Those that end the run.
    pub(super) fn folder(
        &self,
        inputs: &[PathBuf],
        folder: &Path,
        route: &Route,
        report: &mut Report,
    ) -> Result<(), Error> {
        inputs.iter().try_for_each(|input| outside(input, folder))?;
        let stores = &route.stores;
        let to = stores.output(folder);
        let to = to.map_err(|error| unwritable(folder, &error))?;
        let Plan {
            jobs,
            left_out,
            failed,
        } = self.plan(inputs, stores);
        let (mut tasks, unnamed) = self.tasks(jobs, folder);
        for task in &mut tasks {
            task.to.clone_from(&to);
            if let Some(store) = stores.input(&task.job.input) {
                task.from = Origin::Store(store);
            }
        }
        check_outputs(&tasks)?;
        if to.is_none() {
            let outputs = tasks.iter().map(|task| task.output.as_path());
            route.places.check_outputs(folder, outputs)?;
            fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        }
        let mut state = self.state(folder, stores)?;
        report.left_out(&left_out);
        report.planned(tasks.len() + unnamed.len() + failed.len(), true);
        for (path, error) in failed.into_iter().chain(unnamed) {
            let is_last = error.is_unreachable();
            let error = not_done(error, &path, folder, report);
            if is_last {
                return Err(error.stops());
            }
            report.file_failed(path, error);
        }
        let to_do = to_do(tasks, &state, report);
        sweep(&to_do);
        self.take_through(&to_do, &mut state, report)
    }

    fn take_through(
        &self,
        tasks: &[Task],
        state: &mut State,
        report: &mut Report,
    ) -> Result<(), Error> {
        let meter = report.meter();
        meter.expect(tasks.iter().map(|task| task.job.size()).sum());
        if self.transfer.files.fail_fast && report.has_failed_files() {
            return Ok(());
        }
        let settings = self.settings(self.transfer.to.in_folder(), report);
        let mut fatal = None;
        let ran = files::run(
            self.pipeline,
            tasks,
            &settings,
            &*meter,
            |ended| match note(ended, state, report) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    fatal = Some(error);
                    ControlFlow::Break(())
                }
            },
        );
        ran.map_err(not_started)?;
        fatal.map_or(Ok(()), Err)
    }

    pub(super) fn settings(
        &self,
        compression: files::OutputCompression,
        report: &Report,
    ) -> Settings {
        let (mode, is_exact_mode) = self.transfer.to.mode(self.mode);
        Settings {
            compression,
            mode,
            is_exact_mode,
            wants_letters: report.has_letters(),
            // Half of the open files are left for other uses.
            together: usize::try_from(process::open_files(1024) / 8)
                .map_or(128, |n| n.clamp(1, 128)),
            fail_fast: self.transfer.files.fail_fast,
            keep_partial: self.transfer.files.keep_partial,
        }
    }

    /// Lists the files and objects of `inputs`.
    fn plan(&self, inputs: &[PathBuf], stores: &Stores) -> Plan {
        let selection = self.transfer.files.selection();
        let mut all = Plan::default();
        for input in inputs {
            let planned = stores.plan(input, &selection);
            let planned =
                planned.unwrap_or_else(|| files::plan(slice::from_ref(input), &selection));
            all.jobs.extend(planned.jobs);
            all.left_out.extend(planned.left_out);
            all.failed.extend(planned.failed);
        }
        all
    }

    /// Pairs each file with its output. Files that cannot be read, so have no output name, are
    /// second.
    fn tasks(&self, jobs: Vec<Job>, folder: &Path) -> (Vec<Task>, Vec<(PathBuf, files::Error)>) {
        let compression = self.transfer.to.in_folder();
        let (mut tasks, mut unnamed) = (Vec::new(), Vec::new());
        for job in jobs {
            match compression.name(&job, self.pipeline.framing()) {
                Ok(name) => tasks.push(Task::new(job, folder.join(name))),
                Err(error) => unnamed.push((job.input, files::Error::Open(error))),
            }
        }
        (tasks, unnamed)
    }

    fn state(&self, folder: &Path, stores: &Stores) -> Result<State, Error> {
        let path = self.transfer.files.state.clone();
        let beside = path.is_none();
        let path = path.unwrap_or_else(|| folder.join(".pqseal-logs"));
        let DependsOn { options, keys } = &self.depends_on;
        let (options, keys) = (options.as_bytes(), keys.iter().cloned());
        let journal = if beside {
            stores.journal(folder)
        } else {
            Ok(None)
        };
        let state = journal.and_then(|journal| match journal {
            Some(journal) => State::of(journal, options, keys),
            None => State::load(&path, options, keys),
        });
        state.map_err(|error| Source::File(path).unreadable(&error))
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
            Err(files::Error::Create(error)) if is_full(&error) => {
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

/// Returns the tasks that an earlier run has not done, and counts the others.
fn to_do(tasks: Vec<Task>, state: &State, report: &mut Report) -> Vec<Task> {
    let is_to_do = |task: &Task| match state.done(task) {
        Some(outcome) => {
            report.done_before(outcome);
            false
        }
        None => true,
    };
    tasks.into_iter().filter(is_to_do).collect()
}

/// Removes temporary files of killed runs next to the outputs of this one.
fn sweep(tasks: &[Task]) {
    let mut outputs: Vec<_> = tasks.iter().map(|task| &task.output).collect();
    outputs.dedup_by(|a, b| a.parent() == b.parent());
    outputs
        .iter()
        .for_each(|output| pqseal_atomic_file::sweep(output));
}

/// Reports whether no other file can be written either.
fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(
        error.kind(),
        StorageFull | QuotaExceeded | ReadOnlyFilesystem
    )
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
