//! The traits that only this crate implements: their methods may grow without a major release.

/// A supertrait that no other crate can name.
pub trait Sealed {}
