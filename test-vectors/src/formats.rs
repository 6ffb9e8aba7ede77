//! The schemas of the formats that carry HPKE: JOSE and COSE.

use crate::hex_bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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

/// One message of COSE-HPKE. The inputs that are external in some messages are the same in all; the
/// draft's appendix has them.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CoseVector {
    /// The COSE algorithm's name.
    pub alg: String,
    /// The private key, a COSE_Key.
    #[serde(with = "hex_bytes")]
    pub key: Vec<u8>,
    /// Whether the message is in mode_psk.
    pub psk: bool,
    /// Whether there is an external_aad.
    pub aad: bool,
    /// Whether there is an info, or recipient_extra_info.
    pub info: bool,
    /// Whether there is an HPKE aad, for Key Encryption only.
    pub hpke_aad: bool,
    /// The tagged COSE_Encrypt0 or COSE_Encrypt.
    #[serde(with = "hex_bytes")]
    pub message: Vec<u8>,
}
