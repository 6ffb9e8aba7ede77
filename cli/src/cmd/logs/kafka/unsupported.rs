//! A build without the feature `kafka`: it has no options for topics, and `Topic::check` refuses
//! every address of a topic first.

use std::{
    io::{self, Write},
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use clap::Args;

use crate::{error::Error, input::Source};

/// No options.
#[derive(Args)]
pub(super) struct Options {}

impl Options {
    #[expect(clippy::unused_self, reason = "as in a build with the feature")]
    pub(super) const fn is_for_reading(&self) -> bool {
        false
    }

    #[expect(clippy::unused_self, reason = "as in a build with the feature")]
    pub(super) const fn config(&self) -> Option<&Source> {
        None
    }

    /// Returns an error.
    #[expect(clippy::unused_self, reason = "as in a build with the feature")]
    pub(super) fn writer(
        &self,
        _path: &Path,
        _retry: Duration,
        _is_over: Arc<AtomicBool>,
    ) -> Result<Box<dyn Write + Send>, Error> {
        let error = io::ErrorKind::Unsupported.into();
        Err(Error::io("write to a topic", &error))
    }
}
