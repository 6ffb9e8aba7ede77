//! Objects of a store, read and written in the place of files.
//!
//! A [`Store`] is given to tasks ([`Task::from`](super::Task::from), [`Task::to`](super::Task::to));
//! what reads and writes over a network is not in this crate.

use std::{
    fmt,
    io::{self, Read, Write},
    path::Path,
    sync::Arc,
};

use super::{Job, Stamp};

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

/// An object that is read. Its errors are [`StoreError`](super::StoreError)s.
pub trait Object: Send + Sync {
    /// What it was like when it was listed.
    fn stamp(&self) -> Stamp;

    /// `length` bytes from `start` on, all of which must be in it.
    ///
    /// # Errors
    /// If they cannot be read.
    fn read_at(&self, start: u64, length: usize) -> io::Result<Vec<u8>>;

    /// All of it, from its beginning.
    fn reader(&self) -> Box<dyn Read + Send + '_>;
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
