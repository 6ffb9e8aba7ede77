//! ML-KEM (FIPS 203) as an HPKE KEM (draft-ietf-hpke-pq, section 3): one family, one entry per
//! parameter set.

use alloc::{boxed::Box, sync::Arc, vec, vec::Vec};
use core::{fmt, marker::PhantomData};

use pqseal_hpke::{
    Error, Kem, KemInfo, Labels, OneStage, Secret, Shake256, SharedSecret, SharedSecrets,
    encap_one_by_one, labeled::kem_suite_id,
};
use zeroize::Zeroizing;

pub use crate::kernel::{ParameterSet, Set512, Set768, Set1024};
use crate::{
    DRAFT,
    kernel::{DecapsulationKey, EncapsulationKey, N_SEED, N_SS},
};

/// ML-KEM with the parameters `P`; [`MlKem768`](type@MlKem768) and its sisters are the entries.
pub struct MlKem<P> {
    info: KemInfo,
    parameters: PhantomData<fn() -> P>,
}

/// ML-KEM-512, id 0x0040.
pub type MlKem512 = MlKem<Set512>;
/// ML-KEM-768, id 0x0041.
pub type MlKem768 = MlKem<Set768>;
/// ML-KEM-1024, id 0x0042.
pub type MlKem1024 = MlKem<Set1024>;

/// ML-KEM-512 as a value.
#[allow(
    non_upper_case_globals,
    reason = "a row reads like a unit struct: one name for its type and its value"
)]
pub const MlKem512: MlKem512 = MlKem::row(0x0040, "ML-KEM-512", "mlkem512");
/// ML-KEM-768 as a value.
#[allow(non_upper_case_globals, reason = "as MlKem512")]
pub const MlKem768: MlKem768 = MlKem::row(0x0041, "ML-KEM-768", "mlkem768");
/// ML-KEM-1024 as a value.
#[allow(non_upper_case_globals, reason = "as MlKem512")]
pub const MlKem1024: MlKem1024 = MlKem::row(0x0042, "ML-KEM-1024", "mlkem1024");

/// A private key: its seed `d || z` and the key that it expands to.
pub struct PrivateKey<P: ParameterSet> {
    /// Boxed, since a move leaves a copy of the bytes behind.
    seed: Option<Box<Secret<[u8; N_SEED]>>>,
    key: DecapsulationKey<P>,
    public: PublicKey<P>,
}

/// A public key: its bytes and the key that they expand to. Clones share both.
pub struct PublicKey<P: ParameterSet> {
    pub(crate) bytes: Arc<[u8]>,
    key: Arc<EncapsulationKey<P>>,
}

impl<P: ParameterSet> MlKem<P> {
    const fn row(id: u16, name: &'static str, short_name: &'static str) -> Self {
        let info = KemInfo {
            id,
            name,
            short_name,
            n_secret: N_SS,
            n_enc: P::N_C,
            n_pk: P::N_EK,
            n_sk: N_SEED,
            n_random: 32,
            auth: false,
            status: DRAFT,
        };
        Self {
            info,
            parameters: PhantomData,
        }
    }

    /// Imports a private key in the expanded form of FIPS 203 (1,632, 2,400 or 3,168 bytes), the
    /// format that some other libraries keep. Its seed cannot be recovered, so it does not
    /// serialize: [`Error::NoSeed`].
    ///
    /// # Errors
    /// [`Error::Deserialize`] if it fails the decapsulation key check (section 7.3), or if the
    /// encapsulation key in it is not canonical.
    pub fn import_expanded(&self, dk: &[u8]) -> Result<PrivateKey<P>, Error> {
        let key = PrivateKey::new(
            None,
            DecapsulationKey::import(dk).ok_or(Error::Deserialize)?,
        );
        // dk = dk_pke || ek || H(ek) || z, the last two 64 bytes. libcrux reduces an ek that is not
        // canonical. Its hash would then differ from the stored one, and the key would not open
        // what is sealed to its own public key.
        if dk[..dk.len() - 64].ends_with(key.public.as_ref()) {
            Ok(key)
        } else {
            Err(Error::Deserialize)
        }
    }

