//! Sealed values in the fields of log records, other than matched data: their detection, their
//! description without a key, and their opening.
//!
//! ```
//! use pqseal_matched_data::KeyRing;
//! use pqseal_sealed::{Keys, describe, objects};
//!
//! let mut ring = KeyRing::new();
//! ring.add(&pqseal_keys::read_private("U7YkRU1hdwooQ++xwnKQDLUuzDSPYMmZFloWSBUXSYg=", None)?)?;
//! let keys = Keys::new(&ring)?;
//!
//! let record = br#"{"tool":"search","input":{"v":"1","alg":"hpke-x25519-hkdf-sha256-aes-256-gcm",
//!     "recipients":[{"kid":"k1","enc":"ySU77VYF9AnoC0Fu_C1grweNTI0xTPNO14P8ATGP4h4"}],
//!     "ct":"e23uqtqrpxXJCATMX0HSwuVakTEZjxStPicAAWwIMH_cH3TC13LDPF1uTNk"}}"#;
//! for (path, value) in objects(record)? {
//!     let description = describe(value)?.ok_or("in the clear")?; // needs no key
//!     let opened = keys.open(description.kind, value)?.ok_or("in the clear")?;
//!     assert_eq!(path, ".input");
//!     assert!(opened.plaintext.starts_with(b"{"));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | I want to ... | use |
//! |---|---|
//! | find the sealed objects of a record | [`objects`] |
//! | learn what a value is | [`Kind::detect`] |
//! | see what needs no key | [`describe`] |
//! | open a value | [`Keys::open`] |
//! | read key files, also with RSA keys and age identities | [`OtherKey::read_all`] |
//! | unwrap the keys of AI Gateway without AWS-LC, such as by WebCrypto | [`AiGatewayObject`] |
//! | open the fields of log records | crate `pqseal-pipeline` |
//!
//! | kind | value | keys | bound to its record |
//! |---|---|---|---|
//! | [`Kind::AiGateway`] | RSA-OAEP (SHA-256) around AES-256-GCM | RSA, with the feature `aws-lc` | no |
//! | [`Kind::AgentReceipt`] | HPKE in base mode, with empty info and aad | X25519 | no |
//! | [`Kind::Jwe`] | JWE in compact serialization, by JOSE-HPKE | any with an algorithm of it | no |
//! | [`Kind::Age`] | an age file in armor | any but RSA; age identities | no |
//!
//! [`Kind::MatchedData`] only names matched data, which `pqseal-matched-data` opens.
//!
//! No function prints, reads a file or panics on input, and no parser allocates by a length that it
//! has not checked.

#![forbid(unsafe_code)]

mod age;
mod ai_gateway;
mod error;
mod jwe;
mod keys;
mod kind;
mod other_key;
mod receipt;

pub use ai_gateway::AiGatewayObject;
pub use error::Error;
pub use keys::Keys;
pub use kind::{Description, Kind, describe, objects};
pub use other_key::OtherKey;

/// The README, whose examples run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
