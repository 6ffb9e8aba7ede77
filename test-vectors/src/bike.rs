//! The schemas of BIKE, specification v5.1.

use crate::hex_bytes;
use serde::{Deserialize, Serialize};

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
