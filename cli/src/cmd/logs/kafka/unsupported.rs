//! A build without the feature `kafka`: its options are not there, and `Topic::check` refuses every
//! address of a topic before anything here is asked for.

use std::{
    io::{self, Write},
    path::Path,
    time::Duration,
};

use clap::Args;

#[path = "asked.rs"]
mod asked;

pub(super) use asked::{framing, reads_topic};

/// No options.
#[derive(Args)]
pub(super) struct Options {}

impl Options {
    #[expect(clippy::unused_self, reason = "as in a build with the feature")]
    pub(super) const fn is_for_reading(&self) -> bool {
        false
    }

    /// Refuses.
    #[expect(clippy::unused_self, reason = "as in a build with the feature")]
    pub(super) fn writer(
        &self,
        _path: &Path,
        _retry: Duration,
    ) -> io::Result<Box<dyn Write + Send>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
