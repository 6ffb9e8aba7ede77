//! The schemas of encrypted files: the age test kit, and Cobblestone.

use crate::{Verdict, hex_bytes};
use serde::{Deserialize, Serialize};

/// The expected outcome of a case of the age test kit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum AgeExpect {
    /// The file opens.
    #[serde(rename = "success")]
    Success,
    /// No identity matches a stanza.
    #[serde(rename = "no match")]
    NoMatch,
    /// The header's MAC is wrong.
    #[serde(rename = "HMAC failure")]
    Hmac,
    /// The header is not valid.
    #[serde(rename = "header failure")]
    Header,
    /// The armor is not valid.
    #[serde(rename = "armor failure")]
    Armor,
    /// The payload is not valid.
    #[serde(rename = "payload failure")]
    Payload,
}

/// One case of the age test kit.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AgeVector {
    /// The file's name in the kit.
    pub name: String,
    /// The subject of the test, if the kit has one.
    pub comment: String,
    /// The expected outcome.
    pub expect: AgeExpect,
    /// SHA-256 of the plaintext, in hex; if the payload fails, of its valid beginning.
    pub payload_sha256: Option<String>,
    /// The file key.
    #[serde(with = "hex_bytes")]
    pub file_key: Vec<u8>,
    /// The identities to open it with.
    pub identities: Vec<String>,
    /// The passphrases to open it with.
    pub passphrases: Vec<String>,
    /// Set if the file is armored.
    pub armored: bool,
    /// Set if `file` is compressed by zlib.
    pub compressed: bool,
    /// The encrypted file.
    #[serde(with = "hex_bytes")]
    pub file: Vec<u8>,
}

/// One message of C2SP chunked encryption.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CobblestoneVector {
    /// The number in the source file (`tcId`).
    pub id: u32,
    /// The subject of the test.
    pub comment: String,
    /// Wycheproof's flags.
    pub flags: Vec<String>,
    /// The input key, which may have a length that must be refused.
    #[serde(with = "hex_bytes")]
    pub key: Vec<u8>,
    /// The context (`ctx`).
    #[serde(with = "hex_bytes")]
    pub context: Vec<u8>,
    /// Salt, commitment and chunks, compressed by zlib.
    #[serde(with = "hex_bytes")]
    pub ct: Vec<u8>,
    /// The AEAD key of the raw mode; not for header failures.
    #[serde(default, with = "hex_bytes::option")]
    pub aead_key: Option<Vec<u8>>,
    /// The base nonce of the raw mode; not for header failures.
    #[serde(default, with = "hex_bytes::option")]
    pub base_nonce: Option<Vec<u8>>,
    /// The length of the message, or of its valid beginning.
    pub message_length: Option<u64>,
    /// SHA-512 of the message, or of its valid beginning, in hex.
    pub message_sha512: Option<String>,
    /// The expected result.
    pub result: Verdict,
}
