//! The schemas of ML-KEM sets: one per operation of FIPS 203, whatever the source. X-Wing, Kyber
//! round 3 and BIKE (specification v5.1) are at the end.
//!
//! Public keys and ciphertexts that an operation returns are long, and tests only compare them. So
//! they are kept as SHA-256, [`sha256`](crate::sha256).

use crate::{Verdict, hex_bytes};
use serde::{Deserialize, Serialize};

/// A parameter set of FIPS 203.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum ParameterSet {
    /// ML-KEM-512.
    #[serde(rename = "ML-KEM-512")]
    MlKem512,
    /// ML-KEM-768.
    #[serde(rename = "ML-KEM-768")]
    MlKem768,
    /// ML-KEM-1024.
    #[serde(rename = "ML-KEM-1024")]
    MlKem1024,
}

impl ParameterSet {
    /// Every parameter set.
    pub const ALL: [Self; 3] = [Self::MlKem512, Self::MlKem768, Self::MlKem1024];
}

/// One key generation from a seed.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KeyGenVector {
    /// The parameter set.
    pub parameter_set: ParameterSet,
    /// The number in the source file (`tcId`).
    pub id: u32,
    /// The seed `d || z`.
    #[serde(with = "hex_bytes")]
    pub seed: Vec<u8>,
    /// SHA-256 of the encapsulation key.
    #[serde(with = "hex_bytes")]
    pub ek_sha256: Vec<u8>,
    /// The decapsulation key in its expanded form, if it is kept.
    #[serde(
        default,
        with = "hex_bytes::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub dk: Option<Vec<u8>>,
}

/// One encapsulation.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EncapsVector {
    /// The parameter set.
    pub parameter_set: ParameterSet,
    /// The number in the source file (`tcId`), which restarts for each parameter set; 0 if it has
    /// none.
    pub id: u32,
    /// The subject of the test.
    pub comment: String,
    /// The encapsulation key, possibly one that must be refused.
    #[serde(with = "hex_bytes")]
    pub ek: Vec<u8>,
    /// The randomness.
    #[serde(with = "hex_bytes")]
    pub m: Vec<u8>,
    /// SHA-256 of the ciphertext; empty if `result` is invalid.
    #[serde(with = "hex_bytes")]
    pub c_sha256: Vec<u8>,
    /// The shared secret; empty if `result` is invalid.
    #[serde(with = "hex_bytes")]
    pub k: Vec<u8>,
    /// The expected result.
    pub result: Verdict,
}

/// One decapsulation, by a seed or by an expanded key.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DecapsVector {
    /// The parameter set.
    pub parameter_set: ParameterSet,
    /// The number in the source file (`tcId`), which restarts for each parameter set; 0 if it has
    /// none.
    pub id: u32,
    /// The subject of the test.
    pub comment: String,
    /// The private key, if the source has it as `d || z`.
    #[serde(
        default,
        with = "hex_bytes::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub seed: Option<Vec<u8>>,
    /// The private key, if the source has it expanded.
    #[serde(
        default,
        with = "hex_bytes::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub dk: Option<Vec<u8>>,
    /// The ciphertext.
    #[serde(with = "hex_bytes")]
    pub c: Vec<u8>,
    /// The shared secret, including that of an implicitly rejected ciphertext; empty if `result` is
    /// invalid.
    #[serde(with = "hex_bytes")]
    pub k: Vec<u8>,
    /// The expected result.
    pub result: Verdict,
}

/// One key check: section 7.2 for an encapsulation key, 7.3 for a decapsulation key.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KeyCheckVector {
    /// The parameter set.
    pub parameter_set: ParameterSet,
    /// The number in the source file (`tcId`).
    pub id: u32,
    /// The key.
    #[serde(with = "hex_bytes")]
    pub key: Vec<u8>,
    /// Set if it must be accepted.
    pub passes: bool,
}

/// Encapsulation keys that fail the check of section 7.2, as differences to a key that passes.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NonCanonicalKeys {
    /// The parameter set.
    pub parameter_set: ParameterSet,
    /// A key that passes.
    #[serde(with = "hex_bytes")]
    pub ek: Vec<u8>,
    /// For each key that fails: the index of one coefficient, and its value there, from q = 3,329
    /// to 4,095.
    pub bad: Vec<(u16, u16)>,
}

impl NonCanonicalKeys {
    /// Lists the keys that fail, in the order of the source.
    pub fn keys(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        self.bad
            .iter()
            .map(|&(index, value)| with_coefficient(&self.ek, index, value))
    }
}

/// Replaces a coefficient of a key. Two of them, of 12 bits each, share three bytes, little-endian.
fn with_coefficient(ek: &[u8], index: u16, value: u16) -> Vec<u8> {
    let mut ek = ek.to_vec();
    let at = usize::from(index / 2) * 3;
    let [low, high] = value.to_le_bytes();
    if index.is_multiple_of(2) {
        ek[at] = low;
        ek[at + 1] = ek[at + 1] & 0xf0 | high;
    } else {
        ek[at + 1] = ek[at + 1] & 0x0f | low << 4;
        ek[at + 2] = low >> 4 | high << 4;
    }
    ek
}

