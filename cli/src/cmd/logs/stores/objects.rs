//! The objects of a bucket, in the place of files.

use std::{collections::HashSet, io, path::Path as FilePath, sync::Arc};

use object_store::{ObjectMeta, path::Path};
use siem::files::{Draft, Job, Object, Store};

use super::{
    bucket::{Bucket, stamp},
    other,
    read::Remote,
    write::Upload,
};
use crate::cmd::logs::address::Address;

/// Objects of a bucket that are read and written, and names of those that are there already.
#[derive(Debug)]
pub(super) struct Objects {
    bucket: Arc<Bucket>,
    there: HashSet<String>,
}

impl Objects {
    /// Those that are read.
    pub(super) fn inputs(bucket: Arc<Bucket>) -> Arc<dyn Store> {
        let there = HashSet::new();
        Arc::new(Self { bucket, there })
    }

    /// Those that are written at or below an address.
    pub(super) fn outputs(
        bucket: Arc<Bucket>,
        address: &Address<'_>,
    ) -> io::Result<Arc<dyn Store>> {
        let prefix = Path::parse(address.key).map_err(|error| other(error.to_string()))?;
        let there = bucket.list(&prefix)?.into_iter();
        let there = there.map(|found| found.location.into()).collect();
        Ok(Arc::new(Self { bucket, there }))
    }
}

impl Store for Objects {
    fn open(&self, job: &Job) -> Arc<dyn Object> {
        Arc::new(Remote::begin(self.bucket.clone(), job))
    }

    fn create(&self, output: &FilePath) -> io::Result<Box<dyn Draft>> {
        let key = self.bucket.key(output)?;
        Ok(Box::new(Upload::new(self.bucket.clone(), key)))
    }

    fn holds(&self, output: &FilePath) -> bool {
        let key = self.bucket.key(output);
        key.is_ok_and(|key| self.there.contains(key.as_ref()))
    }
}

/// An object by itself.
pub(super) fn job(path: &FilePath, found: &ObjectMeta) -> Job {
    Job {
        input: path.to_owned(),
        name: found.location.filename().unwrap_or_default().into(),
        stamp: Some(stamp(found)),
    }
}
