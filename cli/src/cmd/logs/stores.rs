//! Object stores as inputs and outputs.

use std::{path::Path, time::Duration};

use pqseal_pipeline::files::Address;
pub(super) use pqseal_stores::Stores;

use crate::{
    error::{Error, warn},
    escape,
};

/// Returns the stores of a run, whose requests are retried for `retry`.
pub(super) fn stores(retry: Duration) -> Stores {
    Stores::new(retry, |message| {
        warn("state", escape::bytes(message.as_bytes()));
    })
}

/// Checks that addresses name a bucket.
///
/// # Errors
/// If one does not.
pub(super) fn check<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<(), Error> {
    let bare = |path: &&Path| Address::of(path).is_some_and(|address| address.bucket.is_empty());
    match paths.into_iter().find(bare) {
        Some(path) => Err(Error::usage(format!(
            "{} names no bucket; an address has the form s3://BUCKET/KEY",
            escape::path(path)
        ))),
        None => Ok(()),
    }
}
