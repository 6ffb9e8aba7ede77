//! X25519 with BIKE as an HPKE KEM: one family, one entry per level. It is secure as long as either
//! half is. Experimental.
//!
//! Keys and ciphertexts are the two halves joined, BIKE's first. The private key is a 32-byte seed
//! of both.

use alloc::{boxed::Box, sync::Arc, vec::Vec};
use core::fmt;

use pqseal_hpke::{
    Error, Kem, KemInfo, Secret, SharedSecret,
    dhkem::{Group, X25519},
};
use shake::{ExtendableOutput, Update, XofReader};

use super::{
    Beside, N_LABEL, Params, PublicKey, Row, SecretKey,
    params::{L1, L3, L5, N_SEED},
};
use crate::{Backend, ml_kem::derive_seed};

/// The private key, in bytes.
const N_SK: usize = 32;

/// X25519 with BIKE; [`X25519BikeL1`] and its sisters are the entries.
#[derive(Clone, Debug)]
pub struct X25519Bike(Row);

/// X25519+BIKE-L1, id 0xFF21, which is not registered.
#[allow(
    non_upper_case_globals,
    reason = "a row reads like a unit struct, as those of the other KEMs"
)]
pub const X25519BikeL1: X25519Bike = X25519Bike::row(
    0xff21,
    ["X25519+BIKE-L1", "x25519-bike-l1"],
    &L1,
    b"BIKEr4v51-L1+X25519/UG/SHA3-256",
);
/// X25519+BIKE-L3, id 0xFF23, which is not registered.
#[allow(non_upper_case_globals, reason = "as X25519BikeL1")]
pub const X25519BikeL3: X25519Bike = X25519Bike::row(
    0xff23,
    ["X25519+BIKE-L3", "x25519-bike-l3"],
    &L3,
    b"BIKEr4v51-L3+X25519/UG/SHA3-256",
);
/// X25519+BIKE-L5, id 0xFF25, which is not registered.
#[allow(non_upper_case_globals, reason = "as X25519BikeL1")]
pub const X25519BikeL5: X25519Bike = X25519Bike::row(
    0xff25,
    ["X25519+BIKE-L5", "x25519-bike-l5"],
    &L5,
    b"BIKEr4v51-L5+X25519/UG/SHA3-256",
);

/// A private key: its seed and both keys that it expands to.
pub struct HybridPrivateKey {
    /// Boxed, since a move leaves a copy of the bytes behind.
    seed: Box<Secret<[u8; N_SK]>>,
    pq: SecretKey,
    t: Box<<X25519 as Group>::Scalar>,
    public: HybridPublicKey,
}

/// A public key: both halves parsed, and their bytes joined.
#[derive(Clone)]
pub struct HybridPublicKey {
    bytes: Arc<[u8]>,
    pq: PublicKey,
    t: <X25519 as Group>::Point,
}

impl X25519Bike {
    const fn row(
        id: u16,
        names: [&'static str; 2],
        params: &'static Params,
        label: &'static [u8; N_LABEL],
    ) -> Self {
        let beside = Beside {
            n_pk: X25519::N_PK,
            n_random: X25519::N_SK,
        };
        Self(Row::new(id, names, params, label, N_SK, beside))
    }

    /// Expands a seed: `SHAKE256(seed, 96)` gives BIKE's seed, then X25519's scalar.
    fn expand(&self, seed: Secret<[u8; N_SK]>) -> Result<HybridPrivateKey, Error> {
        let mut stream = shake::Shake256::default()
            .chain(seed.as_ref())
            .finalize_xof();
        let mut pq_seed = Secret::new([0; N_SEED]);
        stream.read(pq_seed.as_mut());
        let mut scalar = Secret::zeros(X25519::N_SK);
        stream.read(scalar.as_mut());
        let pq = SecretKey::generate(self.0.params, Backend::chosen(), pq_seed.bytes());
        let t = X25519::scalar(scalar.as_ref())?;
        let public = HybridPublicKey::new(pq.public().clone(), X25519::public(&t));
        Ok(HybridPrivateKey {
            seed: Box::new(seed),
            pq,
            t: Box::new(t),
            public,
        })
    }

    fn combine(&self, ss: [&[u8]; 2], ct: [&[u8]; 2], ek: &HybridPublicKey) -> SharedSecret {
        self.0
            .combine(ss, ct, [ek.pq.as_ref(), &X25519::point_bytes(&ek.t)])
    }
}

impl Kem for X25519Bike {
    type PrivateKey = HybridPrivateKey;
    type PublicKey = HybridPublicKey;
    type Enc = Vec<u8>;

