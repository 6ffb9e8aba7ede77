//! BIKE without a curve as an HPKE KEM, for tests and measurements: one family, one entry per
//! level. Experimental.
//!
//! HPKE never gets BIKE's own secret, which binds no public key. It gets the universal combiner's
//! hash of that secret with ciphertext and key. The classical half is missing, as the label says.

use alloc::{boxed::Box, vec::Vec};
use core::fmt;

use pqseal_hpke::{Error, Kem, KemInfo, Secret, SharedSecret};

use super::{
    Beside, N_LABEL, Params, PublicKey, Row, SecretKey,
    params::{L1, L3, L5, N_SEED, N_SS},
};
use crate::{Backend, ml_kem::derive_seed};

/// BIKE without a curve; [`BikeL1`] and its sisters are the entries.
#[derive(Clone, Debug)]
pub struct Bike(Row);

/// BIKE-L1 without a curve, id 0xFF11, which is not registered.
#[allow(
    non_upper_case_globals,
    reason = "a row reads like a unit struct, as those of the other KEMs"
)]
pub const BikeL1: Bike = Bike::row(
    0xff11,
    ["BIKE-L1", "bike-l1"],
    &L1,
    b"BIKEr4v51-L1-single/UG/SHA3-256",
);
/// BIKE-L3 without a curve, id 0xFF13, which is not registered.
#[allow(non_upper_case_globals, reason = "as BikeL1")]
pub const BikeL3: Bike = Bike::row(
    0xff13,
    ["BIKE-L3", "bike-l3"],
    &L3,
    b"BIKEr4v51-L3-single/UG/SHA3-256",
);
/// BIKE-L5 without a curve, id 0xFF15, which is not registered.
#[allow(non_upper_case_globals, reason = "as BikeL1")]
pub const BikeL5: Bike = Bike::row(
    0xff15,
    ["BIKE-L5", "bike-l5"],
    &L5,
    b"BIKEr4v51-L5-single/UG/SHA3-256",
);

/// A private key: its seed and the key that it expands to.
pub struct PrivateKey {
    /// Boxed, since a move leaves a copy of the bytes behind.
    seed: Box<Secret<[u8; N_SEED]>>,
    key: SecretKey,
}

impl Bike {
    const fn row(
        id: u16,
        names: [&'static str; 2],
        params: &'static Params,
        label: &'static [u8; N_LABEL],
    ) -> Self {
        Self(Row::new(
            id,
            names,
            params,
            label,
            N_SEED,
            Beside {
                n_pk: 0,
                n_random: 0,
            },
        ))
    }

    fn expand(&self, seed: Secret<[u8; N_SEED]>) -> PrivateKey {
        let key = SecretKey::generate(self.0.params, Backend::chosen(), seed.bytes());
        PrivateKey {
            seed: Box::new(seed),
            key,
        }
    }

    fn combine(&self, ss: &Secret<[u8; N_SS]>, ct: &[u8], ek: &PublicKey) -> SharedSecret {
        self.0
            .combine([ss.as_ref(), b""], [ct, b""], [ek.as_ref(), b""])
    }
}

impl Kem for Bike {
    type PrivateKey = PrivateKey;
    type PublicKey = PublicKey;
    type Enc = Vec<u8>;

    fn info(&self) -> &KemInfo {
        &self.0.info
    }

    fn derive_key_pair(&self, ikm: &[u8]) -> Result<(PrivateKey, PublicKey), Error> {
        let sk = self.expand(derive_seed(self.0.info.id, ikm)?);
        let pk = sk.key.public().clone();
        Ok((sk, pk))
    }

    /// Accepts any 64 bytes as a seed, zeros included.
    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<PrivateKey, Error> {
        Ok(self.expand(Secret::new(
            bytes.try_into().map_err(|_| Error::Deserialize)?,
        )))
    }

    fn serialize_private_key(&self, sk: &PrivateKey) -> Result<Secret, Error> {
        Ok(Secret::from_bytes((*sk.seed).as_ref()))
    }

    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<PublicKey, Error> {
        PublicKey::parse(self.0.params, Backend::chosen(), bytes)
    }

    fn public_key(&self, sk: &PrivateKey) -> Result<PublicKey, Error> {
        Ok(sk.key.public().clone())
    }

    fn encap(&self, pk_r: &PublicKey, randomness: &[u8]) -> Result<(SharedSecret, Vec<u8>), Error> {
        self.0.check(pk_r)?;
        let (enc, ss) = pk_r.encaps(randomness.try_into().map_err(|_| Error::Encap)?);
        Ok((self.combine(&ss, &enc, pk_r), enc))
    }

    /// Decapsulates. An altered ciphertext gives another secret, not an error (implicit rejection):
    /// the message then does not open.
    fn decap(&self, enc: &[u8], sk_r: &PrivateKey) -> Result<SharedSecret, Error> {
        self.0.check(sk_r.key.public())?;
        let ss = sk_r.key.decaps(enc)?;
        Ok(self.combine(&ss, enc, sk_r.key.public()))
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(..)")
    }
}
