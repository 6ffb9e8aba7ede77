//! A seal for the traits that only this crate implements, so that they can get methods without
//! a major release.

/// A supertrait that no other crate can name.
pub trait Sealed {}