    fn info(&self) -> &KemInfo {
        &self.0.info
    }

    fn derive_key_pair(&self, ikm: &[u8]) -> Result<(HybridPrivateKey, HybridPublicKey), Error> {
        let sk = self.expand(derive_seed(self.0.info.id, ikm)?)?;
        let pk = sk.public.clone();
        Ok((sk, pk))
    }

    /// Accepts any 32 bytes as a seed, zeros included.
    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<HybridPrivateKey, Error> {
        self.expand(Secret::new(
            bytes.try_into().map_err(|_| Error::Deserialize)?,
        ))
    }

    fn serialize_private_key(&self, sk: &HybridPrivateKey) -> Result<Secret, Error> {
        Ok(Secret::from_bytes((*sk.seed).as_ref()))
    }

    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<HybridPublicKey, Error> {
        let (pq, t) = bytes
            .split_at_checked(self.0.params.n_pk())
            .ok_or(Error::Deserialize)?;
        Ok(HybridPublicKey::new(
            PublicKey::parse(self.0.params, Backend::chosen(), pq)?,
            X25519::point(t)?,
        ))
    }

    fn public_key(&self, sk: &HybridPrivateKey) -> Result<HybridPublicKey, Error> {
        Ok(sk.public.clone())
    }

    fn precompute(&self, pk: &mut HybridPublicKey) {
        X25519::precompute(&mut pk.t);
    }

    fn encap(
        &self,
        pk_r: &HybridPublicKey,
        randomness: &[u8],
    ) -> Result<(SharedSecret, Vec<u8>), Error> {
        self.0.check(&pk_r.pq)?;
        let (m, scalar) = randomness.split_first_chunk().ok_or(Error::Encap)?;
        let sk_e = X25519::scalar(scalar).map_err(|_| Error::Encap)?;
        let ct_t = X25519::public_bytes(&sk_e);
        let ss_t = X25519::dh(&sk_e, &pk_r.t)?;
        let (ct_pq, ss_pq) = pk_r.pq.encaps(m);
        let shared_secret = self.combine([ss_pq.as_ref(), ss_t.as_ref()], [&ct_pq, &ct_t], pk_r);
        Ok((shared_secret, [&ct_pq[..], &ct_t].concat()))
    }

    /// Decapsulates. An altered BIKE half gives another secret, not an error (implicit rejection);
    /// a low-order X25519 half is [`Error::Validation`].
    fn decap(&self, enc: &[u8], sk_r: &HybridPrivateKey) -> Result<SharedSecret, Error> {
        self.0.check(&sk_r.public.pq)?;
        let (ct_pq, ct_t) = enc
            .split_at_checked(self.0.params.n_ct())
            .ok_or(Error::Deserialize)?;
        let ss_t = X25519::dh(&sk_r.t, &X25519::point(ct_t)?)?;
        let ss_pq = sk_r.pq.decaps(ct_pq)?;
        Ok(self.combine([ss_pq.as_ref(), ss_t.as_ref()], [ct_pq, ct_t], &sk_r.public))
    }
}

impl HybridPublicKey {
    fn new(pq: PublicKey, t: <X25519 as Group>::Point) -> Self {
        Self {
            bytes: [pq.as_ref(), &X25519::point_bytes(&t)].concat().into(),
            pq,
            t,
        }
    }
}

impl AsRef<[u8]> for HybridPublicKey {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for HybridPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HybridPrivateKey(..)")
    }
}

impl fmt::Debug for HybridPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HybridPublicKey({} bytes)", self.bytes.len())
    }
}
