//! The common code of the programs in `src/bin`. It has no API and may change with them.
//!
//! A command of `pqseal` passes: arguments ([`args`]) -> [`cmd`] -> bytes from a
//! [`Source`](input::Source) -> calls into the libraries -> bytes to a [`Target`](output::Target).
//! [`error`] turns errors into sentences. No cryptography is done here.

#![forbid(unsafe_code)]
#![doc(hidden)]

#[cfg(feature = "file")]
pub mod age_plugin;
pub mod args;
pub mod binding;
pub mod blobs;
pub mod calendar;
pub mod cmd;
pub mod doctor;
#[cfg(feature = "edge")]
pub mod edge;
pub mod error;
#[cfg(feature = "file")]
pub mod file;
pub mod form;
pub mod input;
pub mod keyfile;
pub mod keyring;
pub mod kind;
pub mod matched_data_cli;
pub mod message;
pub mod output;
pub mod parse;
pub mod passphrase;
pub mod places;
pub mod process;
pub mod recipient;
pub mod record;
pub mod signals;
pub mod suite;

pub use pqseal_text::{date, escape};

/// musl's own allocator maps and unmaps some pages again and again, which takes a large part of a
/// short run.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;
