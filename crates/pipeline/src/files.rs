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

mod address;
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

use std::{
    fs,
    path::{Path, PathBuf},
};

pub use crate::{
    content::{Content, Object, Stamp},
    input::{StoreError, StoreFailure},
};
pub use address::{Address, StoreKind, is_address};
pub use error::Error;
pub use name::OutputCompression;
pub use one::Live;
pub use outcome::Outcome;
pub use plan::{LeftOut, Plan, Selection, Shard, is_hidden, plan};
pub use run::{Ended, run};
pub use state::{Journal, State};
pub use store::{Draft, Publishing, Store};
pub use task::{Done, Origin, Settings, Task};

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
}

/// Reports whether this is a file that a log service writes to check its permission. It is copied
/// unchanged.
pub(crate) fn is_challenge(name: &Path) -> bool {
    let name = name.file_name().unwrap_or_default().as_encoded_bytes();
    name == b"test.txt.gz" || name.starts_with(b"ownership-challenge")
}