    /// Derives a key pair like some peers: `ikm` is the seed itself, 64 bytes. Use it for keys that
    /// were derived that way. [`Kem::derive_key_pair`] hashes, and gives another key.
    ///
    /// # Errors
    /// [`Error::Deserialize`] for another length.
    pub fn derive_key_pair_verbatim(
        &self,
        ikm: &[u8],
    ) -> Result<(PrivateKey<P>, PublicKey<P>), Error> {
        let sk = self.deserialize_private_key(ikm)?;
        let pk = sk.public.clone();
        Ok((sk, pk))
    }
}

impl<P: ParameterSet> Kem for MlKem<P> {
    type PrivateKey = PrivateKey<P>;
    type PublicKey = PublicKey<P>;
    type Enc = Vec<u8>;

    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn derive_key_pair(&self, ikm: &[u8]) -> Result<(PrivateKey<P>, PublicKey<P>), Error> {
        self.derive_key_pair_verbatim(derive_seed::<N_SEED>(self.info.id, ikm)?.as_ref())
    }

    /// Accepts any 64 bytes as a seed, zeros included.
    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<PrivateKey<P>, Error> {
        let seed = Secret::new(bytes.try_into().map_err(|_| Error::Deserialize)?);
        Ok(PrivateKey::from_seed(seed))
    }

    fn serialize_private_key(&self, sk: &PrivateKey<P>) -> Result<Secret, Error> {
        sk.seed
            .as_ref()
            .map(|seed| Secret::from_bytes((**seed).as_ref()))
            .ok_or(Error::NoSeed)
    }

    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<PublicKey<P>, Error> {
        PublicKey::parse(bytes)
    }

    fn public_key(&self, sk: &PrivateKey<P>) -> Result<PublicKey<P>, Error> {
        Ok(sk.public.clone())
    }

    fn encap(
        &self,
        pk_r: &PublicKey<P>,
        randomness: &[u8],
    ) -> Result<(SharedSecret, Vec<u8>), Error> {
        let m = randomness.try_into().map_err(|_| Error::Encap)?;
        let (shared_secret, enc) = pk_r.encaps(m, 0);
        Ok((SharedSecret::from_slice(shared_secret.as_ref()), enc))
    }

    fn encap_batch(
        &self,
        pk_r: &PublicKey<P>,
        randomness: &[&[u8]],
    ) -> Result<(SharedSecrets, Vec<Vec<u8>>), Error> {
        let m: Result<Vec<&[u8; 32]>, _> = randomness.iter().map(|&m| m.try_into()).collect();
        let Ok(m) = m else {
            return encap_one_by_one(self, pk_r, randomness);
        };
        let (shared_secrets, encs) = pk_r.encaps_all(&m, 0);
        Ok((all(&shared_secrets), encs))
    }

    /// Decapsulates. An altered ciphertext gives another secret, not an error (implicit rejection):
    /// the message then does not open.
    fn decap(&self, enc: &[u8], sk_r: &PrivateKey<P>) -> Result<SharedSecret, Error> {
        Ok(SharedSecret::from_slice(sk_r.decaps(enc)?.as_ref()))
    }

    fn decap_batch(&self, encs: &[&[u8]], sk_r: &PrivateKey<P>) -> SharedSecrets {
        if encs.iter().any(|enc| enc.len() != P::N_C) {
            return encs.iter().map(|enc| self.decap(enc, sk_r)).collect();
        }
        all(&sk_r.decaps_all(encs))
    }
}

fn all(shared_secrets: &[[u8; N_SS]]) -> SharedSecrets {
    let each = shared_secrets.iter();
    each.map(|secret| Ok(SharedSecret::from_slice(secret)))
        .collect()
}

impl<P: ParameterSet> PrivateKey<P> {
    pub(crate) fn from_seed(seed: Secret<[u8; N_SEED]>) -> Self {
        let key = DecapsulationKey::from_seed(seed.bytes());
        Self::new(Some(seed), key)
    }

