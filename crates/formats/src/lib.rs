//! Formats that carry HPKE: JSON Web Encryption (JOSE-HPKE), COSE (COSE-HPKE) and Oblivious HTTP,
//! with the post-quantum suites.
//!
//! A format is a Cargo feature and a module:
//!
//! | feature | module | document |
//! |---|---|---|
//! | `cose`, on by default | [`cose`] | draft-ietf-cose-hpke, RFC 9052, RFC 9053 |
//! | `cose-key`, in `cose` | [`cose_key`] | RFC 9052, RFC 9053, RFC 9964 |
//! | `jwe`, on by default | [`jwe`] | draft-ietf-jose-hpke-encrypt, draft-ietf-jose-hpke-pq-pqt, RFC 7516 |
//! | `ohttp`, on by default | [`ohttp`] | RFC 9458, draft-ietf-ohai-chunked-ohttp |
//!
//! [`ALGORITHMS`] lists the algorithms of JWE and COSE; [`PublicKey`] and [`PrivateKey`] are keys
//! with the id and algorithm from their files. No function prints, reads a file or panics on input,
//! and no parser allocates by a length that it has not checked.
//!
//! Further Cargo features: `x448` adds HPKE-5 and HPKE-6; `aws-lc` computes curves and AES-GCM with
//! AWS-LC (see pqseal-hpke).

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "cose", feature = "jwe")), allow(dead_code))]

#[cfg(any(feature = "cose", feature = "jwe"))]
mod content;
#[cfg(feature = "cose")]
pub mod cose;
#[cfg(feature = "cose-key")]
pub mod cose_key;
mod error;
#[cfg(feature = "jwe")]
pub mod jwe;
mod keys;
#[cfg(feature = "ohttp")]
pub mod ohttp;
#[cfg(any(feature = "cose", feature = "jwe"))]
mod opener;
#[cfg(any(feature = "cose", feature = "jwe", feature = "ohttp"))]
mod plaintext;

pub use error::Error;
pub use keys::{PrivateKey, PublicKey};
#[cfg(any(feature = "cose", feature = "jwe"))]
pub use opener::Opener;
#[cfg(any(feature = "cose", feature = "jwe", feature = "ohttp"))]
pub use plaintext::Plaintext;
pub use pqseal_hpke as hpke;
pub use pqseal_keys::{ALGORITHMS, Algorithm, AlgorithmUnavailable, KeyManagement, algorithm};

/// The README, whose examples run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
