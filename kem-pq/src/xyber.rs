//! X25519Kyber768Draft00 (draft-westerbaan-cfrg-hpke-xyber768d00, expired): X25519 and Kyber round
//! 3, for data sealed by its deployments.
//!
//! New keys should use [`MlKem768X25519`](type@crate::MlKem768X25519). Kyber round 3 is not ML-KEM:
//! neither opens the other's ciphertexts.

use alloc::{sync::Arc, vec::Vec};
use core::fmt;

use pqseal_hpke::{
    Error, HkdfSha256, Kem, KemInfo, Labels, Secret, SharedSecret, Status, TwoStage,
    X25519HkdfSha256, labeled::kem_suite_id,
};

use crate::kyber;

/// The X25519 half of keys and encapsulated keys, in bytes.
const N_X25519: usize = 32;

/// X25519Kyber768Draft00, id 0x0030.
#[derive(Clone, Debug)]
pub struct X25519Kyber768Draft00;

static INFO: KemInfo = KemInfo {
    id: 0x0030,
    name: "X25519Kyber768Draft00",
    short_name: "x25519-kyber768-draft00",
    n_secret: 64,
    n_enc: N_X25519 + kyber::N_CT,
    n_pk: N_X25519 + kyber::N_PK,
    n_sk: N_X25519 + kyber::N_SK,
    n_random: 64,
    auth: false,
    status: Status::Draft("draft-westerbaan-cfrg-hpke-xyber768d00-03, expired"),
};

type XPrivateKey = <X25519HkdfSha256 as Kem>::PrivateKey;
type XPublicKey = <X25519HkdfSha256 as Kem>::PublicKey;

/// A private key: both halves, neither of them a seed.
pub struct PrivateKey {
    x: XPrivateKey,
    kyber: kyber::SecretKey,
    public: PublicKey,
}

/// A public key: both halves, and their bytes joined.
#[derive(Clone)]
pub struct PublicKey {
    bytes: Arc<[u8]>,
    x: XPublicKey,
    kyber: kyber::PublicKey,
}

impl Kem for X25519Kyber768Draft00 {
    type PrivateKey = PrivateKey;
    type PublicKey = PublicKey;
    type Enc = Vec<u8>;

    fn info(&self) -> &KemInfo {
        &INFO
    }

    fn derive_key_pair(&self, ikm: &[u8]) -> Result<(PrivateKey, PublicKey), Error> {
        let suite_id = kem_suite_id(INFO.id);
        let labels = Labels::v1(&suite_id);
        let dkp_prk = HkdfSha256.labeled_prk(&labels, b"", "dkp_prk", [ikm, b""])?;
        let mut seeds = Secret::new([0; N_X25519 + kyber::N_SEED]);
        HkdfSha256.labeled_expand(&labels, &dkp_prk, "sk", [b""; 3], seeds.as_mut())?;
        let (seed1, seed2) = seeds
            .bytes()
            .split_first_chunk::<N_X25519>()
            .ok_or(Error::DeriveKeyPair)?;
        let (x, x_public) = X25519HkdfSha256.derive_key_pair(seed1)?;
        let seed2 = seed2.try_into().map_err(|_| Error::DeriveKeyPair)?;
        let private = PrivateKey::new(x, x_public, kyber::SecretKey::generate(seed2));
        let public = private.public.clone();
        Ok((private, public))
    }

    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<PrivateKey, Error> {
        let (x, kyber) = bytes
            .split_first_chunk::<N_X25519>()
            .ok_or(Error::Deserialize)?;
        let x = X25519HkdfSha256.deserialize_private_key(x)?;
        let x_public = X25519HkdfSha256.public_key(&x)?;
        Ok(PrivateKey::new(
            x,
            x_public,
            kyber::SecretKey::parse(kyber)?,
        ))
    }

    fn serialize_private_key(&self, sk: &PrivateKey) -> Result<Secret, Error> {
        let x = X25519HkdfSha256.serialize_private_key(&sk.x)?;
        Ok(Secret::new([x.as_ref(), sk.kyber.bytes()].concat()))
    }

    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<PublicKey, Error> {
        let (x, kyber) = bytes
            .split_first_chunk::<N_X25519>()
            .ok_or(Error::Deserialize)?;
        Ok(PublicKey::new(
            X25519HkdfSha256.deserialize_public_key(x)?,
            kyber::PublicKey::parse(kyber)?,
        ))
    }

    fn public_key(&self, sk: &PrivateKey) -> Result<PublicKey, Error> {
        Ok(sk.public.clone())
    }

    fn precompute(&self, pk: &mut PublicKey) {
        X25519HkdfSha256.precompute(&mut pk.x);
    }

    fn encap(&self, pk_r: &PublicKey, randomness: &[u8]) -> Result<(SharedSecret, Vec<u8>), Error> {
        let randomness: &[u8; 64] = randomness.try_into().map_err(|_| Error::Encap)?;
        let (ier1, ier2) = randomness.split_at(N_X25519);
        let (ss1, enc1) = X25519HkdfSha256.encap(&pk_r.x, ier1)?;
        let (enc2, ss2) = pk_r
            .kyber
            .encaps(ier2.try_into().map_err(|_| Error::Encap)?);
        Ok((join(&ss1, &ss2), [&enc1[..], &enc2].concat()))
    }

    fn decap(&self, enc: &[u8], sk_r: &PrivateKey) -> Result<SharedSecret, Error> {
        let (enc1, enc2) = enc
            .split_first_chunk::<N_X25519>()
            .ok_or(Error::Deserialize)?;
        let ss1 = X25519HkdfSha256.decap(enc1, &sk_r.x)?;
        Ok(join(&ss1, &sk_r.kyber.decaps(enc2)?))
    }
}

impl PrivateKey {
    fn new(x: XPrivateKey, x_public: XPublicKey, kyber: kyber::SecretKey) -> Self {
        let public = PublicKey::new(x_public, kyber.public().clone());
        Self { x, kyber, public }
    }
}

impl PublicKey {
    fn new(x: XPublicKey, kyber: kyber::PublicKey) -> Self {
        Self {
            bytes: [x.as_ref(), kyber.as_ref()].concat().into(),
            x,
            kyber,
        }
    }
}

/// Joins the secrets: `concat(ss1, ss2)`. Each half already has its ciphertext hashed into it.
fn join(ss1: &SharedSecret, ss2: &Secret<[u8; kyber::N_SS]>) -> SharedSecret {
    let mut shared_secret = SharedSecret::zeros(INFO.n_secret);
    let (first, second) = shared_secret.as_mut().split_at_mut(32);
    first.copy_from_slice(ss1.as_ref());
    second.copy_from_slice(ss2.as_ref());
    shared_secret
}

impl AsRef<[u8]> for PublicKey {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(..)")
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({} bytes)", self.bytes.len())
    }
}
