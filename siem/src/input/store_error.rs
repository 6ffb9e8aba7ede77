//! Failures of a store of objects, as they pass through readers and writers.

use std::{error, fmt, io};

/// Why a store did not give or take an object.
#[derive(Clone, Debug)]
pub struct StoreError {
    /// What kind of failure it is.
    pub kind: StoreFailure,
    /// What the store says.
    pub message: String,
}

/// The kinds of failures of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreFailure {
    /// The object is no longer what it was when it was listed.
    Changed,
    /// The object, or the bucket, does not exist.
    Missing,
    /// The credentials are not accepted, or do not allow it.
    Denied,
    /// The store did not answer, however often it was asked.
    Unreachable,
    /// Anything else.
    Other,
}

impl StoreError {
    /// The failure in `error`, if a store failed.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl From<StoreError> for io::Error {
    fn from(error: StoreError) -> Self {
        let kind = match error.kind {
            StoreFailure::Missing => io::ErrorKind::NotFound,
            StoreFailure::Denied => io::ErrorKind::PermissionDenied,
            StoreFailure::Unreachable => io::ErrorKind::HostUnreachable,
            StoreFailure::Changed | StoreFailure::Other => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl error::Error for StoreError {}
