//! A value that SIGHUP replaces, such as rules or certificates.

use std::sync::{Arc, PoisonError, RwLock};

/// A value that SIGHUP replaces.
pub struct Current<T>(RwLock<Arc<T>>);

impl<T> From<Arc<T>> for Current<T> {
    fn from(value: Arc<T>) -> Self {
        Self(RwLock::new(value))
    }
}

impl<T> Current<T> {
    /// Returns the value as it is now.
    pub fn get(&self) -> Arc<T> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the value. Its earlier users keep what they have.
    pub fn set(&self, value: Arc<T>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = value;
    }
}
