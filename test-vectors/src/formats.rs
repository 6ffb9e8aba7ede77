//! The schemas of the formats that carry HPKE (matched data, JOSE, COSE and MLS) and of encrypted
//! files (the age test kit and Cobblestone).

use crate::{Verdict, hex_bytes};
use serde::{Deserialize, Serialize};
use serde_json::Value;

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

/// One algorithm of JOSE-HPKE: a key and two messages to it, of one plaintext.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct JoseVector {
    /// The JWE algorithm.
    pub alg: String,
    /// The private key, a JWK.
    pub jwk: Value,
    /// A message in the Flattened JSON Serialization, with an `aad`.
    pub flattened: Value,
    /// A message in the Compact Serialization.
    pub compact: String,
}

/// One message of COSE-HPKE. The external inputs that some messages have are the same for all; they
/// are in the draft's appendix.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CoseVector {
    /// The COSE algorithm's name.
    pub alg: String,
    /// The private key, a COSE_Key.
    #[serde(with = "hex_bytes")]
    pub key: Vec<u8>,
    /// Set if the message is in mode_psk.
    pub psk: bool,
    /// Set if there is an external_aad.
    pub aad: bool,
    /// Set if there is an info, or recipient_extra_info.
    pub info: bool,
    /// Set if there is an HPKE aad (only with Key Encryption).
    pub hpke_aad: bool,
    /// The tagged COSE_Encrypt0 or COSE_Encrypt.
    #[serde(with = "hex_bytes")]
    pub message: Vec<u8>,
}

/// One disclosure envelope of an agent receipt. Its `kid` does not name its key.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiptVector {
    /// The name at the source.
    pub name: String,
    /// The envelope.
    pub envelope: Value,
    /// The recipient's private key.
    #[serde(with = "hex_bytes")]
    pub sk_r: Vec<u8>,
    /// The size of the plaintext.
    pub pt_len: usize,
    /// The SHA-256 of the plaintext.
    #[serde(with = "hex_bytes")]
    pub pt_sha256: Vec<u8>,
}

/// EncryptWithLabel (RFC 9420, section 5.1.3) in one cipher suite of MLS: one message to a key.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MlsVector {
    /// The cipher suite (RFC 9420, section 17.1).
    pub cipher_suite: u16,
    /// The recipient's private key.
    #[serde(with = "hex_bytes")]
    pub sk_r: Vec<u8>,
    /// The recipient's public key.
    #[serde(with = "hex_bytes")]
    pub pk_r: Vec<u8>,
    /// The label, without its prefix `MLS 1.0 `.
    pub label: String,
    /// The context, which becomes part of `info`.
    #[serde(with = "hex_bytes")]
    pub context: Vec<u8>,
    /// The plaintext.
    #[serde(with = "hex_bytes")]
    pub pt: Vec<u8>,
    /// The encapsulated key.
    #[serde(with = "hex_bytes")]
    pub enc: Vec<u8>,
    /// Ciphertext and tag.
    #[serde(with = "hex_bytes")]
    pub ct: Vec<u8>,
}

impl MlsVector {
    /// Builds HPKE's `info`, which is EncryptContext: `MLS 1.0 ` and the label, then the context,
    /// each after its length.
    pub fn info(&self) -> Vec<u8> {
        let label = format!("MLS 1.0 {}", self.label).into_bytes();
        [label, self.context.clone()]
            .iter()
            .flat_map(|bytes| [length(bytes.len()), bytes.clone()].concat())
            .collect()
    }
}

/// Encodes a length as in RFC 9420, section 2.1.2: one byte below 64, otherwise two.
fn length(len: usize) -> Vec<u8> {
    match u16::try_from(len) {
        Ok(len @ 0..64) => vec![len.to_be_bytes()[1]],
        Ok(len @ 64..0x4000) => (0x4000 | len).to_be_bytes().to_vec(),
        _ => panic!("{len} bytes are longer than any vector of MLS"),
    }
}

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
