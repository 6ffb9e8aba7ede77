//! Values that SIGHUP replaces: the rules, and what events are sealed to.

use std::sync::{Arc, PoisonError, RwLock};

/// A value that SIGHUP replaces.
pub(super) struct Current<T>(RwLock<Arc<T>>);

impl<T> From<Arc<T>> for Current<T> {
    fn from(value: Arc<T>) -> Self {
        Self(RwLock::new(value))
    }
}

impl<T> Current<T> {
    pub(super) fn get(&self) -> Arc<T> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn set(&self, value: Arc<T>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = value;
    }
}
