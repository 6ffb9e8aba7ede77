//! Why a file has no output.

use std::{error, fmt, io};

/// Why a file was not done. Then it has no output, unless that is asked for
/// ([`Settings::keep_partial`](super::Settings::keep_partial)).
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The folder could not be listed.
    List(io::Error),
    /// The file could not be opened.
    Open(io::Error),
    /// It changed while it was read: something is still writing it.
    Changed,
    /// The output could not be written.
    Create(io::Error),
    /// Its records could not be taken through the pipeline.
    Run(crate::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(error) => write!(f, "listing the folder: {error}"),
            Self::Open(error) => write!(f, "opening: {error}"),
            Self::Changed => {
                f.write_str("it changed while it was read; try again when it is complete")
            }
            Self::Create(error) => write!(f, "writing the output: {error}"),
            Self::Run(error) => error.fmt(f),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::List(error) | Self::Open(error) | Self::Create(error) => Some(error),
            Self::Run(error) => Some(error),
            Self::Changed => None,
        }
    }
}
