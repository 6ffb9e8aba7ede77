//! The work on a file, its settings and its result.

use std::{fs::File, path::PathBuf, sync::Arc};

use tempfile::SpooledTempFile;

use super::{Content, Error, Job, Outcome, OutputCompression, Stamp, store::Store};
use crate::{Stats, Warning};

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

    /// Requests the bytes of an object. Returns `None` if they are not in a store.
    pub(super) fn begin(&self) -> Option<Content> {
        match &self.from {
            Origin::Store(store) => Some(Content::Object(store.open(&self.job))),
            Origin::Path | Origin::Opened(_) => None,
        }
    }

    /// Opens the input.
    pub(super) fn open(&self) -> Result<Content, Error> {
        let file = match &self.from {
            Origin::Store(store) => return Ok(Content::Object(store.open(&self.job))),
            Origin::Opened(file) => file.try_clone(),
            Origin::Path => File::open(&self.job.input),
        };
        file.map(Content::File).map_err(Error::Open)
    }

    /// Reports whether [`Job::input`] is the path of the file that is read.
    pub(super) const fn is_named(&self) -> bool {
        matches!(self.from, Origin::Path)
    }

    /// Reports whether the output exists.
    pub(super) fn has_output(&self) -> bool {
        match &self.to {
            None => self.output.is_file(),
            Some(store) => store.holds(&self.output),
        }
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
pub struct Done {
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

impl Done {
    /// Returns the result that is recorded for later runs.
    pub fn outcome(&self) -> Outcome {
        let failed = self.stats.failures();
        let found = || self.stats.found.keys().copied().collect();
        Outcome {
            failed,
            found: (self.stats.records > failed).then(found),
            no_column: self.warnings.iter().filter_map(Warning::rule).collect(),
            no_rows: self.warnings.contains(&Warning::NoRows),
        }
    }
}
