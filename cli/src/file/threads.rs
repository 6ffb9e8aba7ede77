//! How many threads a run has.

use clap::Args;

use crate::error::Error;

#[derive(Args)]
pub(super) struct Threads {
    /// Use this many threads, instead of one per processor
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl Threads {
    pub(super) fn count(&self) -> Result<usize, Error> {
        match self.threads {
            Some(0) => Err(Error::usage("--threads 0 does nothing; give 1 or more")),
            Some(count) => Ok(count),
            None => Ok(files::parallel::available()),
        }
    }
}
