//! The reasons why a file has no output.

use std::{error, fmt, io, path::PathBuf};

use super::{StoreError, StoreFailure};

/// The reason why a file could not be processed. It has no output then, unless
/// [`Settings::keep_partial`](super::Settings::keep_partial) is set.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The folder could not be listed.
    List(io::Error),
    /// The file could not be opened.
    Open(io::Error),
    /// The file changed while it was read, so another program is still writing it.
    Changed,
    /// The output could not be written.
    Create(io::Error),
    /// The pipeline failed.
    Run(crate::Error),
    /// A record in one of several followed files ended the run.
    Record {
        /// The file.
        path: PathBuf,
        /// The record and the reason.
        error: crate::Error,
    },
    /// The state of followed files belongs to an output other than the existing one, which is not
    /// empty. Nothing was truncated or written.
    OtherOutput {
        /// The output that the state describes.
        noted: PathBuf,
        /// The output of this run.
        output: PathBuf,
    },
}

impl Error {
    /// Reports whether a store did not answer, so that it will not answer for other objects either.
    pub fn is_unreachable(&self) -> bool {
        let error = match self {
            Self::Open(error) | Self::Create(error) | Self::List(error) => error,
            Self::Run(crate::Error::Read(error) | crate::Error::Write(error)) => error,
            Self::Run(_) | Self::Record { .. } | Self::OtherOutput { .. } | Self::Changed => {
                return false;
            }
        };
        let kind = StoreError::of(error).map(|error| error.kind);
        kind == Some(StoreFailure::Unreachable)
    }
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
            Self::Record { path, error } => write!(f, "{}: {error}", path.display()),
            Self::OtherOutput { noted, output } => {
                let (noted, output) = (noted.display(), output.display());
                write!(
                    f,
                    "the state was written for the output {noted}, and {output} is another file"
                )
            }
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::List(error) | Self::Open(error) | Self::Create(error) => Some(error),
            Self::Run(error) | Self::Record { error, .. } => Some(error),
            Self::Changed | Self::OtherOutput { .. } => None,
        }
    }
}
