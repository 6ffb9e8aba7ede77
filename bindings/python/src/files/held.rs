//! A mutex that detects a second lock by the same thread.

use std::{
    ptr,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use pyo3::{exceptions::PyRuntimeError, prelude::*};

/// A value that only one call uses at a time. Calls from other threads wait. A reentrant call, from
/// a method of the file object or from a signal handler, is refused, since it would deadlock.
pub(super) struct Held<T> {
    value: Mutex<T>,
    /// The thread that holds the value, or 0.
    by: AtomicUsize,
}

impl<T> Held<T> {
    pub(super) const fn new(value: T) -> Self {
        Self {
            value: Mutex::new(value),
            by: AtomicUsize::new(0),
        }
    }

    /// Uses the value. The interpreter's lock must not be held, since file objects acquire it
    /// meanwhile.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut T) -> PyResult<R>) -> PyResult<R> {
        let me = thread();
        if self.by.load(Ordering::Relaxed) == me {
            return Err(PyRuntimeError::new_err(
                "reentrant call: this file object is at work in the same thread",
            ));
        }
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        self.by.store(me, Ordering::Relaxed);
        let _release = Release(&self.by);
        work(&mut value)
    }
}

struct Release<'a>(&'a AtomicUsize);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// Returns a number that is unique among living threads.
fn thread() -> usize {
    thread_local!(static MARK: u8 = const { 0 });
    MARK.with(|mark| ptr::from_ref(mark).addr())
}
