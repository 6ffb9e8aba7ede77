//! Bulk decryption and encryption of fields in log records. Records are read, and the same records
//! are written with the results next to the fields.
//!
//! | I want to open or seal ... | use |
//! |---|---|
//! | what a reader gives, to a writer | [`Pipeline`], with an [`Opener`] or a [`Sealer`], and [`Rules`](pqseal_records::Rules) |
//! | fields and keys as a user names them | [`RecordOpenOptions`], which gives a [`Pipeline`] |
//! | files and folders, resumed after an interruption | [`files`] |
//! | Parquet files | `parquet`, with the feature of that name |
//! | audit logs of ModSecurity and Coraza | [`audit_log`](pqseal_records::audit_log) |
//! | engines with their own records and columns | [`Opener::open_batch`], which gives an [`Outcome`] for each text, and [`Sealer`] |
//!
//! A record is passed on unchanged, with only the results added: nothing is parsed and printed
//! again. Order is kept, one input record becomes one output record, and memory is bounded for
//! inputs of any size ([`Limits`]). [`Stats`] counts each record once. No function here reads
//! arguments or uses terminals.
//!
//! The following example seals a field and opens it again:
//!
//! ```
//! use pqseal_keys::kem_by_name;
//! use pqseal_matched_data::{KeyRing, SealOptions};
//! use pqseal_pipeline::{Observer, Opener, Pipeline, Sealer, Stats};
//! use pqseal_records::{OnField, Preset, Rule, Rules};
//!
//! struct Quiet;
//!
//! impl Observer for Quiet {
//!     fn batch(&mut self, _stats: &Stats) {}
//! }
//!
//! let kem = kem_by_name("mlkem768-x25519").expect("a KEM of this crate");
//! let (private_key, public_key) = kem.derive_key_pair(&[7; 32])?;
//!
//! let seal = Rules {
//!     rules: vec![Rule {
//!         into: "encrypted_matched_data".to_owned(),
//!         ..Rule::field(".matched_data".parse()?)
//!     }],
//!     mode: OnField::Drop,
//!     ..Rules::default()
//! };
//! let sealer = Sealer::new(&public_key, &SealOptions::default())?;
//! let mut sealed = Vec::new();
//! let event = &b"{\"ray\":\"8f2a\",\"matched_data\":\"1' OR 1=1\"}\n"[..];
//! Pipeline::new(sealer, seal, 1)?.run(event, &mut sealed, "events", &mut Quiet)?;
//!
//! let mut ring = KeyRing::new();
//! ring.add(&private_key)?;
//! let open = Rules { mode: OnField::Drop, ..Preset::Auto.rules() };
//! let mut opened = Vec::new();
//! let stats = Pipeline::new(Opener::new(ring), open, 1)?
//!     .run(sealed.as_slice(), &mut opened, "events", &mut Quiet)?;
//! assert_eq!(stats.opened, 1);
//! assert_eq!(opened, b"{\"ray\":\"8f2a\",\"decrypted_matched_data\":\"1' OR 1=1\"}\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod batches;
mod ciphertext;
mod content;
mod dead_letter;
mod error;
pub mod files;
mod input;
mod open_options;
mod opener;
#[cfg(feature = "parquet")]
pub mod parquet;
mod pipeline;
mod process;
mod seal;
mod shape;
mod stats;
mod warning;

pub use batches::{Framing, Limits};
pub use error::{Error, Reason, one_line};
pub use input::{Compression, Compressor, Feature, Format, Input, InputError};
pub use open_options::{FieldSelection, OptionError, RecordOpenOptions, check_fields};
pub use opener::{Failure, FieldValue, Opener, Outcome, Transform};
pub use pipeline::{MessageResults, Observer, Pipeline};
pub use seal::{CalendarSealer, Clock, MakeSealer, Sealer};
pub use stats::Stats;
pub use warning::Warning;

/// The examples of the README, which are tested too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
