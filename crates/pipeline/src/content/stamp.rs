//! The state of an input when it was listed, or before it was read.

use std::{
    fs::Metadata,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

/// The properties that distinguish a file from the same file after a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The size in bytes.
    pub size: u64,
    /// The time of the last modification, in nanoseconds since 1970.
    pub(crate) modified: u128,
    /// The entity tag by which a store identifies this state of an object.
    pub(crate) tag: Option<Arc<str>>,
}

impl Stamp {
    /// Creates the stamp of an object in a store.
    pub fn of_object(size: u64, modified: SystemTime, tag: Option<&str>) -> Self {
        Self {
            size,
            modified: nanoseconds(modified),
            tag: tag.map(Arc::from),
        }
    }

    /// Returns the entity tag of an object.
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }
}

impl From<&Metadata> for Stamp {
    fn from(found: &Metadata) -> Self {
        Self {
            size: found.len(),
            modified: found.modified().map_or(0, nanoseconds),
            tag: None,
        }
    }
}

fn nanoseconds(time: SystemTime) -> u128 {
    let since = time.duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos())
}
