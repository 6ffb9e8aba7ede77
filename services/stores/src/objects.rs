//! The objects of a bucket in place of files.

use std::{collections::HashSet, io, path::Path as FilePath, sync::Arc};

use object_store::{ObjectMeta, path::Path};
use pqseal_pipeline::files::{Draft, Job, Object, Store};

use crate::{
    bucket::{Bucket, stamp},
    other,
    read::Remote,
    write::Upload,
};
use pqseal_pipeline::files::Address;

/// A bucket whose objects are read and written, and the names of existing outputs.
#[derive(Debug)]
pub(crate) struct Objects {
    bucket: Arc<Bucket>,
    there: HashSet<String>,
}

impl Objects {
    /// Creates the store of inputs.
    pub(crate) fn inputs(bucket: Arc<Bucket>) -> Arc<dyn Store> {
        let there = HashSet::new();
        Arc::new(Self { bucket, there })
    }

    /// Creates the store of outputs at or below an address.
    pub(crate) fn outputs(
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

/// Makes the job of a single object.
pub(crate) fn job(path: &FilePath, found: &ObjectMeta) -> Job {
    Job {
        input: path.to_owned(),
        name: found.location.filename().unwrap_or_default().into(),
        stamp: Some(stamp(found)),
    }
}
