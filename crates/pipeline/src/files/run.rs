//! Processing of many files: small ones in parallel, large ones one after another, with outputs
//! renamed together.

use std::{
    ops::ControlFlow,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
};

use rayon::prelude::*;

use super::{
    Content, Error,
    commit::{Ready, commit},
    one::{self, Live, On, Written},
    task::{Done, Settings, Task},
};
use crate::{Pipeline, batch::Transform};

/// The maximum size in bytes of a file that a single thread processes, since further threads would
/// cost more to start than they save. At a compression ratio of ten, this is about one batch of
/// records.
const SMALL: u64 = 256 * 1024;

/// A task that has ended, with its result.
pub type Ended<'t> = (&'t Task, Result<Done, Error>);

/// Processes all `tasks`. Each output appears completely, or not at all. `ended` receives the
/// results of the tasks in order, and may end the run.
///
/// # Errors
/// [`crate::Error::Start`] if a thread cannot be started. Nothing is processed then.
pub fn run<T: Transform>(
    pipeline: &Pipeline<T>,
    tasks: &[Task],
    settings: &Settings,
    live: &impl Live,
    mut ended: impl FnMut(Vec<Ended<'_>>) -> ControlFlow<()>,
) -> Result<(), crate::Error> {
    let is_over = AtomicBool::new(false);
    let (sender, receiver) = sync_channel(1);
    thread::scope(|scope| {
        let writing = Writing {
            pipeline,
            settings,
            live,
            is_over: &is_over,
        };
        thread::Builder::new()
            .spawn_scoped(scope, move || writing.all(tasks, &sender))
            .map_err(crate::Error::Start)?;
        while let Some(mut ready) = next(&receiver, settings.together) {
            let failed = ready.iter().position(|(_, written)| written.is_err());
            let is_last = settings.fail_fast && failed.is_some();
            if let Some(failed) = failed.filter(|_| settings.fail_fast) {
                ready.truncate(failed + 1);
            }
            if ended(commit(ready)).is_break() || is_last {
                is_over.store(true, Ordering::Relaxed);
                break;
            }
        }
        drop(receiver);
        Ok(())
    })
}

/// Returns the results that are ready, at most about `enough` and at least one, or `None` at the
/// end.
fn next<'t>(receiver: &Receiver<Vec<Ready<'t>>>, enough: usize) -> Option<Vec<Ready<'t>>> {
    let mut ready = receiver.recv().ok()?;
    while ready.len() < enough
        && let Ok(more) = receiver.try_recv()
    {
        ready.extend(more);
    }
    Some(ready)
}

/// The thread that writes outputs.
struct Writing<'w, T, L> {
    pipeline: &'w Pipeline<T>,
    settings: &'w Settings,
    live: &'w L,
    is_over: &'w AtomicBool,
}

impl<T: Transform, L: Live> Writing<'_, T, L> {
    /// Writes the outputs of all tasks. Ends early if no more outputs are wanted.
    fn all<'t>(&self, mut tasks: &'t [Task], ready: &SyncSender<Vec<Ready<'t>>>) {
        let is_small = |task: &&Task| task.job.size() <= SMALL;
        while let Some(first) = tasks.first()
            && !self.is_over.load(Ordering::Relaxed)
        {
            let small = tasks
                .iter()
                .take(self.settings.together)
                .take_while(is_small)
                .count();
            let (now, later) = tasks.split_at(small.max(1));
            tasks = later;
            let written = match small {
                0 => vec![self.one(first)],
                _ => self.many(now),
            };
            if ready.send(now.iter().zip(written).collect()).is_err() {
                return;
            }
        }
    }

    fn many(&self, tasks: &[Task]) -> Vec<Result<Written, Error>> {
        // Objects are opened concurrently, since a store answers many requests faster than one
        // after another.
        let begun: Vec<_> = tasks.iter().map(Task::begin).collect();
        let write = |(task, begun): (&Task, Option<Content>)| {
            let content = begun.map_or_else(|| task.open(), Ok)?;
            self.write(task, &content, On::This)
        };
        let pool = &self.pipeline.pool;
        let all = tasks.par_iter().zip(begun);
        let written: Vec<_> = pool.install(|| all.map(write).collect());
        // The remaining files cannot be processed by a single thread.
        let rest = |(task, written): (_, Result<Option<_>, _>)| match written.transpose() {
            Some(written) => written,
            None => self.one(task),
        };
        tasks.iter().zip(written).map(rest).collect()
    }

    fn one(&self, task: &Task) -> Result<Written, Error> {
        let written = self.write(task, &task.open()?, On::Threads);
        written.map(|written| written.expect("threads do all files"))
    }

    fn write(&self, task: &Task, content: &Content, on: On) -> Result<Option<Written>, Error> {
        one::write(self.pipeline, task, content, self.settings, on, self.live)
    }
}
