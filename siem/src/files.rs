//! Files and folders: one output for each input, whole or not at all, and none twice.
//!
//! [`plan`] lists the files. [`State`] knows those that an earlier run finished. [`run`] takes the
//! others through a pipeline, many small ones at once, and goes on after a file that fails.
//!
//! ```no_run
//! use std::{ops::ControlFlow, path::{Path, PathBuf}};
//!
//! use pqseal_siem::{Error, Opener, Pipeline, Rules, files::{self, OutputCompression, Selection, Settings, Task}};
//!
//! let opener = Opener::new(envelope::KeyRing::new()); // with the keys of a key file added
//! let pipeline = Pipeline::new(opener, Rules::default(), 0)?;
//! let plan = files::plan(&[PathBuf::from("logs")], &Selection::default());
//! let output = |job: &files::Job| Path::new("opened").join(&job.name);
//! let tasks: Vec<_> = plan.jobs.into_iter().map(|job| Task::new(job.clone(), output(&job))).collect();
//! let settings = Settings {
//!     compression: OutputCompression::Same,
//!     mode: 0o600,
//!     is_exact_mode: false,
//!     wants_letters: false,
//!     together: 128,
//!     fail_fast: false,
//!     keep_partial: false,
//! };
//! files::run(&pipeline, &tasks, &settings, &(), |ended| {
//!     for (task, done) in ended {
//!         match done {
//!             Ok(done) => println!("{}: {} records", task.output.display(), done.stats.records),
//!             Err(error) => eprintln!("{}: {error}", task.job.input.display()),
//!         }
//!     }
//!     ControlFlow::Continue(())
//! })?;
//! # Ok::<(), Error>(())
//! ```

mod commit;
mod error;
pub mod follow;
mod name;
mod one;
mod outcome;
mod output;
mod plan;
mod run;
mod state;
mod store;
mod task;
pub mod temporary;

use std::{
    fs::{self, File, Metadata, TryLockError},
    io,
    path::{Path, PathBuf},
};

pub use crate::{
    content::{Content, Object, Stamp},
    input::{StoreError, StoreFailure},
};
pub use error::Error;
pub use name::OutputCompression;
pub use one::Live;
pub use outcome::Outcome;
pub use plan::{LeftOut, Plan, Selection, Shard, is_hidden, plan};
pub use run::{Ended, run};
pub use state::{Journal, State};
pub use store::{Draft, Publishing, Store};
pub use task::{Done, Origin, Settings, Task};

/// One file to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Where it is.
    pub input: PathBuf,
    /// Its path below the folder that was named, or its own name.
    pub name: PathBuf,
    /// What it was like when it was listed, if it was there.
    pub stamp: Option<Stamp>,
}

impl Job {
    /// The file at `input`, which is called `name`.
    pub fn new(input: PathBuf, name: PathBuf) -> Self {
        let found = fs::metadata(&input);
        Self {
            stamp: found.ok().map(|found| Stamp::from(&found)),
            input,
            name,
        }
    }

    /// Its size in bytes; 0 if it is not there.
    pub fn size(&self) -> u64 {
        self.stamp.as_ref().map_or(0, |stamp| stamp.size)
    }
}

/// What a log service writes beside its logs to check that it may write there; copied as it is.
pub(crate) fn is_challenge(name: &Path) -> bool {
    let name = name.file_name().unwrap_or_default().as_encoded_bytes();
    name == b"test.txt.gz" || name.starts_with(b"ownership-challenge")
}

/// The folder that `path` is in.
fn folder_of(path: &Path) -> &Path {
    let parent = path.parent();
    let parent = parent.filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// Returns whether the path leads to the open file. It does not if that was renamed, replaced or removed.
pub fn is_file_at(path: &Path, file: &File) -> bool {
    let is_at = || {
        let there = identity(path, &fs::metadata(path)?)?;
        Ok::<_, io::Error>(there == identity(path, &file.metadata()?)?)
    };
    is_at().unwrap_or(false)
}

/// Locks a file that lines are added to, where the system has locks: two that add to a file would cut off
/// each other's lines.
///
/// # Errors
/// If another process has locked it.
pub fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::other(
            "another process writes to it; give each a separate file",
        )),
        _ => Ok(()),
    }
}

/// What tells a file or a folder from all others, where the system says so.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems look the path up")]
fn identity(_path: &Path, found: &Metadata) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    Ok((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path, _found: &Metadata) -> io::Result<Identity> {
    fs::canonicalize(path)
}
