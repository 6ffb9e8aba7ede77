//! The formats around HPKE: matched data, keys as text, key ids.
//!
//! A sealed blob (its formats: [`matched_data`]) is opened by [`Blob::decode`], [`Blob::parse`] and
//! [`KeyRing::open`], and made by [`Sealer::seal`]. [`Opener`] and [`OpenerV4`] open with one key.
//! Key files are read by [`keys::read_private`]. No function here prints, reads a file or panics on
//! input.

#![forbid(unsafe_code)]

mod backend;
pub mod base64;
#[cfg(feature = "decap-command")]
pub mod decap_command;
pub mod diagnosis;
mod error;
mod fingerprint;
mod kems;
mod key_ring;
pub mod keys;
pub mod matched_data;
mod self_test;
mod suites;
mod version;

pub use backend::{BackendError, BackendUse, backends, choose_backend, on_each_backend};
pub use error::{ALTERED, BAD_ARGUMENT, Error, KEY_UNAVAILABLE, hpke_code};
pub use fingerprint::{Fingerprint, KeyId};
pub use hpke;
/// The random number generator of the operating system, for every function here that takes one.
#[cfg(feature = "getrandom")]
pub use hpke::SysRng;
pub use kem_pq::Backend;
pub use kems::{
    KEMS, REFUSED_KEMS, RefusedKem, caution, kem_by_id, kem_by_name, kems, refused_kem_by_id,
    refused_kem_by_name,
};
pub use key_ring::{KeyName, KeyRing, OpenOptions, Opened, SealedRecord};
#[doc(inline)]
pub use matched_data::{
    Blob, Description, Frame, FrameV4, HeaderV4, Opener, OpenerV4, SealOptions, Sealer, TRUNCATED,
    Trailing,
};
pub use self_test::{KnownAnswer, self_test};
pub use suites::{DEFAULT_SUITE, aead_by_name, kdf_by_name, suite_status};
pub use version::Version;

/// The README, whose examples run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
