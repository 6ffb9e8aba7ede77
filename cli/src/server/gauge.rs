//! Gauges: the current number of something.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// A number that goes up and down.
#[derive(Default)]
pub(crate) struct Gauge(Arc<AtomicI64>);

/// A count of one, until this is dropped.
pub(crate) struct Counting(Arc<AtomicI64>);

impl Gauge {
    pub(crate) fn enter(&self) -> Counting {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counting(Arc::clone(&self.0))
    }

    pub(crate) fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
