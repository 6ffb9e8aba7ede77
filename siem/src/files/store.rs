//! Objects of a store, read and written in the place of files.
//!
//! A [`Store`] is given to tasks ([`Task::from`](super::Task::from), [`Task::to`](super::Task::to));
//! what reads and writes over a network is not in this crate.

use std::{
    fmt,
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use super::{Job, Object};

/// Where objects are.
pub trait Store: fmt::Debug + Send + Sync {
    /// Begins to read the object at [`Job::input`] as it was when it was listed. Does not wait for
    /// it: what is wrong with it is told by the first read.
    fn open(&self, job: &Job) -> Arc<dyn Object>;

    /// Begins an object at `output`, which appears when it is published.
    ///
    /// # Errors
    /// If `output` cannot be the name of an object.
    fn create(&self, output: &Path) -> io::Result<Box<dyn Draft>>;

    /// Whether there was an object at `output` when the run began.
    fn holds(&self, output: &Path) -> bool;
}

/// An object that is written, and that nobody sees before it is published. One that is dropped is
/// discarded.
pub trait Draft: Write + Send {
    /// Tells that all is written. Waits until at most a small rest is in memory.
    ///
    /// # Errors
    /// If the store does not take it.
    fn finish(&mut self) -> io::Result<()>;

    /// Begins to give the object its name, in the place of one that may be there. What it gives
    /// waits for that.
    fn publish(self: Box<Self>) -> Publishing;
}

/// Waits for an object to appear.
pub type Publishing = Box<dyn FnOnce() -> io::Result<()> + Send>;
