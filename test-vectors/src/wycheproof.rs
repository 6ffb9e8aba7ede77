//! The schemas of the Wycheproof sets: one per kind of primitive.

use crate::hex_bytes;
use serde::{Deserialize, Serialize};

/// The result that Wycheproof expects of an implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The operation must succeed with this result.
    Valid,
    /// The input may be refused. The flags have the reason, the header's note HPKE's requirement.
    Acceptable,
    /// The input must be refused.
    Invalid,
}

/// The curves of [`wycheproof_dh`](crate::wycheproof_dh).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Curve {
    /// X25519.
    X25519,
    /// X448.
    X448,
    /// NIST P-256, secp256r1.
    P256,
    /// NIST P-384, secp384r1.
    P384,
    /// NIST P-521, secp521r1.
    P521,
}

impl Curve {
    /// Every curve.
    pub const ALL: [Self; 5] = [Self::X25519, Self::X448, Self::P256, Self::P384, Self::P521];
}

/// The formats of [`wycheproof_key_formats`](crate::wycheproof_key_formats).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyFormat {
    /// JSON Web Key.
    Jwk,
    /// PEM of SubjectPublicKeyInfo and PKCS#8.
    Pem,
    /// Hex of the same in DER. Private keys of the P-curves are numbers of the curve's fixed
    /// length.
    Der,
}

/// The AEAD families of [`wycheproof_aead`](crate::wycheproof_aead).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cipher {
    /// AES-128-GCM and AES-256-GCM, distinguished by the length of the key.
    AesGcm,
    /// ChaCha20-Poly1305.
    ChaCha20Poly1305,
}

impl Cipher {
    /// Every family.
    pub const ALL: [Self; 2] = [Self::AesGcm, Self::ChaCha20Poly1305];
}

/// The hashes of [`wycheproof_hkdf`](crate::wycheproof_hkdf).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

impl Hash {
    /// Every hash.
    pub const ALL: [Self; 3] = [Self::Sha256, Self::Sha384, Self::Sha512];
}

/// One Diffie-Hellman computation.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DhVector {
    /// The number in the source file (`tcId`).
    pub id: u32,
    /// The subject of the test.
    pub comment: String,
    /// Wycheproof's flags.
    pub flags: Vec<String>,
    /// The peer's public key; for a P-curve SEC 1, possibly compressed or malformed.
    #[serde(with = "hex_bytes")]
    pub public: Vec<u8>,
    /// The private key; for a P-curve big-endian of the curve's fixed length.
    #[serde(with = "hex_bytes")]
    pub private: Vec<u8>,
    /// The shared secret; for a P-curve the x coordinate. Empty if `result` is invalid.
    #[serde(with = "hex_bytes")]
    pub shared: Vec<u8>,
    /// The expected result.
    pub result: Verdict,
}

/// One Diffie-Hellman computation with keys in a format.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KeyFormatVector {
    /// The curve of the private key.
    pub curve: Curve,
    /// The format of both keys.
    pub format: KeyFormat,
    /// The number in the source file (`tcId`).
    pub id: u32,
    /// The subject of the test.
    pub comment: String,
    /// Wycheproof's flags.
    pub flags: Vec<String>,
    /// The peer's public key.
    pub public: String,
    /// The private key.
    pub private: String,
    /// The shared secret. Empty if `result` is invalid.
    #[serde(with = "hex_bytes")]
    pub shared: Vec<u8>,
    /// The expected result.
    pub result: Verdict,
}

/// One authenticated encryption.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AeadVector {
    /// The number in the source file (`tcId`).
    pub id: u32,
    /// The subject of the test.
    pub comment: String,
    /// Wycheproof's flags.
    pub flags: Vec<String>,
    /// The key.
    #[serde(with = "hex_bytes")]
    pub key: Vec<u8>,
    /// The nonce (`iv`).
    #[serde(with = "hex_bytes")]
    pub nonce: Vec<u8>,
    /// The associated data.
    #[serde(with = "hex_bytes")]
    pub aad: Vec<u8>,
    /// The plaintext (`msg`).
    #[serde(with = "hex_bytes")]
    pub pt: Vec<u8>,
    /// The ciphertext without the tag.
    #[serde(with = "hex_bytes")]
    pub ct: Vec<u8>,
    /// The tag.
    #[serde(with = "hex_bytes")]
    pub tag: Vec<u8>,
    /// The expected result of opening `ct` with `tag`.
    pub result: Verdict,
}

/// One HKDF extract and expand.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HkdfVector {
    /// The number in the source file (`tcId`).
    pub id: u32,
    /// The subject of the test.
    pub comment: String,
    /// Wycheproof's flags.
    pub flags: Vec<String>,
    /// The input keying material.
    #[serde(with = "hex_bytes")]
    pub ikm: Vec<u8>,
    /// The salt.
    #[serde(with = "hex_bytes")]
    pub salt: Vec<u8>,
    /// The info.
    #[serde(with = "hex_bytes")]
    pub info: Vec<u8>,
    /// The number of requested bytes, possibly more than HKDF can give.
    pub size: usize,
    /// The output; empty if `result` is invalid.
    #[serde(with = "hex_bytes")]
    pub okm: Vec<u8>,
    /// The expected result.
    pub result: Verdict,
}
