//! Formats that carry HPKE: JSON Web Encryption (JOSE-HPKE), COSE (COSE-HPKE) and Oblivious HTTP,
//! with the post-quantum suites.
//!
//! ```
//! # #[cfg(feature = "jwe")]
//! # {
//! use pqseal_formats::{PrivateKey, algorithm, hpke::SysRng, jwe};
//!
//! let alg = algorithm("HPKE-9").expect("an algorithm of the table"); // X-Wing
//! let (private, _) = alg.suite()?.generate_key_pair(&mut SysRng)?;
//! let private = PrivateKey::new(private);
//!
//! let public = private.public_key()?;
//! let sealer = jwe::Sealer::new(jwe::Recipient::new(alg, &public)?);
//! let token = sealer.seal(jwe::Serialization::Compact, b"message", &mut SysRng)?;
//! let opened = jwe::Opener::new(&[alg]).key(&private).open(&token)?;
//! assert_eq!(*opened.plaintext, b"message");
//! # }
//! # Ok::<(), pqseal_formats::Error>(())
//! ```
//!
//! | I want to ... | use |
//! |---|---|
//! | seal or open a JWE | [`jwe::Sealer`], [`jwe::Opener`] |
//! | read or write a JWK with its algorithm | [`jwe::private_key`], [`jwe::write_public`] |
//! | seal or open COSE | [`cose::Sealer`], [`cose::Opener`] |
//! | read or write a COSE_Key | [`cose_key`] |
//! | ask or answer by Oblivious HTTP | [`ohttp::Client`], [`ohttp::Gateway`] |
//! | see what needs no key | [`jwe::inspect`], [`cose::inspect`] |
//! | list the algorithms | [`ALGORITHMS`] |
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
//! [`PublicKey`] and [`PrivateKey`] are keys with the id and algorithm from their files. No function prints, reads a file or panics on input,
//! and no parser allocates by a length that it has not checked.
//!
//! Further Cargo features: `x448` adds HPKE-5 and HPKE-6; `aws-lc` computes curves and AES-GCM with
//! AWS-LC (see pqseal-hpke).

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "cose", feature = "jwe")), allow(dead_code))]

#[cfg(any(feature = "cose", feature = "jwe", feature = "ohttp"))]
mod content;
#[cfg(feature = "cose")]
pub mod cose;
#[cfg(feature = "cose-key")]
pub mod cose_key;
mod error;
#[cfg(feature = "jwe")]
pub mod jwe;
mod key;
#[cfg(feature = "ohttp")]
pub mod ohttp;
#[cfg(any(feature = "cose", feature = "jwe"))]
mod opener;

#[cfg(any(feature = "cose", feature = "jwe", feature = "ohttp"))]
pub use content::Plaintext;
pub use error::Error;
pub use key::{PrivateKey, PublicKey};
#[cfg(any(feature = "cose", feature = "jwe"))]
pub use opener::Opener;
pub use pqseal_hpke as hpke;
pub use pqseal_keys as keys;
#[doc(inline)]
pub use pqseal_keys::{ALGORITHMS, Algorithm, AlgorithmUnavailable, KeyManagement, algorithm};

/// The README, whose examples run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
