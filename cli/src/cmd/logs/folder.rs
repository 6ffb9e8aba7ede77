//! Files and folders, to files in a folder.

use std::{
    collections::HashMap,
    fs, io,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use siem::{
    Transform,
    files::{self, Ended, Job, Plan, Settings, State, Task, temporary},
};

use super::{
    file_error::{damaged, not_done, unwritable},
    not_started,
    report::Report,
    work::{DependsOn, Work},
};
use crate::{
    error::Error,
    escape,
    input::Source,
    places::{Places, without_links},
    process,
};

impl<T: Transform> Work<'_, T> {
    /// Takes `inputs` to files in `folder`, except for those that an earlier run finished. A file
    /// that cannot be done is reported, and the others are done.
    ///
    /// # Errors
    /// Those that end the run.
    pub(super) fn folder(
        &self,
        inputs: &[PathBuf],
        folder: &Path,
        places: &Places,
        report: &mut Report,
    ) -> Result<(), Error> {
        inputs.iter().try_for_each(|input| outside(input, folder))?;
        let Plan {
            jobs,
            left_out,
            failed,
        } = files::plan(inputs, &self.files.selection());
        let (tasks, unnamed) = self.tasks(jobs, folder);
        check_outputs(&tasks)?;
        let outputs = tasks.iter().map(|task| task.output.as_path());
        places.check_outputs(folder, outputs)?;
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        let mut state = self.state(folder)?;
        report.left_out(&left_out);
        report.planned(tasks.len() + unnamed.len() + failed.len(), true);
        for (path, error) in failed.into_iter().chain(unnamed) {
            let error = not_done(error, &path, folder);
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
        if self.files.fail_fast && report.has_failed_files() {
            return Ok(());
        }
        let settings = self.settings(self.to.in_folder(), report);
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
        let (mode, is_exact_mode) = self.to.mode(self.mode);
        Settings {
            compression,
            mode,
            is_exact_mode,
            wants_letters: report.has_letters(),
            // Half of the files that may be open are for other things.
            together: usize::try_from(process::open_files() / 8).map_or(128, |n| n.clamp(1, 128)),
            fail_fast: self.files.fail_fast,
            keep_partial: self.files.keep_partial,
        }
    }

    /// Each file with its output, and those that have no name since they cannot be read.
    fn tasks(&self, jobs: Vec<Job>, folder: &Path) -> (Vec<Task>, Vec<(PathBuf, files::Error)>) {
        let compression = self.to.in_folder();
        let (mut tasks, mut unnamed) = (Vec::new(), Vec::new());
        for job in jobs {
            match compression.name(&job, self.pipeline.framing()) {
                Ok(name) => tasks.push(Task::new(job, folder.join(name))),
                Err(error) => unnamed.push((job.input, files::Error::Open(error))),
            }
        }
        (tasks, unnamed)
    }

    fn state(&self, folder: &Path) -> Result<State, Error> {
        let path = self.files.state.clone();
        let path = path.unwrap_or_else(|| folder.join(".pqseal-logs"));
        let DependsOn { options, keys } = &self.depends_on;
        State::load(&path, options.as_bytes(), keys.iter().cloned())
            .map_err(|error| Source::File(path).unreadable(&error))
    }
}

/// Reports and notes what became of some files.
fn note(ended: Vec<Ended<'_>>, state: &mut State, report: &mut Report) -> Result<(), Error> {
    let mut done = Vec::new();
    let mut full = None;
    for (task, result) in ended {
        let input = task.job.input.clone();
        match result {
            Ok(mut file) => {
                match file.damage.take() {
                    // It will be done again.
                    Some(damage) => report.file_failed(input, damaged(damage, task)),
                    None => done.push((&task.job, file.stamp, file.outcome())),
                }
                report.file_done(&task.job, file)?;
            }
            Err(files::Error::Create(error)) if is_full(&error) => {
                full.get_or_insert_with(|| unwritable(&task.output, &error));
                report.file_failed(input, unwritable(&task.output, &error));
            }
            Err(error) => {
                let error = not_done(error, &input, &task.output);
                report.file_failed(input, error);
            }
        }
    }
    state
        .note(done)
        .map_err(|error| unwritable(state.path(), &error))?;
    full.map_or(Ok(()), Err)
}

/// What an earlier run has not done.
fn to_do(tasks: Vec<Task>, state: &State, report: &mut Report) -> Vec<Task> {
    let is_to_do = |task: &Task| match state.done(&task.job, &task.output) {
        Some(outcome) => {
            report.done_before(outcome);
            false
        }
        None => true,
    };
    tasks.into_iter().filter(is_to_do).collect()
}

/// Removes what killed runs left where this one will write: they were at files that are not done.
fn sweep(tasks: &[Task]) {
    let mut outputs: Vec<_> = tasks.iter().map(|task| &task.output).collect();
    outputs.dedup_by(|a, b| a.parent() == b.parent());
    outputs.iter().for_each(|output| temporary::sweep(output));
}

/// Whether no other file can be written either.
fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(
        error.kind(),
        StorageFull | QuotaExceeded | ReadOnlyFilesystem
    )
}

/// Outputs must not take the place of inputs, or be taken for them by the next run.
fn outside(input: &Path, folder: &Path) -> Result<(), Error> {
    let (Ok(input), Ok(folder)) = (fs::canonicalize(input), without_links(folder)) else {
        return Ok(());
    };
    if folder.starts_with(&input) || input.parent() == Some(&folder) {
        let (input, folder) = (escape::path(&input), escape::path(&folder));
        return Err(Error::usage(format!(
            "the output folder {folder} and the input {input} are not separate; name another folder with -o"
        )));
    }
    Ok(())
}

/// Two inputs must not become one output.
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
