//! All cores for one batch, and protection after a fork: the new process has a copy of all objects,
//! but not of the threads.

use std::{
    process,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Error;

/// The number of messages that one core processes at once, so that X25519 is computed with SIMD.
pub(crate) const CHUNK: usize = 64;
/// The number of messages from which one precomputed table of the public key is faster than one per
/// chunk, which `hpke` computes otherwise. The tables per chunk are computed on all cores, the
/// single one on one core.
pub(crate) const MANY: usize = 4 * CHUNK;

/// The process that created an object.
#[derive(Clone, Copy)]
pub(crate) struct Home(u32);

impl Home {
    /// Returns the current process.
    pub(crate) fn here() -> Self {
        Self(process::id())
    }

    /// Fails in another process, since both would seal under the same nonces.
    pub(crate) fn check(self) -> Result<(), Error> {
        match self.0 == process::id() {
            true => Ok(()),
            false => Err(Error::argument(
                "this was made in another process, which may seal under the same nonces; make a new one in this process",
            )),
        }
    }
}

/// Runs work that uses the current rayon pool. A forked process gets a separate pool, since it does
/// not have the threads of the first one.
pub(crate) fn on_all_cores<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    static FIRST: OnceLock<u32> = OnceLock::new();
    let id = process::id();
    match *FIRST.get_or_init(|| id) == id {
        true => Ok(work()),
        false => Ok(pool_of(id)?.install(work)),
    }
}

fn pool_of(id: u32) -> Result<Arc<ThreadPool>, Error> {
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, pool)) = &*pool
        && *of == id
    {
        return Ok(Arc::clone(pool));
    }
    let made = ThreadPoolBuilder::new().build();
    let made = Arc::new(made.map_err(|error| Error::argument(error.to_string()))?);
    // Dropping the pool of another process would wake threads that do not exist here.
    std::mem::forget(pool.replace((id, Arc::clone(&made))));
    Ok(made)
}
