//! Errors of an object store, in the form in which they pass through readers
//! and writers.

use std::{error, fmt, io};

/// An error of a store that did not return or accept an object.
#[derive(Clone, Debug)]
pub struct StoreError {
    /// The kind of the failure.
    pub kind: StoreFailure,
    /// The store's message.
    pub message: String,
}

/// The kind of a store's failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreFailure {
    /// The object has changed since it was listed.
    Changed,
    /// The object, or the bucket, does not exist.
    Missing,
    /// The credentials are not accepted, or do not permit the access.
    Denied,
    /// The store did not answer, even after retries.
    Unreachable,
    /// Anything else.
    Other,
}

impl StoreError {
    /// Returns the store's error in `error`, if there is one.
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
