//! Objects of a store, which are read and written like files.
//!
//! Tasks take a [`Store`] ([`Task::from`](super::Task::from), [`Task::to`](super::Task::to)). The
//! network code is outside this crate.

use std::{
    fmt,
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use super::{Job, Object};

/// A store of objects.
pub trait Store: fmt::Debug + Send + Sync {
    /// Starts to read the object at [`Job::input`] as it was when it was listed. Does not wait for
    /// it, so its errors are returned by the first read.
    fn open(&self, job: &Job) -> Arc<dyn Object>;

    /// Creates an object at `output`, which appears when it is published.
    ///
    /// # Errors
    /// An error if `output` cannot be the name of an object.
    fn create(&self, output: &Path) -> io::Result<Box<dyn Draft>>;

    /// Reports whether an object existed at `output` when the run began.
    fn holds(&self, output: &Path) -> bool;
}

/// An object that is being written and is invisible until it is published. Dropping it discards it.
pub trait Draft: Write + Send {
    /// Completes the object after all data is written. Waits until at most a small remainder is in
    /// memory.
    ///
    /// # Errors
    /// An error if the store refuses the data.
    fn finish(&mut self) -> io::Result<()>;

    /// Starts to publish the object under its name, replacing an existing one. The returned
    /// function waits for completion.
    fn publish(self: Box<Self>) -> Publishing;
}

/// A function that waits until an object has appeared.
pub type Publishing = Box<dyn FnOnce() -> io::Result<()> + Send>;
