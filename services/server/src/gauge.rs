//! Gauges: the current number of something.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// A number that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(Arc<AtomicI64>);

/// A count of one, until this is dropped.
#[derive(Debug)]
pub struct Counting(Arc<AtomicI64>);

impl Gauge {
    /// Adds one, until the result is dropped.
    pub fn enter(&self) -> Counting {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counting(Arc::clone(&self.0))
    }

    /// Returns the number.
    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