    fn new(seed: Option<Secret<[u8; N_SEED]>>, key: DecapsulationKey<P>) -> Self {
        let public = PublicKey {
            bytes: key.encapsulation_key().into(),
            key: Arc::new(key.public_key()),
        };
        let seed = seed.map(Box::new);
        Self { seed, key, public }
    }

    pub(crate) const fn public(&self) -> &PublicKey<P> {
        &self.public
    }

    pub(crate) fn decaps(&self, enc: &[u8]) -> Result<Secret<[u8; N_SS]>, Error> {
        if enc.len() != P::N_C {
            return Err(Error::Deserialize);
        }
        let mut shared_secret = Secret::new([0; N_SS]);
        let place = shared_secret.as_mut().try_into().expect("32 bytes");
        self.key.decaps(enc, place);
        Ok(shared_secret)
    }

    /// Returns the secrets of many ciphertexts, computed two at a time. All must have the length of
    /// one.
    pub(crate) fn decaps_all(&self, encs: &[&[u8]]) -> Zeroizing<Vec<[u8; N_SS]>> {
        let mut shared_secrets = Zeroizing::new(vec![[0; N_SS]; encs.len()]);
        self.key.decaps_all(encs, &mut shared_secrets);
        shared_secrets
    }
}

impl<P: ParameterSet> PublicKey<P> {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let key = EncapsulationKey::unpack(bytes).ok_or(Error::Deserialize)?;
        Ok(Self {
            bytes: bytes.into(),
            key: Arc::new(key),
        })
    }

    /// Encapsulates. The ciphertext has room for `more` bytes after it.
    pub(crate) fn encaps(&self, m: &[u8; 32], more: usize) -> (Secret<[u8; N_SS]>, Vec<u8>) {
        let mut shared_secret = Secret::new([0; N_SS]);
        let mut enc = ciphertext::<P>(more);
        let place = shared_secret.as_mut().try_into().expect("32 bytes");
        self.key.encaps(m, &mut enc, place);
        (shared_secret, enc)
    }

    /// Encapsulates many messages, two at a time.
    pub(crate) fn encaps_all(
        &self,
        m: &[&[u8; 32]],
        more: usize,
    ) -> (Zeroizing<Vec<[u8; N_SS]>>, Vec<Vec<u8>>) {
        let mut shared_secrets = Zeroizing::new(vec![[0; N_SS]; m.len()]);
        let mut encs: Vec<_> = m.iter().map(|_| ciphertext::<P>(more)).collect();
        self.key.encaps_all(m, &mut encs, &mut shared_secrets);
        (shared_secrets, encs)
    }
}

/// Returns room for a ciphertext and `more` bytes after it.
fn ciphertext<P: ParameterSet>(more: usize) -> Vec<u8> {
    let mut enc = Vec::with_capacity(P::N_C + more);
    enc.resize(P::N_C, 0);
    enc
}

/// Derives a seed as the draft's DeriveKeyPair: `SHAKE256.LabeledDerive(ikm, "DeriveKeyPair", "",
/// N)` under the KEM's suite id.
pub(crate) fn derive_seed<const N: usize>(
    kem_id: u16,
    ikm: &[u8],
) -> Result<Secret<[u8; N]>, Error> {
    let suite_id = kem_suite_id(kem_id);
    let mut seed = Secret::new([0; N]);
    Shake256.labeled_derive(
        &Labels::v1(&suite_id),
        &[ikm],
        "DeriveKeyPair",
        b"",
        &mut [seed.as_mut()],
    )?;
    Ok(seed)
}

impl<P: ParameterSet> Clone for PublicKey<P> {
    fn clone(&self) -> Self {
        Self {
            bytes: self.bytes.clone(),
            key: self.key.clone(),
        }
    }
}

impl<P: ParameterSet> AsRef<[u8]> for PublicKey<P> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<P: ParameterSet> fmt::Debug for PrivateKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(..)")
    }
}

impl<P: ParameterSet> fmt::Debug for PublicKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({} bytes)", self.bytes.len())
    }
}

impl<P> Clone for MlKem<P> {
    fn clone(&self) -> Self {
        Self {
            info: self.info,
            parameters: PhantomData,
        }
    }
}

impl<P> fmt::Debug for MlKem<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}
