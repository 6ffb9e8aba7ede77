//! ML-KEM with a classical curve (draft-irtf-cfrg-concrete-hybrid-kems): one family, one entry per
//! pair. It is secure as long as either half is.
//!
//! Keys and ciphertexts are the two halves joined, ML-KEM's first. The private key is a 32-byte
//! seed of both.

use alloc::{boxed::Box, sync::Arc, vec, vec::Vec};
use core::{fmt, marker::PhantomData};

#[cfg(feature = "all-kems")]
use pqseal_hpke::dhkem::{P256, P384};
use pqseal_hpke::{
    Error, Kem, KemInfo, Secret, SharedSecret, SharedSecrets,
    dhkem::{Group, OwnAndShared, X25519},
    encap_one_by_one,
};
use sha3::{Digest, Sha3_256};
use shake::{ExtendableOutput, Update, XofReader};

#[cfg(feature = "all-kems")]
use crate::kernel::Set1024;
use crate::{
    DRAFT,
    kernel::{N_SEED, ParameterSet, Set768},
    ml_kem::{self, derive_seed},
};

/// The private key, in bytes.
const N_SK: usize = 32;
/// ML-KEM's share of the encapsulation randomness, in bytes.
const N_M: usize = 32;

/// ML-KEM with the parameters `P` and the group `G`; [`MlKem768X25519`](type@MlKem768X25519) and
/// its sisters are the entries.
pub struct Hybrid<P, G> {
    info: KemInfo,
    label: &'static [u8],
    halves: PhantomData<fn() -> (P, G)>,
}

/// MLKEM768-X25519, which is X-Wing, id 0x647a.
pub type MlKem768X25519 = Hybrid<Set768, X25519>;
/// MLKEM768-P256, id 0x0050.
#[cfg(feature = "all-kems")]
pub type MlKem768P256 = Hybrid<Set768, P256>;
/// MLKEM1024-P384, id 0x0051.
#[cfg(feature = "all-kems")]
pub type MlKem1024P384 = Hybrid<Set1024, P384>;