/// Many key generations, encapsulations and decapsulations, hashed to one value.
///
/// The inputs come from SHAKE128 of nothing, and another SHAKE128 hashes the outputs. In each
/// round: 64 bytes of seed in, `ek` out; 32 bytes of `m` in, `c` and `K` out; a random ciphertext
/// in, the secret of its rejection out.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AccumulatedVector {
    /// The parameter set.
    pub parameter_set: ParameterSet,
    /// The number of rounds.
    pub rounds: u32,
    /// SHAKE128 of all outputs, cut to 32 bytes.
    #[serde(with = "hex_bytes")]
    pub outputs: Vec<u8>,
    /// The publisher of the value, or the program that reproduced it.
    pub origin: String,
}

/// One key pair and encapsulation of X-Wing.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct XWingVector {
    /// The private key, a seed.
    #[serde(with = "hex_bytes")]
    pub sk: Vec<u8>,
    /// The public key.
    #[serde(with = "hex_bytes")]
    pub pk: Vec<u8>,
    /// The randomness of the encapsulation.
    #[serde(with = "hex_bytes")]
    pub eseed: Vec<u8>,
    /// The ciphertext.
    #[serde(with = "hex_bytes")]
    pub ct: Vec<u8>,
    /// The shared secret.
    #[serde(with = "hex_bytes")]
    pub ss: Vec<u8>,
}

/// One key pair and encapsulation of Kyber768, round 3. The long values are kept as SHA3-256.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KyberVector {
    /// The seed `d || z`.
    #[serde(with = "hex_bytes")]
    pub key_generation_seed: Vec<u8>,
    /// The public key.
    #[serde(with = "hex_bytes")]
    pub sha3_256_hash_of_public_key: Vec<u8>,
    /// The private key.
    #[serde(with = "hex_bytes")]
    pub sha3_256_hash_of_secret_key: Vec<u8>,
    /// The randomness of the encapsulation, before round 3 hashes it.
    #[serde(with = "hex_bytes")]
    pub encapsulation_seed: Vec<u8>,
    /// The ciphertext.
    #[serde(with = "hex_bytes")]
    pub sha3_256_hash_of_ciphertext: Vec<u8>,
    /// The shared secret.
    #[serde(with = "hex_bytes")]
    pub shared_secret: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coefficient_is_written_into_its_12_bits_alone() {
        assert_eq!(
            with_coefficient(&[0x11, 0x22, 0x33], 0, 0xabc),
            [0xbc, 0x2a, 0x33]
        );
        assert_eq!(
            with_coefficient(&[0x11, 0x22, 0x33], 1, 0xabc),
            [0x11, 0xc2, 0xab]
        );
    }
}

/// The levels of [`bike`](crate::bike) and [`bike_altered`](crate::bike_altered).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BikeLevel {
    /// BIKE-L1.
    L1,
    /// BIKE-L3.
    L3,
    /// BIKE-L5.
    L5,
}

impl BikeLevel {
    /// Every level.
    pub const ALL: [Self; 3] = [Self::L1, Self::L3, Self::L5];
}

/// A key pair and an encapsulation. Long values are kept as their SHA-256.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BikeVector {
    /// The number in the source.
    pub count: u32,
    /// The randomness of KeyGen, 64 bytes: the seed of h0 and h1, then sigma.
    #[serde(with = "hex_bytes")]
    pub seed: Vec<u8>,
    /// The randomness of Encaps, 32 bytes.
    #[serde(with = "hex_bytes")]
    pub m: Vec<u8>,
    /// SHA-256 of the public key.
    #[serde(with = "hex_bytes")]
    pub pk_sha256: Vec<u8>,
    /// SHA-256 of the private key as the specification writes it: h0, h1, sigma.
    #[serde(with = "hex_bytes")]
    pub sk_sha256: Vec<u8>,
    /// SHA-256 of the private key as liboqs writes it: the exponents of h0 and of h1 as u32
    /// little-endian, h0, h1, public key, sigma.
    #[serde(with = "hex_bytes")]
    pub sk_liboqs_sha256: Vec<u8>,
    /// SHA-256 of the ciphertext.
    #[serde(with = "hex_bytes")]
    pub ct_sha256: Vec<u8>,
    /// The shared secret.
    #[serde(with = "hex_bytes")]
    pub ss: Vec<u8>,
}

/// A ciphertext for the key of count 0, with the secret that liboqs computes.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BikeAltered {
    /// The alteration.
    pub case: String,
    /// Set if the secret is derived from sigma: the ciphertext was rejected implicitly.
    pub rejected: bool,
    /// The ciphertext.
    #[serde(with = "hex_bytes")]
    pub ct: Vec<u8>,
    /// The shared secret.
    #[serde(with = "hex_bytes")]
    pub ss: Vec<u8>,
}
