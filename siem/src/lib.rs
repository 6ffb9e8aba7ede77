//! Sealed fields of log records, opened in bulk: records in, the same records out with what was
//! sealed in them beside it.
//!
//! - [`batch`] knows only texts: base64 in, an [`Outcome`] for each out. It is for engines that
//!   have their own rows and columns.
//! - [`Pipeline`] goes from a reader to a writer: bytes, from [`input`] if they are compressed ->
//!   [`frame`] (where each record is) -> [`json`] (where the sealed fields are in it) -> [`batch`]
//!   -> [`splice`] (the same bytes with new ones between them). A row of a table is taken cell by
//!   cell; Parquet (feature `parquet`) column by column, from a file.
//! - [`files`] does so for files and folders, and goes on after an interruption.
//!
//! A record leaves as it came but for what is added: nothing is parsed and printed again. Order is
//! kept, one record in is one out, and memory is bounded whatever the input's size:
//! [`frame::Limits`]. No function here knows arguments or terminals.

#![forbid(unsafe_code)]

pub mod batch;
mod csv;
pub mod dead_letter;
pub mod files;
mod find;
mod formula;
pub mod frame;
pub mod generate;
pub mod input;
pub mod json;
mod layout;
mod looks;
#[cfg(feature = "parquet")]
mod parquet;
mod path;
pub mod pipeline;
pub mod rules;
pub mod seal;
mod shape;
pub mod splice;
pub mod stats;
pub mod temporary;
pub mod warning;

pub use batch::{Failure, Opener, Outcome, Record, Transform};
pub use path::{Path, PathError};
pub use pipeline::Pipeline;
pub use rules::{Form, Mode, Preset, Rule, Rules};
pub use seal::Sealer;
pub use stats::Stats;
pub use warning::Warning;

/// The examples of the README are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
