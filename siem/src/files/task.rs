//! What is asked of a file, and what is known of it when it is done.

use std::{fs::File, path::PathBuf};

use tempfile::SpooledTempFile;

use super::{Job, Outcome, OutputCompression, Stamp};
use crate::{Stats, Warning};

/// A file and where its output goes.
#[derive(Debug)]
pub struct Task {
    /// The file.
    pub job: Job,
    /// Its bytes, if they do not come from [`Job::input`], which then is only its name.
    pub opened: Option<File>,
    /// The path of its output.
    pub output: PathBuf,
}

impl Task {
    /// A file by its path.
    pub fn new(job: Job, output: PathBuf) -> Self {
        let opened = None;
        Self {
            job,
            opened,
            output,
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
        }
    }
}
