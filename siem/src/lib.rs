//! Sealed fields of log records, opened in bulk.
//!
//! [`batch`] knows texts alone: base64 in, an [`Outcome`] for each out. It is for engines that have their own rows and columns.

#![forbid(unsafe_code)]

pub mod batch;

pub use batch::{Failure, Opener, Outcome, Record};
