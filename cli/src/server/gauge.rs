//! How many of something there are now.

use std::sync::atomic::{AtomicI64, Ordering};

/// A number that goes up and down.
#[derive(Default)]
pub(crate) struct Gauge(AtomicI64);

/// One more, until this is dropped.
pub(crate) struct Counting<'a>(&'a Gauge);

impl Gauge {
    pub(crate) fn enter(&self) -> Counting<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counting(self)
    }

    pub(crate) fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
