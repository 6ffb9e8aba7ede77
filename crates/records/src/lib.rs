//! The sealed fields of log records, without files, threads and cryptography: where records begin,
//! which bytes of them are sealed, and how their values are written.
//!
//! `pqseal-pipeline` reads inputs, opens or seals what is found here, and writes the same records
//! with the results.
//!
//! ```
//! use pqseal_records::{Answer, Finder, Preset};
//!
//! let finder = Finder::documents(&Preset::Auto.rules(), false);
//! let record = br#"{"encrypted_matched_data":"AzTY"}"#;
//! let found = finder.record(record);
//! assert_eq!(found.fields().next().unwrap().text, Ok(Some(b"AzTY".into())));
//! let mut out = Vec::new();
//! finder.write(record, &found, &[Answer::Opened(b"x")], &mut out)?;
//! assert_eq!(out, br#"{"encrypted_matched_data":"AzTY","decrypted_matched_data":"x"}"#);
//! # Ok::<(), pqseal_records::Problem>(())
//! ```
//!
//! | I want to ... | use |
//! |---|---|
//! | find sealed fields, and write results beside them | [`Finder`] |
//! | say which fields, and how results are named | [`Rules`], [`Preset`] |
//! | know what an input is | [`mod@detect`] |
//! | cut a stream into records | [`Splitter`] |
//! | read a table by its header | [`table`] |
//! | name fields of OpenTelemetry's logs and spans | [`otlp`] |
//! | write text that a spreadsheet does not run | [`formula`] |

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

/// Set if sealing, paths, tables, OpenTelemetry and results other than strings in the record are
/// compiled. Without the feature `all`, which is on by default, rules of [`Rules::anywhere`] open
/// fields of JSON documents, and no others do anything.
const ALL: bool = cfg!(feature = "all");

pub mod answer;
mod blob;
pub mod csv;
pub mod detect;
pub mod find;
pub mod finder;
pub mod formula;
pub mod json;
pub mod layout;
pub mod looks;
pub mod order;
mod path;
pub mod rules;
pub mod splice;
pub mod split;
pub mod table;

#[doc(inline)]
pub use answer::{Answer, AsAnswer, Problem};
#[doc(inline)]
pub use find::{Field, Found, RecordChanges};
#[doc(inline)]
pub use finder::Finder;
#[doc(inline)]
pub use layout::{ColumnKind, TableError};
pub use path::{FieldPath, PathError, PathProblem, Segment};
#[doc(inline)]
pub use rules::{
    JsonValues, OnField, Preset, ResultFormat, Rule, Rules, Selector, audit_log, otlp,
};
#[doc(inline)]
pub use split::{Framing, Splitter};
