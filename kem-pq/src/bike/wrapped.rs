//! BIKE alone as an HPKE KEM, for tests and measurements: one family, one row a level. Experimental.
//!
//! HPKE never gets BIKE's own secret, which binds no public key, but the universal combiner's hash of it with ciphertext and key. One half
//! is then missing, and the label says so.

use alloc::vec::Vec;
use core::fmt;

use hpke::{Error, Kem, KemInfo, Secret, SharedSecret, Status};
use sha3::{Digest, Sha3_256};

use super::{
    Params, PublicKey, SecretKey,
    params::{L1, L3, L5, N_SEED, N_SS},
};
use crate::{Backend, ml_kem::derive_seed};

/// BIKE alone; [`BikeL1`] and its sisters are the rows.
#[derive(Debug)]
pub struct Bike {
    info: KemInfo,
    params: &'static Params,
    label: &'static [u8; N_LABEL],
}

/// BIKE-L1 alone, id 0xFF11, which is not registered.
#[allow(non_upper_case_globals, reason = "a row reads like a unit struct, as those of the other KEMs")]
pub const BikeL1: Bike = Bike::row(0xff11, "BIKE-L1", "bike-l1", &L1, b"BIKEr4v51-L1-single/UG/SHA3-256");
/// BIKE-L3 alone, id 0xFF13, which is not registered.
#[allow(non_upper_case_globals, reason = "as BikeL1")]
pub const BikeL3: Bike = Bike::row(0xff13, "BIKE-L3", "bike-l3", &L3, b"BIKEr4v51-L3-single/UG/SHA3-256");
/// BIKE-L5 alone, id 0xFF15, which is not registered.
#[allow(non_upper_case_globals, reason = "as BikeL1")]
pub const BikeL5: Bike = Bike::row(0xff15, "BIKE-L5", "bike-l5", &L5, b"BIKEr4v51-L5-single/UG/SHA3-256");

/// All labels have one length, so none is the end of another's input.
pub(crate) const N_LABEL: usize = 31;

/// A private key: its seed and the key that it expands to.
pub struct PrivateKey {
    seed: Secret<[u8; N_SEED]>,
    key: SecretKey,
}

impl Bike {
    const fn row(
        id: u16,
        name: &'static str,
        short_name: &'static str,
        params: &'static Params,
        label: &'static [u8; N_LABEL],
    ) -> Self {
        let info = KemInfo {
            id,
            name,
            short_name,
            n_secret: N_SS,
            n_enc: params.n_ct(),
            n_pk: params.n_pk(),
            n_sk: N_SEED,
            n_random: N_SS,
            auth: false,
            status: Status::Experimental,
        };
        Self { info, params, label }
    }

    fn expand(&self, seed: Secret<[u8; N_SEED]>) -> PrivateKey {
        let key = SecretKey::generate(self.params, Backend::chosen(), seed.bytes());
        PrivateKey { seed, key }
    }

    /// A key is of one level and fits no other.
    fn check(&self, pk: &PublicKey) -> Result<(), Error> {
        if pk.params().r == self.params.r { Ok(()) } else { Err(Error::KeyMismatch) }
    }

    fn combine(&self, ss: &Secret<[u8; N_SS]>, ct: &[u8], ek: &PublicKey) -> SharedSecret {
        universal_combiner([ss.as_ref(), b""], [ct, b""], [ek.as_ref(), b""], self.label)
    }
}

impl Kem for Bike {
    type PrivateKey = PrivateKey;
    type PublicKey = PublicKey;
    type Enc = Vec<u8>;

    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn derive_key_pair(&self, ikm: &[u8]) -> Result<(PrivateKey, PublicKey), Error> {
        let sk = self.expand(derive_seed(self.info.id, ikm)?);
        let pk = sk.key.public().clone();
        Ok((sk, pk))
    }

    /// Any 64 bytes are a seed, zeros included.
    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<PrivateKey, Error> {
        Ok(self.expand(Secret::new(bytes.try_into().map_err(|_| Error::Deserialize)?)))
    }

    fn serialize_private_key(&self, sk: &PrivateKey) -> Result<Secret, Error> {
        Ok(Secret::from_bytes(sk.seed.as_ref()))
    }

    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<PublicKey, Error> {
        PublicKey::parse(self.params, Backend::chosen(), bytes)
    }

    fn public_key(&self, sk: &PrivateKey) -> Result<PublicKey, Error> {
        Ok(sk.key.public().clone())
    }

    fn encap(&self, pk_r: &PublicKey, randomness: &[u8]) -> Result<(SharedSecret, Vec<u8>), Error> {
        self.check(pk_r)?;
        let (enc, ss) = pk_r.encaps(randomness.try_into().map_err(|_| Error::Encap)?);
        Ok((self.combine(&ss, &enc, pk_r), enc))
    }

    /// An altered ciphertext gives another secret, not an error (implicit rejection): the message then does not open.
    fn decap(&self, enc: &[u8], sk_r: &PrivateKey) -> Result<SharedSecret, Error> {
        self.check(sk_r.key.public())?;
        let ss = sk_r.key.decaps(enc)?;
        Ok(self.combine(&ss, enc, sk_r.key.public()))
    }
}

/// UniversalCombiner (draft-irtf-cfrg-hybrid-kems): `SHA3-256(ss_PQ || ss_T || ct_PQ || ct_T || ek_PQ || ek_T || label)`. It asks nothing
/// of either half but its secrecy; the shorter combiners ask that the post-quantum half binds its key, which BIKE does not.
pub(crate) fn universal_combiner(
    ss: [&[u8]; 2],
    ct: [&[u8]; 2],
    ek: [&[u8]; 2],
    label: &[u8; N_LABEL],
) -> SharedSecret {
    let mut hash = Sha3_256::new();
    [ss, ct, ek].iter().flatten().for_each(|part| Digest::update(&mut hash, part));
    Digest::update(&mut hash, label);
    let mut shared_secret = SharedSecret::zeros(N_SS);
    Digest::finalize_into(hash, shared_secret.as_mut().try_into().expect("SHA3-256 has 32 bytes"));
    shared_secret
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(..)")
    }
}
