//! Objects in S3, Google Cloud Storage and Azure Blob Storage as the files of a pipeline.
//!
//! | module | does |
//! |---|---|
//! | `bucket` | connects to a bucket with settings of the environment; names objects |
//! | `objects` | the inputs and outputs, as tasks use them |
//! | `list` | lists the objects below a key |
//! | `read` | an object in ranges, the next one while one is used |
//! | `write` | an object in parts, published at the end |
//! | `journal` | the state of a run, in small objects that are added |
//! | `failure` | describes a store's failure |
//!
//! The rest of a run does not know stores: they are the [`pqseal_pipeline::files::Store`] of its
//! tasks. Requests run on a separate runtime, so that the threads that open records only wait for
//! results. Credentials, endpoints and regions come from the environment. Error texts advise in the
//! terms of `pqseal logs`.

#![forbid(unsafe_code)]

mod bucket;
mod failure;
mod journal;
mod list;
mod objects;
mod read;
mod write;

use std::{
    collections::BTreeMap,
    io,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use pqseal_pipeline::files::{
    Address, Job, Journal, Plan, Selection, Store, StoreError, StoreFailure, StoreKind,
};
use tokio::runtime::{self, Runtime};

use bucket::Bucket;
use objects::Objects;

/// The stores of a run.
pub struct Stores {
    /// The time for which a request is retried.
    retry: Duration,
    warn: fn(&str),
    connected: Mutex<Connected>,
}

struct Connected {
    buckets: BTreeMap<(StoreKind, String), Arc<Bucket>>,
    /// Dropped last, since buckets use it.
    runtime: Option<Arc<Runtime>>,
}

impl Stores {
    /// Creates an empty set of stores. Requests are retried for `retry` after a temporary failure.
    /// `warn` receives warnings about the state of a run.
    pub const fn new(retry: Duration, warn: fn(&str)) -> Self {
        Self {
            retry,
            warn,
            connected: Mutex::new(Connected {
                buckets: BTreeMap::new(),
                runtime: None,
            }),
        }
    }

    /// Returns the object at `path`, if that is an address.
    pub fn object(&self, path: &Path) -> Option<io::Result<Job>> {
        let address = Address::of(path)?;
        let found = self.bucket(&address).and_then(|bucket| bucket.found(path));
        Some(found.map(|found| objects::job(path, &found)))
    }

    /// Lists the objects at and below `path`, if that is an address.
    pub fn plan(&self, path: &Path, selection: &Selection) -> Option<Plan> {
        let address = Address::of(path)?;
        let mut plan = Plan::default();
        let listed = self
            .bucket(&address)
            .and_then(|bucket| list::list(&bucket, path, &address, selection, &mut plan));
        if let Err(error) = listed {
            let error = pqseal_pipeline::files::Error::List(error);
            plan.failed.push((path.to_owned(), error));
        }
        Some(plan)
    }

    /// Returns the store of the objects at and below `path`, if that is an address.
    pub fn input(&self, path: &Path) -> Option<Arc<dyn Store>> {
        let address = Address::of(path)?;
        // It was already connected to for listing.
        Some(Objects::inputs(self.bucket(&address).ok()?))
    }

    /// Returns the store that writes the object at `path`, or those below it, if that is an
    /// address.
    ///
    /// # Errors
    /// If the bucket cannot be listed.
    pub fn output(&self, path: &Path) -> io::Result<Option<Arc<dyn Store>>> {
        let Some(address) = Address::of(path) else {
            return Ok(None);
        };
        Objects::outputs(self.bucket(&address)?, &address).map(Some)
    }

    /// Returns the record of finished objects below `folder`, if that is an address.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn journal(&self, folder: &Path) -> io::Result<Option<Box<dyn Journal>>> {
        let Some(address) = Address::of(folder) else {
            return Ok(None);
        };
        let journal = journal::StoredJournal::open(self.bucket(&address)?, folder, self.warn)?;
        Ok(Some(Box::new(journal)))
    }

    fn bucket(&self, address: &Address<'_>) -> io::Result<Arc<Bucket>> {
        let mut connected = self
            .connected
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let name = (address.kind, address.bucket.to_owned());
        if let Some(bucket) = connected.buckets.get(&name) {
            return Ok(bucket.clone());
        }
        let runtime = match &connected.runtime {
            Some(runtime) => runtime.clone(),
            None => connected.runtime.insert(Arc::new(start()?)).clone(),
        };
        let bucket = Arc::new(Bucket::connect(address, self.retry, runtime)?);
        connected.buckets.insert(name, bucket.clone());
        Ok(bucket)
    }
}

/// Starts a runtime of two threads, because encryption and signatures of requests need processor
/// time.
fn start() -> io::Result<Runtime> {
    runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("stores")
        .enable_all()
        .build()
}

/// Makes the error for a failure outside of any request.
fn other(message: impl Into<String>) -> io::Error {
    StoreError {
        kind: StoreFailure::Other,
        message: message.into(),
    }
    .into()
}