/// MLKEM768-X25519 as a value.
#[allow(
    non_upper_case_globals,
    reason = "a row reads like a unit struct: one name for its type and its value"
)]
pub const MlKem768X25519: MlKem768X25519 =
    Hybrid::row(0x647a, "MLKEM768-X25519", "mlkem768-x25519", br"\.//^\", 1);
/// MLKEM768-P256 as a value. It draws three candidates per encapsulation, which fails with
/// probability 2^-32.
#[allow(non_upper_case_globals, reason = "as MlKem768X25519")]
#[cfg(feature = "all-kems")]
pub const MlKem768P256: MlKem768P256 = Hybrid::row(
    0x0050,
    "MLKEM768-P256",
    "mlkem768-p256",
    b"MLKEM768-P256",
    3,
);
/// MLKEM1024-P384 as a value. It draws one candidate per encapsulation, which fails with
/// probability 2^-194.
#[allow(non_upper_case_globals, reason = "as MlKem768X25519")]
#[cfg(feature = "all-kems")]
pub const MlKem1024P384: MlKem1024P384 = Hybrid::row(
    0x0051,
    "MLKEM1024-P384",
    "mlkem1024-p384",
    b"MLKEM1024-P384",
    1,
);

/// A key pair of a hybrid.
pub type KeyPair<P, G> = (PrivateKey<P, G>, PublicKey<P, G>);

/// The number of candidates for a scalar that the seed of a private key gives. The specification
/// has four for P-256; the other groups never need a second.
const SEED_CANDIDATES: usize = 4;

/// A private key: its seed and both keys that it expands to.
pub struct PrivateKey<P: ParameterSet, G: Group> {
    /// Boxed like `t`, since a move leaves a copy of the bytes behind.
    seed: Box<Secret<[u8; N_SK]>>,
    pq: ml_kem::PrivateKey<P>,
    t: Box<G::Scalar>,
    public: PublicKey<P, G>,
}

/// A public key: both halves parsed, and their bytes joined.
pub struct PublicKey<P: ParameterSet, G: Group> {
    bytes: Arc<[u8]>,
    pq: ml_kem::PublicKey<P>,
    t: G::Point,
}

impl<P: ParameterSet, G: Group> Hybrid<P, G> {
    const fn row(
        id: u16,
        name: &'static str,
        short_name: &'static str,
        label: &'static [u8],
        encap_candidates: usize,
    ) -> Self {
        let info = KemInfo {
            id,
            name,
            short_name,
            n_secret: 32,
            n_enc: P::N_C + G::N_PK,
            n_pk: P::N_EK + G::N_PK,
            n_sk: N_SK,
            n_random: N_M + encap_candidates * G::N_SK,
            auth: false,
            status: DRAFT,
        };
        Self {
            info,
            label,
            halves: PhantomData,
        }
    }

    /// Returns the same KEM on another library's group, for the entries of `hpke`.
    pub const fn on<H: Group>(&self) -> Hybrid<P, H> {
        Hybrid {
            info: self.info,
            label: self.label,
            halves: PhantomData,
        }
    }

    /// Derives a key pair like CIRCL, hpke-js and Bouncy Castle for X-Wing: the seed is
    /// `SHAKE256(ikm, 32)` without labels. Use it for keys that were derived that way.
    /// [`Kem::derive_key_pair`] follows the draft, and gives another key.
    ///
    /// # Errors
    /// [`Error::DeriveKeyPair`] as there.
    pub fn derive_key_pair_unlabeled(&self, ikm: &[u8]) -> Result<KeyPair<P, G>, Error> {
        let mut seed = Secret::new([0; N_SK]);
        shake::Shake256::default()
            .chain(ikm)
            .finalize_xof()
            .read(seed.as_mut());
        key_pair(seed)
    }

    /// Combines the secrets: `SHA3-256(ss_PQ || ss_T || ct_T || ek_T || label)`.
    fn combine(&self, ss_pq: &[u8], ss_t: &[u8], ct_t: &[u8], ek_t: &[u8]) -> SharedSecret {
        let mut hash = Sha3_256::new();
        [ss_pq, ss_t, ct_t, ek_t, self.label]
            .iter()
            .for_each(|part| Digest::update(&mut hash, part));
        let mut shared_secret = SharedSecret::zeros(32);
        Digest::finalize_into(
            hash,
            shared_secret
                .as_mut()
                .try_into()
                .expect("SHA3-256 has 32 bytes"),
        );
        shared_secret
    }
}

impl<P: ParameterSet, G: Group> Kem for Hybrid<P, G> {
    type PrivateKey = PrivateKey<P, G>;
    type PublicKey = PublicKey<P, G>;
    type Enc = Vec<u8>;

    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn derive_key_pair(&self, ikm: &[u8]) -> Result<KeyPair<P, G>, Error> {
        key_pair(derive_seed(self.info.id, ikm)?)
    }

    /// Accepts any 32 bytes as a seed, zeros included.
    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<PrivateKey<P, G>, Error> {
        PrivateKey::expand(Secret::new(
            bytes.try_into().map_err(|_| Error::Deserialize)?,
        ))
    }

    fn serialize_private_key(&self, sk: &PrivateKey<P, G>) -> Result<Secret, Error> {
        Ok(Secret::from_bytes((*sk.seed).as_ref()))
    }

    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<PublicKey<P, G>, Error> {
        let (pq, t) = bytes.split_at_checked(P::N_EK).ok_or(Error::Deserialize)?;
        Ok(PublicKey {
            bytes: bytes.into(),
            pq: ml_kem::PublicKey::parse(pq)?,
            t: G::point(t)?,
        })
    }

    fn public_key(&self, sk: &PrivateKey<P, G>) -> Result<PublicKey<P, G>, Error> {
        Ok(sk.public.clone())
    }

    fn precompute(&self, pk: &mut PublicKey<P, G>) {
        G::precompute(&mut pk.t);
    }

    fn encap(
        &self,
        pk_r: &PublicKey<P, G>,
        randomness: &[u8],
    ) -> Result<(SharedSecret, Vec<u8>), Error> {
        if randomness.len() != self.info.n_random {
            return Err(Error::Encap);
        }
        let (m, candidates) = randomness.split_first_chunk().ok_or(Error::Encap)?;
        let (ct_t, ss_t) = agree::<G>(candidates, &pk_r.t)?;
        let (ss_pq, mut enc) = pk_r.pq.encaps(m, G::N_PK);
        enc.extend_from_slice(ct_t.as_ref());
        let shared_secret =
            self.combine(ss_pq.as_ref(), ss_t.as_ref(), ct_t.as_ref(), pk_r.t_bytes());
        Ok((shared_secret, enc))
    }

    fn encap_batch(
        &self,
        pk_r: &PublicKey<P, G>,
        randomness: &[&[u8]],
    ) -> Result<(SharedSecrets, Vec<Vec<u8>>), Error> {
        let n_random = N_M + G::N_SK;
        if G::CANDIDATE_MASK.is_some() || randomness.iter().any(|one| one.len() != n_random) {
            return encap_one_by_one(self, pk_r, randomness);
        }
        let mut scalars = Secret::new(vec![0; randomness.len() * G::N_SK]);
        for (scalar, randomness) in scalars.as_mut().chunks_mut(G::N_SK).zip(randomness) {
            scalar.copy_from_slice(&randomness[N_M..]);
        }
        let Some((ct_ts, ss_ts)) = G::agree_batch(scalars.as_ref(), &pk_r.t) else {
            return encap_one_by_one(self, pk_r, randomness);
        };
        ss_ts.all()?;
        let halves = randomness.iter().map(|randomness| {
            let (m, _) = randomness.split_first_chunk().ok_or(Error::Encap)?;
            Ok(m)
        });
        let (ss_pqs, mut encs) = pk_r
            .pq
            .encaps_all(&halves.collect::<Result<Vec<_>, Error>>()?, G::N_PK);
        for (enc, ct_t) in encs.iter_mut().zip(&ct_ts) {
            enc.extend_from_slice(ct_t.as_ref());
        }
        let halves = ss_pqs.iter().zip(ss_ts.iter()).zip(&ct_ts);
        let shared_secrets = halves.map(|((ss_pq, ss_t), ct_t)| {
            let ss_t = ss_t.as_ref().map_err(|error| *error)?;
            Ok(self.combine(ss_pq, ss_t.as_ref(), ct_t.as_ref(), pk_r.t_bytes()))
        });
        let shared_secrets = shared_secrets.collect();
        Ok((shared_secrets, encs))
    }

    /// Decapsulates. A low-order X25519 half is [`Error::Validation`]. X-Wing itself would
    /// continue, and only rely on ML-KEM's half; peers refuse it too.
    fn decap(&self, enc: &[u8], sk_r: &PrivateKey<P, G>) -> Result<SharedSecret, Error> {
        let (ct_pq, ct_t) = split::<P>(enc)?;
        let ss_t = G::dh(&sk_r.t, &G::point(ct_t)?)?;
        let ss_pq = sk_r.pq.decaps(ct_pq)?;
        Ok(self.combine(ss_pq.as_ref(), ss_t.as_ref(), ct_t, sk_r.public.t_bytes()))
    }

    fn decap_batch(&self, encs: &[&[u8]], sk_r: &PrivateKey<P, G>) -> SharedSecrets {
        let points = encs
            .iter()
            .map(|enc| split::<P>(enc).and_then(|(_, ct_t)| G::point(ct_t)))
            .collect();
        let ss_ts = G::dh_batch(&sk_r.t, points);
        // ML-KEM's half, where the other half is valid.
        let valid = ss_ts.iter().zip(encs).filter(|(ss_t, _)| ss_t.is_ok());
        let ct_pqs: Vec<_> = valid.map(|(_, enc)| &enc[..P::N_C]).collect();
        let ss_pqs = sk_r.pq.decaps_all(&ct_pqs);
        let mut ss_pqs = ss_pqs.iter();
        (ss_ts.iter().zip(encs))
            .map(|(ss_t, enc)| {
                let ss_t = ss_t.as_ref().map_err(|error| *error)?;
                let ss_pq = ss_pqs.next().expect("one for each valid half");
                Ok(self.combine(ss_pq, ss_t.as_ref(), &enc[P::N_C..], sk_r.public.t_bytes()))
            })
            .collect()
    }
}

/// Draws a fresh key pair from candidates for its scalar, Nsk bytes each. Returns the public key,
/// and DH with `point`.
fn agree<G: Group>(
    mut candidates: &[u8],
    point: &G::Point,
) -> Result<OwnAndShared<G::PointBytes>, Error> {
    if G::CANDIDATE_MASK.is_none()
        && let Some(agreed) = G::agree(candidates, point)?
    {
        return Ok(agreed);
    }
    let number = candidates.len() / G::N_SK;
    let sk_e = random_scalar::<G>(number, |out| {
        let (candidate, rest) = candidates.split_at(out.len());
        out.copy_from_slice(candidate);
        candidates = rest;
    })
    .ok_or(Error::Encap)?;
    let ss_t = G::dh(&sk_e, point)?;
    Ok((G::public_bytes(&sk_e), ss_t))
}

impl<P: ParameterSet, G: Group> PrivateKey<P, G> {
    /// Expands a seed: `SHAKE256(seed)` gives ML-KEM's `d || z`, then candidates for the group's
    /// scalar.
    fn expand(seed: Secret<[u8; N_SK]>) -> Result<Self, Error> {
        let mut stream = shake::Shake256::default()
            .chain(seed.as_ref())
            .finalize_xof();
        let mut pq_seed = Secret::new([0; N_SEED]);
        stream.read(pq_seed.as_mut());
        let pq = ml_kem::PrivateKey::from_seed(pq_seed);
        let t = random_scalar::<G>(SEED_CANDIDATES, |out| stream.read(out))
            .ok_or(Error::DeriveKeyPair)?;
        let public = PublicKey::new(pq.public().clone(), G::public(&t));
        Ok(Self {
            seed: Box::new(seed),
            pq,
            t: Box::new(t),
            public,
        })
    }
}

impl<P: ParameterSet, G: Group> PublicKey<P, G> {
    fn new(pq: ml_kem::PublicKey<P>, t: G::Point) -> Self {
        let bytes = [pq.as_ref(), G::point_bytes(&t).as_ref()].concat();
        Self {
            bytes: bytes.into(),
            pq,
            t,
        }
    }

    fn t_bytes(&self) -> &[u8] {
        &self.bytes[P::N_EK..]
    }
}

fn key_pair<P: ParameterSet, G: Group>(seed: Secret<[u8; N_SK]>) -> Result<KeyPair<P, G>, Error> {
    let sk = PrivateKey::expand(seed)?;
    let pk = sk.public.clone();
    Ok((sk, pk))
}

/// Splits an encapsulated key. The ML-KEM half has the right length, and the group's half is not
/// parsed.
fn split<P: ParameterSet>(enc: &[u8]) -> Result<(&[u8], &[u8]), Error> {
    enc.split_at_checked(P::N_C).ok_or(Error::Deserialize)
}

/// RandomScalar: returns the first of `candidates` draws that is a scalar of the group.
fn random_scalar<G: Group>(
    candidates: usize,
    mut next: impl FnMut(&mut [u8]),
) -> Option<G::Scalar> {
    let mut candidate = Secret::zeros(G::N_SK);
    (0..candidates).find_map(|_| {
        next(candidate.as_mut());
        G::scalar(candidate.as_ref()).ok()
    })
}

impl<P: ParameterSet, G: Group> Clone for PublicKey<P, G> {
    fn clone(&self) -> Self {
        Self {
            bytes: self.bytes.clone(),
            pq: self.pq.clone(),
            t: self.t.clone(),
        }
    }
}

impl<P: ParameterSet, G: Group> AsRef<[u8]> for PublicKey<P, G> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<P: ParameterSet, G: Group> fmt::Debug for PrivateKey<P, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(..)")
    }
}

impl<P: ParameterSet, G: Group> fmt::Debug for PublicKey<P, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({} bytes)", self.bytes.len())
    }
}

impl<P, G> Clone for Hybrid<P, G> {
    fn clone(&self) -> Self {
        Self {
            info: self.info,
            label: self.label,
            halves: PhantomData,
        }
    }
}

impl<P, G> fmt::Debug for Hybrid<P, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}
