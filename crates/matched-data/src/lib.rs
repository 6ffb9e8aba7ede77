//! Matched data: the part of a request that matched a web firewall's rule, sealed at the edge to
//! the customer's public key.
//!
//! ```
//! use pqseal_keys::read_private;
//! use pqseal_matched_data::{KeyRing, OpenOptions};
//!
//! let mut ring = KeyRing::new();
//! ring.add(&read_private(include_str!("../../../examples/matched-data/key.txt"), None)?)?;
//! let blob = include_str!("../../../examples/matched-data/blob.txt");
//! let opened = ring.open_texts([blob], &OpenOptions::default()).remove(0)?;
//! assert!(opened.plaintext.starts_with(b"{\"http.request.version\""));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | I want to ... | use |
//! |---|---|
//! | open many blobs, with many keys | [`KeyRing::open_texts`] |
//! | open a blob that is parsed | [`Blob::parse`], [`KeyRing::open`] |
//! | seal | [`Sealer`] with [`SealOptions`] |
//! | see what needs no key | [`Blob::describe`] |
//! | learn why a blob does not open | [`diagnosis`] |
//! | open with one key, without a ring | [`OpenerV1to3`], [`OpenerV4`] |
//! | open the fields of log records | crate `pqseal-pipeline` |
//!
//! | version | bytes, before base64 | suite | HPKE | also authenticated | written by |
//! |---|---|---|---|---|---|
//! | 1 | `version, enc (32), length u64 LE, ciphertext, tag (16)` | X25519 [^fixed] | draft 05, label `HPKE-05 ` | nothing | matched-data-cli 0.1 |
//! | 2 | the same | X25519 | draft 06, label `HPKE-06` [^07] | nothing | matched-data-cli 0.2, 0.3 |
//! | 3 | the same | X25519 | RFC 9180, label `HPKE-v1` | nothing | matched-data-cli 0.3 to 0.6, the edge today; [`Sealer`] |
//! | 4 | `version, kem, kdf, aead u16 BE, key id (8), enc (Nenc), ciphertext, tag (16)` | any, named by its ids | RFC 9180 and its successor, label `HPKE-v1` | the 15 bytes before enc, the application's info and aad | [`Sealer`] |
//!
//! [^fixed]: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20Poly1305.
//! [^07]: Some releases of its HPKE library used `HPKE-07`; both are tried.
//!
//! All versions seal one message in base mode. Versions 1 to 3 ([`Frame`]) have empty info and aad.
//! Their version and length fields are not authenticated directly: another version derives another
//! key, and another length moves the tag. Versions 1 and 2 are opened for archives and never
//! sealed.
//!
//! Version 4 ([`FrameV4`]) has `info = "pqseal matched-data v4" || 0x00 || application info` and
//! `aad = header || application aad`.
//!
//! # Why version 4
//! - Version 3 has one suite, which a quantum computer could break. Version 4 supports every suite,
//!   and names it.
//! - Version 3 does not name its key, so each key is tried in turn. Version 4 has a key id: that
//!   key is used, or reported as missing.
//! - A version 3 blob can be moved into another record. In version 4 the application's aad, such as
//!   an event's id, prevents that.
//! - A version 3 blob is valid in every application. In version 4 info separates applications, and
//!   the label separates it from all other uses of a key.
//!
//! No version authenticates the sender: anyone with the public key can seal. The length of the
//! plaintext is visible in each.
//!
//! The default suite and its reasons: [`DEFAULT_SUITE`](pqseal_keys::DEFAULT_SUITE).
//!
//! No function here prints, reads a file or panics on input.

#![forbid(unsafe_code)]

mod blob;
mod description;
pub mod diagnosis;
mod drafts;
mod error;
mod frame;
mod key_ring;
mod sealer;
mod v4;
mod version;

pub use blob::{Blob, OpenerV1to3, TRUNCATED};
pub use description::Description;
pub use error::Error;
pub use frame::{Frame, Trailing};
pub use key_ring::{KeyName, KeyRing, OpenOptions, Opened, SealedRecord, SealedText};
pub use pqseal_hpke as hpke;
pub use pqseal_keys as keys;
pub use sealer::{SealOptions, Sealer};
pub use v4::{FrameV4, HeaderV4, OpenerV4};
pub use version::Version;

/// The README, whose examples run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
