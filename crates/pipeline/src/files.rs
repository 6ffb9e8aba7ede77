//! Files and folders: one output per input, written completely or not at all, and never twice.
//!
//! [`plan`] lists the files. [`State`] knows those that an earlier run finished. [`run`] processes
//! the others with a pipeline, many small ones at once, and continues after a file that fails.
//!
//! ```no_run
//! use std::{ops::ControlFlow, path::{Path, PathBuf}};
//!
//! use pqseal_pipeline::{
//!     Error, Opener, Pipeline,
//!     files::{self, OutputCompression, Selection, Settings, Task},
//! };
//! use pqseal_records::Rules;
//!
//! // With the keys of a key file added.
//! let opener = Opener::new(pqseal_matched_data::KeyRing::new());
//! let pipeline = Pipeline::new(opener, Rules::default(), 0)?;
//! let plan = files::plan(&[PathBuf::from("logs")], &Selection::default());
//! let output = |job: &files::Job| Path::new("opened").join(&job.name);
//! let tasks = plan.jobs.into_iter().map(|job| Task::new(job.clone(), output(&job)));
//! let tasks: Vec<_> = tasks.collect();
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

mod error;
pub mod follow;
mod name;
mod plan;
mod run;
mod state;
mod store;

use std::{
    fs::{self, File},
    path::PathBuf,
    sync::Arc,
};

use tempfile::SpooledTempFile;

use crate::{Stats, Warning};

pub use crate::{
    content::{Content, Object, Stamp},
    input::{StoreError, StoreFailure},
};
pub use error::Error;
pub use name::OutputCompression;
pub use plan::{LeftOut, Plan, Selection, Shard, is_hidden, plan};
pub use run::{Ended, Live, run};
pub use state::{FileOutcome, Journal, State};
pub use store::{Address, Draft, Publishing, Store, StoreKind, is_address};

/// A file to process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The path of the file.
    pub input: PathBuf,
    /// The path below the folder that was named, or the file name.
    pub name: PathBuf,
    /// The state of the file when it was listed, if it existed.
    pub stamp: Option<Stamp>,
}

impl Job {
    /// Creates a job for the file at `input`, which is called `name`.
    pub fn new(input: PathBuf, name: PathBuf) -> Self {
        let found = fs::metadata(&input);
        Self {
            stamp: found.ok().map(|found| Stamp::from(&found)),
            input,
            name,
        }
    }

    /// Returns the size in bytes, or 0 if the file does not exist.
    pub fn size(&self) -> u64 {
        self.stamp.as_ref().map_or(0, |stamp| stamp.size)
    }

    /// Reports whether this is a file that a log service writes to check its permission. It is
    /// copied unchanged.
    fn is_challenge(&self) -> bool {
        let name = self.name.file_name().unwrap_or_default().as_encoded_bytes();
        name == b"test.txt.gz" || name.starts_with(b"ownership-challenge")
    }
}

/// A file with the destination of its output.
#[derive(Debug)]
pub struct Task {
    /// The file.
    pub job: Job,
    /// The source of its bytes.
    pub from: Origin,
    /// The path of its output.
    pub output: PathBuf,
    /// The store in which [`Task::output`] is the address of an object.
    pub to: Option<Arc<dyn Store>>,
}

/// The source of the bytes of an input.
#[derive(Debug)]
pub enum Origin {
    /// The file at [`Job::input`].
    Path,
    /// This file or pipe, for which [`Job::input`] is only a name.
    Opened(File),
    /// The object in this store whose address is [`Job::input`].
    Store(Arc<dyn Store>),
}

impl Task {
    /// Creates a task for a file at a path.
    pub fn new(job: Job, output: PathBuf) -> Self {
        Self {
            job,
            from: Origin::Path,
            output,
            to: None,
        }
    }

    /// Opens the input.
    fn open(&self) -> Result<Content, Error> {
        let file = match &self.from {
            Origin::Store(store) => return Ok(Content::Object(store.open(&self.job))),
            Origin::Opened(file) => file.try_clone(),
            Origin::Path => File::open(&self.job.input),
        };
        file.map(Content::File).map_err(Error::Open)
    }
}

/// The settings with which files are processed.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The compression of outputs.
    pub compression: OutputCompression,
    /// The permissions of outputs.
    pub mode: u32,
    /// Set if the outputs have exactly these permissions. Otherwise the umask is applied.
    pub is_exact_mode: bool,
    /// Set if dead letters are wanted.
    pub wants_letters: bool,
    /// The number of small files that are started together. Up to four times as many files are
    /// open at a time, since outputs wait to be renamed.
    pub together: usize,
    /// Set if the run ends at the first file that fails.
    pub fail_fast: bool,
    /// Set if the part of a damaged file before the damage becomes its output.
    pub keep_partial: bool,
}

/// A file whose output is complete.
#[derive(Debug)]
pub struct FinishedFile {
    /// The counts of its records.
    pub stats: Stats,
    /// The state of the file before it was read.
    pub stamp: Stamp,
    /// The warnings for the user.
    pub warnings: Vec<Warning>,
    /// The dead letters, if they are wanted, positioned at their end.
    pub letters: Option<SpooledTempFile>,
    /// The reason why the output ends early, with [`Settings::keep_partial`].
    pub damage: Option<crate::Error>,
}

impl FinishedFile {
    /// Returns the result that is recorded for later runs.
    pub fn outcome(&self) -> FileOutcome {
        let failed = self.stats.failures();
        FileOutcome {
            failed,
            found: (self.stats.records > failed)
                .then(|| self.stats.found.keys().copied().collect()),
            no_column: self.warnings.iter().filter_map(Warning::rule).collect(),
            no_rows: self.warnings.contains(&Warning::NoRows),
        }
    }
}
