//! The schema of HPKE vectors, modelled on the file of RFC 9180, with its names in snake case:
//! `ikmE` is `ikm_e`, `skRm` is `sk_r`.

use crate::hex_bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// One key schedule and its results. A field is `None` if the source lacks it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HpkeVector {
    /// The subject of the vector, if the source has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The mode: 0 base, 1 psk, 2 auth, 3 auth_psk.
    pub mode: u8,
    /// The KEM identifier.
    pub kem_id: u16,
    /// The KDF identifier.
    pub kdf_id: u16,
    /// The AEAD identifier, 0xFFFF for export-only.
    pub aead_id: u16,
    /// The application's `info`.
    #[serde(with = "hex_bytes")]
    pub info: Vec<u8>,
    /// The input of the recipient's `DeriveKeyPair`.
    #[serde(with = "hex_bytes")]
    pub ikm_r: Vec<u8>,
    /// The input of the ephemeral `DeriveKeyPair`; for ML-KEM and the hybrids the randomness of
    /// `Encap`.
    #[serde(with = "hex_bytes")]
    pub ikm_e: Vec<u8>,
    /// The input of the sender's `DeriveKeyPair`, in the auth modes.
    #[serde(
        default,
        with = "hex_bytes::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub ikm_s: Option<Vec<u8>>,
    /// The first candidate of `DeriveKeyPair(ikm_r)`, which is not below the group order and must
    /// be refused.
    #[serde(
        default,
        with = "hex_bytes::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub rejected_candidate: Option<Vec<u8>>,
    /// The recipient's private key, serialised.
    #[serde(with = "hex_bytes")]
    pub sk_r: Vec<u8>,
    /// The ephemeral private key.
    #[serde(
        default,
        with = "hex_bytes::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub sk_e: Option<Vec<u8>>,
    /// The sender's private key, in the auth modes.
    #[serde(
        default,
        with = "hex_bytes::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub sk_s: Option<Vec<u8>>,
    /// The recipient's public key, serialised.
    #[serde(with = "hex_bytes")]
    pub pk_r: Vec<u8>,
    /// The ephemeral public key.
    #[serde(
        default,
        with = "hex_bytes::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub pk_e: Option<Vec<u8>>,
    /// The sender's public key, in the auth modes.
    #[serde(
        default,
        with = "hex_bytes::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub pk_s: Option<Vec<u8>>,
    /// The pre-shared key, in the psk modes.
    #[serde(
        default,
        with = "hex_bytes::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub psk: Option<Vec<u8>>,
    /// The identifier of the pre-shared key, in the psk modes.
    #[serde(
        default,
        with = "hex_bytes::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub psk_id: Option<Vec<u8>>,
    /// The encapsulated key.
    #[serde(with = "hex_bytes")]
    pub enc: Vec<u8>,
    /// The KEM's output to the key schedule.
    #[serde(with = "hex_bytes")]
    pub shared_secret: Vec<u8>,
    /// The context `mode || psk_id_hash || info_hash`.
    #[serde(
        default,
        with = "hex_bytes::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub key_schedule_context: Option<Vec<u8>>,
    /// The extracted secret of the key schedule.
    #[serde(
        default,
        with = "hex_bytes::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub secret: Option<Vec<u8>>,
    /// The AEAD key; empty for export-only.
    #[serde(with = "hex_bytes")]
    pub key: Vec<u8>,
    /// The AEAD nonce of sequence number 0; empty for export-only.
    #[serde(with = "hex_bytes")]
    pub base_nonce: Vec<u8>,
    /// The secret that exports derive from.
    #[serde(with = "hex_bytes")]
    pub exporter_secret: Vec<u8>,
    /// The number of encryptions in the source, all covered by [`Self::encryptions_sha256`].
    pub encryption_count: u32,
    /// The [`Digest`](crate::Digest) of all encryptions. If the source has more than are kept here,
    /// the others have the `pt` of the first, the `aad` of [`count_aad`] and the nonce of
    /// [`Self::nonce`]; the importer checks it.
    #[serde(with = "hex_bytes")]
    pub encryptions_sha256: Vec<u8>,
    /// The encryptions that are kept: the first ones.
    pub encryptions: Vec<Encryption>,
    /// All exports of the source.
    pub exports: Vec<Export>,
}

