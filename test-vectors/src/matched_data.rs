//! The schema of matched-data blobs.

use crate::hex_bytes;
use serde::{Deserialize, Serialize};

/// One blob as in a log. Keys and blob remain base64 text, as users have them, since decoding is
/// part of the test.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MatchedData {
    /// A name for messages.
    pub name: String,
    /// The format version, the blob's first byte.
    pub version: u8,
    /// The private key in base64.
    pub private_key: String,
    /// The public key in base64.
    pub public_key: String,
    /// The blob in base64.
    pub blob: String,
    /// The plaintext, not always UTF-8.
    #[serde(rename = "plaintext_hex", with = "hex_bytes")]
    pub plaintext: Vec<u8>,
    /// The publication or program that the blob comes from.
    pub origin: String,
}
