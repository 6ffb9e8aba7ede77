//! The sealed fields of log records, without files, threads and cryptography: where records begin,
//! which bytes of them are sealed, and how their values are written.
//!
//! `pqseal-pipeline` reads inputs, opens or seals what is found here, and writes the same records
//! with the results.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod answer;
pub mod csv;
pub mod detect;
pub mod find;
pub mod finder;
pub mod formula;
pub mod json;
pub mod layout;
pub mod looks;
mod path;
pub mod rules;
pub mod splice;
pub mod split;
pub mod table;

pub use answer::{Answer, AsAnswer, Problem};
pub use find::{Done, Field, Found};
pub use finder::Finder;
pub use layout::{ColumnKind, TableError};
pub use path::{FieldPath, PathError, PathProblem, Segment};
pub use rules::{JsonValues, OnField, Preset, ResultFormat, Rule, Rules, Selector, audit_log};
pub use split::{Framing, Splitter};
