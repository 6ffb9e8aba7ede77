//! What is asked of a file, and what is known of it when it is done.

use std::{fs::File, path::PathBuf, sync::Arc};

use tempfile::SpooledTempFile;

use super::{Content, Error, Job, Outcome, OutputCompression, Stamp, store::Store};
use crate::{Stats, Warning};

/// A file and where its output goes.
#[derive(Debug)]
pub struct Task {
    /// The file.
    pub job: Job,
    /// Where its bytes are.
    pub from: Origin,
    /// The path of its output.
    pub output: PathBuf,
    /// The store in which [`Task::output`] is the address of an object.
    pub to: Option<Arc<dyn Store>>,
}

/// Where the bytes of an input are.
#[derive(Debug)]
pub enum Origin {
    /// In the file at [`Job::input`].
    Path,
    /// In this file, or pipe; [`Job::input`] is only its name.
    Opened(File),
    /// In the object of which [`Job::input`] is the address.
    Store(Arc<dyn Store>),
}

impl Task {
    /// A file by its path.
    pub fn new(job: Job, output: PathBuf) -> Self {
        Self {
            job,
            from: Origin::Path,
            output,
            to: None,
        }
    }

    /// Its bytes, if they are in a store, which is asked for them now.
    pub(super) fn begin(&self) -> Option<Content> {
        match &self.from {
            Origin::Store(store) => Some(Content::Object(store.open(&self.job))),
            Origin::Path | Origin::Opened(_) => None,
        }
    }

    /// Its bytes.
    pub(super) fn open(&self) -> Result<Content, Error> {
        let file = match &self.from {
            Origin::Store(store) => return Ok(Content::Object(store.open(&self.job))),
            Origin::Opened(file) => file.try_clone(),
            Origin::Path => File::open(&self.job.input),
        };
        file.map(Content::File).map_err(Error::Open)
    }

    /// Whether [`Job::input`] names the file that is read.
    pub(super) const fn is_named(&self) -> bool {
        matches!(self.from, Origin::Path)
    }

    /// Whether its output is there.
    pub(super) fn has_output(&self) -> bool {
        match &self.to {
            None => self.output.is_file(),
            Some(store) => store.holds(&self.output),
        }
    }
}

/// How files are done.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How outputs are compressed.
    pub compression: OutputCompression,
    /// The permissions of outputs.
    pub mode: u32,
    /// Whether the outputs have just these permissions; if not, less the umask.
    pub is_exact_mode: bool,
    /// Whether dead letters are wanted.
    pub wants_letters: bool,
    /// How many small files are begun together. Up to four times as many files are open at a time:
    /// outputs wait for their names.
    pub together: usize,
    /// Whether the run ends at the first file that fails.
    pub fail_fast: bool,
    /// Whether what comes before the damage of a damaged file becomes its output.
    pub keep_partial: bool,
}

/// A file whose output is in its place.
#[derive(Debug)]
pub struct Done {
    /// What was counted in it.
    pub stats: Stats,
    /// What the file was like before it was read.
    pub stamp: Stamp,
    /// What its user should know of it.
    pub warnings: Vec<Warning>,
    /// Its dead letters, if they are wanted, positioned at their end.
    pub letters: Option<SpooledTempFile>,
    /// Why its output ends early, with [`Settings::keep_partial`].
    pub damage: Option<crate::Error>,
}

impl Done {
    /// What is noted of it for later runs.
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
