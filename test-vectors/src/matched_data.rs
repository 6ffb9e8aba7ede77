//! The schema of matched-data blobs.

use crate::hex_bytes;
use serde::{Deserialize, Serialize};

/// One blob as it stands in a log. Keys and blob stay the base64 text that a user has; what they
/// decode to is what is under test.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MatchedData {
    /// A name for messages.
    pub name: String,
    /// The format version, the blob's first byte.
    pub version: u8,
    /// base64 of the private key.
    pub private_key: String,
    /// base64 of the public key.
    pub public_key: String,
    /// base64 of the blob.
    pub blob: String,
    /// What the blob opens to, not always UTF-8.
    #[serde(rename = "plaintext_hex", with = "hex_bytes")]
    pub plaintext: Vec<u8>,
    /// Where the blob was published, or what made it.
    pub origin: String,
}
