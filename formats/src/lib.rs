//! Formats that carry HPKE: JSON Web Encryption (JOSE-HPKE), COSE (COSE-HPKE) and Oblivious HTTP,
//! with the post-quantum suites.
//!
//! A format is a Cargo feature and a module:
//!
//! | feature | module | document |
//! |---|---|---|
//! | `cose`, on by default | [`cose`] | draft-ietf-cose-hpke, RFC 9052, RFC 9053 |
//! | `jwe`, on by default | [`jwe`] | draft-ietf-jose-hpke-encrypt, draft-ietf-jose-hpke-pq-pqt, RFC 7516 |
//! | `ohttp`, on by default | [`ohttp`] | RFC 9458, draft-ietf-ohai-chunked-ohttp |
//!
//! [`ALGORITHMS`] lists what JWE and COSE can name; [`PublicKey`] and [`PrivateKey`] are keys with
//! what a key file says of their use. No function prints, reads a file or panics on input, and a
//! parser allocates nothing by a length that it has not checked.
//!
//! Further Cargo features: `x448` adds HPKE-5 and HPKE-6; `aws-lc` computes curves and AES-GCM by
//! AWS-LC (see pqseal-hpke).

#![forbid(unsafe_code)]
// Without a format only the table of algorithms is of use.
#![cfg_attr(not(any(feature = "cose", feature = "jwe")), allow(dead_code))]

mod algorithm;
#[cfg(any(feature = "cose", feature = "jwe"))]
mod content;
#[cfg(feature = "cose")]
pub mod cose;
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

pub use algorithm::{ALGORITHMS, Algorithm, KeyManagement, algorithm};
pub use envelope;
pub use error::Error;
pub use hpke;
pub use keys::{PrivateKey, PublicKey};
#[cfg(any(feature = "cose", feature = "jwe"))]
pub use opener::Opener;
#[cfg(any(feature = "cose", feature = "jwe", feature = "ohttp"))]
pub use plaintext::Plaintext;

/// The examples of the README are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
