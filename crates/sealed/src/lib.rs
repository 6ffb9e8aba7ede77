//! Sealed values of other vendors in the fields of log records: their detection, their description
//! without a key, and their opening.
//!
//! | kind | value | keys | bound to its record |
//! |---|---|---|---|
//! | [`Kind::AiGateway`] | RSA-OAEP (SHA-256) around AES-256-GCM | RSA, with the feature `aws-lc` | no |
//! | [`Kind::AgentReceipt`] | HPKE in base mode, with empty info and aad | X25519 | no |
//!
//! [`Kind::MatchedData`] only names matched data, which `pqseal-matched-data` opens.
//!
//! No function prints, reads a file or panics on input, and no parser allocates by a length that it
//! has not checked.

#![forbid(unsafe_code)]

mod ai_gateway;
mod description;
mod error;
mod keys;
mod kind;
mod receipt;

pub use description::{Description, describe};
pub use error::Error;
pub use keys::Keys;
pub use kind::{Kind, objects};

/// The README, whose examples run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
