//! A build without the feature `stores`: there are only files.

use std::{io, path::Path, sync::Arc, time::Duration};

use pqseal_pipeline::files::{Job, Journal, Plan, Selection, Store, is_address};

use crate::{error::Error, escape, parse::build_with};

/// No stores.
pub(super) struct Stores;

/// Returns no stores.
pub(super) fn stores(_retry: Duration) -> Stores {
    Stores
}

/// Refuses addresses.
///
/// # Errors
/// If there is one.
pub(super) fn check<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<(), Error> {
    match paths.into_iter().find(|path| is_address(path)) {
        Some(path) => Err(Error::usage(format!(
            "{} is in an object store, which this build does not support; {}",
            escape::path(path),
            build_with("stores")
        ))),
        None => Ok(()),
    }
}

impl Stores {
    pub(super) fn object(&self, _path: &Path) -> Option<io::Result<Job>> {
        None
    }

    pub(super) fn plan(&self, _path: &Path, _selection: &Selection) -> Option<Plan> {
        None
    }

    pub(super) fn input(&self, _path: &Path) -> Option<Arc<dyn Store>> {
        None
    }

    pub(super) fn output(&self, _path: &Path) -> io::Result<Option<Arc<dyn Store>>> {
        Ok(None)
    }

    pub(super) fn journal(&self, _folder: &Path) -> io::Result<Option<Box<dyn Journal>>> {
        Ok(None)
    }
}
