//! The one trait that every key encapsulation mechanism implements (RFC 9180, section 4).

use alloc::vec::Vec;
use core::fmt;

use crate::{Error, KemInfo, Secret, SharedSecret, SharedSecrets};

/// A key encapsulation mechanism.
///
/// Randomness is an argument, so that known-answer tests need no test hook; [`crate::Suite`]
/// generates it. Implement this trait for a key in hardware or behind a service:
/// [`crate::manual::hardware`] is an example.
///
/// The trait is object-safe once its types are fixed: [`crate::DynKem`] is that form.
pub trait Kem: fmt::Debug {
    /// A parsed private key. It keeps whatever is costly to recompute, its public key at least. Its
    /// `Debug` shows nothing of it.
    type PrivateKey: fmt::Debug + Send + Sync;
    /// A parsed and validated public key; `as_ref` is its serialized form, Npk bytes.
    type PublicKey: AsRef<[u8]> + Clone + fmt::Debug + Send + Sync;
    /// An encapsulated key, Nenc bytes.
    type Enc: AsRef<[u8]> + fmt::Debug;

    /// Id, names, sizes and status.
    fn info(&self) -> &KemInfo;

    /// DeriveKeyPair. The result has only as much entropy as `ikm`, which should have at least Nsk
    /// bytes.
    ///
    /// # Errors
    /// [`Error::DeriveKeyPair`] where rejection sampling finds no key (P-curves).
    fn derive_key_pair(&self, ikm: &[u8]) -> Result<(Self::PrivateKey, Self::PublicKey), Error>;

    /// DeserializePrivateKey: Nsk bytes.
    ///
    /// # Errors
    /// [`Error::Deserialize`] for another length or a value out of range.
    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<Self::PrivateKey, Error>;

    /// SerializePrivateKey: Nsk bytes, as they were given or derived.
    fn serialize_private_key(&self, sk: &Self::PrivateKey) -> Result<Secret, Error>;

    /// DeserializePublicKey: Npk bytes, validated as in RFC 9180, section 7.1.4.
    ///
    /// # Errors
    /// [`Error::Deserialize`] for another length or a point that is not on the curve.
    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<Self::PublicKey, Error>;

    /// The public key that belongs to a private key.
    fn public_key(&self, sk: &Self::PrivateKey) -> Result<Self::PublicKey, Error>;

    /// Precomputes what makes each later encapsulation to `pk` cheaper, without changing results
    /// or errors. Does nothing unless the KEM implements it. [`crate::Sender::precompute`] says
    /// when it pays off.
    fn precompute(&self, _pk: &mut Self::PublicKey) {}

    /// Encap: a fresh shared secret and its encapsulation under `pk_r`, from `n_random` bytes of
    /// randomness.
    ///
    /// # Errors
    /// [`Error::Encap`] for a wrong number of random bytes, [`Error::Validation`] for a low-order
    /// `pk_r`.
    fn encap(
        &self,
        pk_r: &Self::PublicKey,
        randomness: &[u8],
    ) -> Result<(SharedSecret, Self::Enc), Error>;

    /// [`Kem::encap`] of each randomness, of `n_random` bytes, under one key: as many shared secrets and
    /// encapsulations, in order. A loop unless the KEM has something faster.
    ///
    /// # Errors
    /// As [`Kem::encap`]: of all, since they depend on the key and not on a message.
    fn encap_batch(
        &self,
        pk_r: &Self::PublicKey,
        randomness: &[&[u8]],
    ) -> Result<(SharedSecrets, Vec<Self::Enc>), Error> {
        encap_one_by_one(self, pk_r, randomness)
    }

    /// Decap: the shared secret that `enc` encapsulates.
    ///
    /// # Errors
    /// [`Error::Deserialize`] if `enc` is malformed, [`Error::Validation`] if it is a low-order
    /// point.
    fn decap(&self, enc: &[u8], sk_r: &Self::PrivateKey) -> Result<SharedSecret, Error>;

    /// Many decapsulations under one key, results in order. A loop unless the KEM has something
    /// faster.
    fn decap_batch(&self, encs: &[&[u8]], sk_r: &Self::PrivateKey) -> SharedSecrets {
        encs.iter().map(|enc| self.decap(enc, sk_r)).collect()
    }

    /// AuthEncap: as encap, and proves that the sender holds `sk_s`. RFC 9180 only.
    ///
    /// # Errors
    /// [`Error::AuthUnsupported`] unless the KEM has it; else as [`Kem::encap`].
    fn auth_encap(
        &self,
        _pk_r: &Self::PublicKey,
        _sk_s: &Self::PrivateKey,
        _randomness: &[u8],
    ) -> Result<(SharedSecret, Self::Enc), Error> {
        Err(Error::AuthUnsupported)
    }

    /// AuthDecap. RFC 9180 only.
    ///
    /// # Errors
    /// [`Error::AuthUnsupported`] unless the KEM has it; else as [`Kem::decap`].
    fn auth_decap(
        &self,
        _enc: &[u8],
        _sk_r: &Self::PrivateKey,
        _pk_s: &Self::PublicKey,
    ) -> Result<SharedSecret, Error> {
        Err(Error::AuthUnsupported)
    }
}

/// What [`Kem::encap_batch`] is unless a KEM has something faster.
///
/// # Errors
/// The first.
pub fn encap_one_by_one<K: Kem + ?Sized>(
    kem: &K,
    pk_r: &K::PublicKey,
    randomness: &[&[u8]],
) -> Result<(SharedSecrets, Vec<K::Enc>), Error> {
    let mut encs = Vec::with_capacity(randomness.len());
    let encap = |randomness: &&[u8]| {
        let (shared_secret, enc) = kem.encap(pk_r, randomness)?;
        encs.push(enc);
        Ok(shared_secret)
    };
    let shared_secrets: SharedSecrets = randomness.iter().map(encap).collect();
    shared_secrets.all()?;
    Ok((shared_secrets, encs))
}