impl HpkeVector {
    /// Computes the nonce of a sequence number: `base_nonce` XOR the number in big-endian.
    pub fn nonce(&self, seq: u32) -> Vec<u8> {
        let mut nonce = self.base_nonce.clone();
        for (byte, seq_byte) in nonce.iter_mut().rev().zip(seq.to_le_bytes()) {
            *byte ^= seq_byte;
        }
        nonce
    }
}

/// A thousand messages and a thousand exports of a vector of RFC 9180, hashed to two values, as in
/// Go. Inputs are drawn from SHAKE128 of nothing, with a new instance for each value: a byte for
/// the length, then that number of bytes.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AccumulatedHpke {
    /// The KEM identifier. The mode is base.
    pub kem_id: u16,
    /// The KDF identifier.
    pub kdf_id: u16,
    /// The AEAD identifier, 0xFFFF for export-only.
    pub aead_id: u16,
    /// The application's `info`.
    #[serde(with = "hex_bytes")]
    pub info: Vec<u8>,
    /// The input of the ephemeral `DeriveKeyPair`.
    #[serde(with = "hex_bytes")]
    pub ikm_e: Vec<u8>,
    /// The recipient's private key, serialised.
    #[serde(with = "hex_bytes")]
    pub sk_r: Vec<u8>,
    /// The recipient's public key, serialised.
    #[serde(with = "hex_bytes")]
    pub pk_r: Vec<u8>,
    /// The encapsulated key.
    #[serde(with = "hex_bytes")]
    pub enc: Vec<u8>,
    /// SHAKE128 of all ciphertexts, cut to 16 bytes. The aad of each message is drawn before the
    /// plaintext. `None` for export-only.
    #[serde(
        default,
        with = "hex_bytes::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub encryptions: Option<Vec<u8>>,
    /// SHAKE128 of all exports, cut to 16 bytes. They have 0 to 999 bytes, and drawn contexts.
    #[serde(with = "hex_bytes")]
    pub exports: Vec<u8>,
}

/// Returns the `aad` of a sequence number in the official files: the text `Count-<seq>`.
pub fn count_aad(seq: u32) -> Vec<u8> {
    format!("Count-{seq}").into_bytes()
}

/// One sealed message.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Encryption {
    /// The sequence number.
    pub seq: u32,
    /// The associated data.
    #[serde(with = "hex_bytes")]
    pub aad: Vec<u8>,
    /// The plaintext.
    #[serde(with = "hex_bytes")]
    pub pt: Vec<u8>,
    /// The nonce passed to the AEAD.
    #[serde(with = "hex_bytes")]
    pub nonce: Vec<u8>,
    /// Ciphertext and tag.
    #[serde(with = "hex_bytes")]
    pub ct: Vec<u8>,
}

/// One exported secret.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Export {
    /// The context of the export.
    #[serde(with = "hex_bytes")]
    pub exporter_context: Vec<u8>,
    /// The number of requested bytes (`L` of the source).
    pub length: usize,
    /// The exported secret.
    #[serde(with = "hex_bytes")]
    pub exported_value: Vec<u8>,
}

/// The accumulated digest of a context's encryptions,
/// [`HpkeVector::encryptions_sha256`](crate::HpkeVector).
///
/// SHA-256 over `aad`, `pt`, `nonce` and `ct` of each encryption, in the order of the source, each
/// preceded by its length as u32 big-endian. A test regenerates the inputs, seals all of them and
/// compares one value.
#[derive(Clone, Default)]
pub struct Digest(Sha256);

impl Digest {
    /// Creates a digest of no encryptions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next encryption.
    pub fn add(&mut self, aad: &[u8], pt: &[u8], nonce: &[u8], ct: &[u8]) {
        for field in [aad, pt, nonce, ct] {
            let length =
                u32::try_from(field.len()).expect("a field of a test vector is shorter than 4 GiB");
            self.0.update(length.to_be_bytes());
            self.0.update(field);
        }
    }

    /// Returns the digest of everything added.
    pub fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// Computes SHA-256, which the sets contain instead of long values.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_sha256_of_length_prefixed_fields() {
        let mut digest = Digest::new();
        digest.add(b"a", b"", b"nn", b"c");
        assert_eq!(
            digest.finish(),
            *Sha256::digest(b"\0\0\0\x01a\0\0\0\0\0\0\0\x02nn\0\0\0\x01c")
        );
    }
}
