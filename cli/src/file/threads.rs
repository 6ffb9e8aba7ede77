//! The number of threads of a run.

use clap::Args;
use pqseal_age::parallel::{MAX_THREADS, available};

use crate::error::{Error, warn};

#[derive(Args)]
pub(super) struct Threads {
    /// Use this many threads, at most 32, instead of one per processor
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl Threads {
    pub(super) fn count(&self) -> Result<usize, Error> {
        match self.threads {
            Some(0) => Err(Error::usage("--threads 0 does nothing; give 1 or more")),
            Some(count @ ..=MAX_THREADS) => Ok(count),
            Some(count) => {
                let message = format!(
                    "--threads {count} is more than the maximum; continuing with {MAX_THREADS}"
                );
                warn("threads", message);
                Ok(MAX_THREADS)
            }
            None => Ok(available()),
        }
    }
}
