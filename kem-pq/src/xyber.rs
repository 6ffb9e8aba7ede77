//! X25519Kyber768Draft00 (draft-westerbaan-cfrg-hpke-xyber768d00, expired): X25519 and Kyber round
//! 3, for data sealed by its deployments.
//!
//! New keys should be [`MlKem768X25519`](type@crate::MlKem768X25519)'s. Kyber round 3 is not
//! ML-KEM: one does not open the other.

use alloc::{boxed::Box, sync::Arc, vec::Vec};
use core::fmt;

use hpke::{
    Error, HkdfSha256, Kem, KemInfo, Labels, Secret, SharedSecret, Status, TwoStage,
    X25519HkdfSha256, labeled::kem_suite_id,
};
use libcrux_ml_kem::{MlKemPrivateKey, MlKemPublicKey, kyber768};

use crate::kernel::Wiped;

/// The X25519 half of keys and encapsulated keys, in bytes.
const N_X25519: usize = 32;
/// A Kyber768 public key, private key and ciphertext, in bytes.
const N_EK: usize = 1184;
const N_DK: usize = 2400;
const N_C: usize = 1088;

/// X25519Kyber768Draft00, id 0x0030.
#[derive(Clone, Debug)]
pub struct X25519Kyber768Draft00;

static INFO: KemInfo = KemInfo {
    id: 0x0030,
    name: "X25519Kyber768Draft00",
    short_name: "x25519-kyber768-draft00",
    n_secret: 64,
    n_enc: N_X25519 + N_C,
    n_pk: N_X25519 + N_EK,
    n_sk: N_X25519 + N_DK,
    n_random: 64,
    auth: false,
    status: Status::Draft("draft-westerbaan-cfrg-hpke-xyber768d00-03, expired"),
};

type XPrivateKey = <X25519HkdfSha256 as Kem>::PrivateKey;
type XPublicKey = <X25519HkdfSha256 as Kem>::PublicKey;

/// A private key: both halves, neither of them a seed.
pub struct PrivateKey {
    x: XPrivateKey,
    kyber: Wiped<KyberPrivateKey>,
    public: PublicKey,
}

/// A public key: both halves, and their bytes joined.
#[derive(Clone)]
pub struct PublicKey {
    bytes: Arc<[u8]>,
    x: XPublicKey,
    kyber: Arc<MlKemPublicKey<N_EK>>,
}

type KyberPrivateKey = MlKemPrivateKey<N_DK>;

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
        let mut seeds = Secret::new([0; N_X25519 + 64]);
        HkdfSha256.labeled_expand(&labels, &dkp_prk, "sk", [b""; 3], seeds.as_mut())?;
        let (seed1, seed2) = seeds
            .bytes()
            .split_first_chunk::<N_X25519>()
            .ok_or(Error::DeriveKeyPair)?;
        let (x, x_public) = X25519HkdfSha256.derive_key_pair(seed1)?;
        let (kyber, kyber_public) =
            kyber768::generate_key_pair(seed2.try_into().map_err(|_| Error::DeriveKeyPair)?)
                .into_parts();
        let public = PublicKey::new(x_public, kyber_public);
        Ok((
            PrivateKey {
                x,
                kyber: Wiped(Box::new(kyber)),
                public: public.clone(),
            },
            public,
        ))
    }

    /// Kyber's half carries its public key, and the check that it is whole (FIPS 203, section 7.3,
    /// has the same form).
    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<PrivateKey, Error> {
        let (x, dk) = bytes
            .split_first_chunk::<N_X25519>()
            .ok_or(Error::Deserialize)?;
        let x = X25519HkdfSha256.deserialize_private_key(x)?;
        let kyber = Wiped(Box::new(
            KyberPrivateKey::try_from(dk).map_err(|_| Error::Deserialize)?,
        ));
        if !libcrux_ml_kem::mlkem768::portable::validate_private_key_only(&kyber.0) {
            return Err(Error::Deserialize);
        }
        // dk = dk_pke (384 k = 1152 bytes) || ek || H(ek) || z.
        let ek = &dk[N_DK - 64 - N_EK..N_DK - 64];
        let public = PublicKey::new(X25519HkdfSha256.public_key(&x)?, kyber_public(ek)?);
        Ok(PrivateKey { x, kyber, public })
    }

    fn serialize_private_key(&self, sk: &PrivateKey) -> Result<Secret, Error> {
        let x = X25519HkdfSha256.serialize_private_key(&sk.x)?;
        Ok(Secret::new(
            [x.as_ref(), sk.kyber.0.as_ref().as_ref()].concat(),
        ))
    }

    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<PublicKey, Error> {
        let (x, ek) = bytes
            .split_first_chunk::<N_X25519>()
            .ok_or(Error::Deserialize)?;
        Ok(PublicKey::new(
            X25519HkdfSha256.deserialize_public_key(x)?,
            kyber_public(ek)?,
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
        let (enc2, ss2) =
            kyber768::encapsulate(&pk_r.kyber, ier2.try_into().map_err(|_| Error::Encap)?);
        Ok((
            join(&ss1, &Secret::new(ss2)),
            [&enc1[..], enc2.as_ref()].concat(),
        ))
    }

    fn decap(&self, enc: &[u8], sk_r: &PrivateKey) -> Result<SharedSecret, Error> {
        let (enc1, enc2) = enc
            .split_first_chunk::<N_X25519>()
            .ok_or(Error::Deserialize)?;
        let enc2 = enc2.try_into().map_err(|_| Error::Deserialize)?;
        let ss1 = X25519HkdfSha256.decap(enc1, &sk_r.x)?;
        Ok(join(
            &ss1,
            &Secret::new(kyber768::decapsulate(&sk_r.kyber.0, &enc2)),
        ))
    }
}

impl PublicKey {
    fn new(x: XPublicKey, kyber: MlKemPublicKey<N_EK>) -> Self {
        Self {
            bytes: [x.as_ref(), kyber.as_ref()].concat().into(),
            x,
            kyber: Arc::new(kyber),
        }
    }
}

/// A Kyber public key whose coefficients are reduced. Round 3 did not ask for that check; every
/// honest key passes it.
fn kyber_public(ek: &[u8]) -> Result<MlKemPublicKey<N_EK>, Error> {
    let ek = ek.try_into().map_err(|_| Error::Deserialize)?;
    if kyber768::validate_public_key(&ek) {
        Ok(ek)
    } else {
        Err(Error::Deserialize)
    }
}

/// `concat(ss1, ss2)`: each half has its ciphertext hashed into it already.
fn join(ss1: &SharedSecret, ss2: &Secret<[u8; 32]>) -> SharedSecret {
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
