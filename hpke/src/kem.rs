//! The trait of every key encapsulation mechanism (RFC 9180, section 4).

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
    /// A parsed private key. It keeps what is costly to recompute, at least its public key. Its
    /// `Debug` shows nothing of it.
    type PrivateKey: fmt::Debug + Send + Sync;
    /// A parsed and validated public key; `as_ref` is its serialized form, Npk bytes.
    type PublicKey: AsRef<[u8]> + Clone + fmt::Debug + Send + Sync;
    /// An encapsulated key, Nenc bytes.
    type Enc: AsRef<[u8]> + fmt::Debug;

    /// Returns the id, names, sizes and status.
    fn info(&self) -> &KemInfo;

    /// Derives a key pair from `ikm` (DeriveKeyPair). The result has only as much entropy as `ikm`,
    /// which should have at least Nsk bytes.
    ///
    /// # Errors
    /// [`Error::DeriveKeyPair`] if rejection sampling finds no key (P-curves).
    fn derive_key_pair(&self, ikm: &[u8]) -> Result<(Self::PrivateKey, Self::PublicKey), Error>;

    /// Parses a private key of Nsk bytes (DeserializePrivateKey).
    ///
    /// # Errors
    /// [`Error::Deserialize`] for another length or a value out of range.
    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<Self::PrivateKey, Error>;

    /// Serializes a private key (SerializePrivateKey): Nsk bytes, as they were given or derived.
    fn serialize_private_key(&self, sk: &Self::PrivateKey) -> Result<Secret, Error>;

    /// Parses a public key of Npk bytes (DeserializePublicKey), validated as in RFC 9180, section
    /// 7.1.4.
    ///
    /// # Errors
    /// [`Error::Deserialize`] for another length or a point that is not on the curve.
    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<Self::PublicKey, Error>;

    /// Returns the public key that belongs to a private key.
    fn public_key(&self, sk: &Self::PrivateKey) -> Result<Self::PublicKey, Error>;

    /// Precomputes what makes each later encapsulation to `pk` faster, without changing results or
    /// errors. Does nothing unless the KEM implements it. [`crate::Sender::precompute`] documents
    /// when it pays off.
    fn precompute(&self, _pk: &mut Self::PublicKey) {}

    /// Makes a fresh shared secret and its encapsulation under `pk_r` from `n_random` bytes of
    /// randomness (Encap).
    ///
    /// # Errors
    /// [`Error::Encap`] for a wrong number of random bytes, [`Error::Validation`] for a low-order
    /// `pk_r`.
    fn encap(
        &self,
        pk_r: &Self::PublicKey,
        randomness: &[u8],
    ) -> Result<(SharedSecret, Self::Enc), Error>;

    /// Encapsulates once per randomness, of `n_random` bytes each, under one key: as
    /// [`Kem::encap`], in order. A loop unless the KEM has something faster.
    ///
    /// # Errors
    /// Same as [`Kem::encap`], for the whole batch: they depend on the key and not on a
    /// message.
    fn encap_batch(
        &self,
        pk_r: &Self::PublicKey,
        randomness: &[&[u8]],
    ) -> Result<(SharedSecrets, Vec<Self::Enc>), Error> {
        encap_one_by_one(self, pk_r, randomness)
    }

    /// Decapsulates the shared secret in `enc` (Decap).
    ///
    /// # Errors
    /// [`Error::Deserialize`] if `enc` is malformed, [`Error::Validation`] if it is a low-order
    /// point.
    fn decap(&self, enc: &[u8], sk_r: &Self::PrivateKey) -> Result<SharedSecret, Error>;

    /// Decapsulates many keys with one private key, results in order. A loop unless the KEM has
    /// something faster.
    fn decap_batch(&self, encs: &[&[u8]], sk_r: &Self::PrivateKey) -> SharedSecrets {
        encs.iter().map(|enc| self.decap(enc, sk_r)).collect()
    }

    /// Encapsulates and proves that the sender holds `sk_s` (AuthEncap). RFC 9180 only.
    ///
    /// # Errors
    /// [`Error::AuthUnsupported`] unless the KEM supports it; otherwise the same as [`Kem::encap`].
    fn auth_encap(
        &self,
        _pk_r: &Self::PublicKey,
        _sk_s: &Self::PrivateKey,
        _randomness: &[u8],
    ) -> Result<(SharedSecret, Self::Enc), Error> {
        Err(Error::AuthUnsupported)
    }

    /// Decapsulates and checks that the sender holds the private key of `pk_s` (AuthDecap). RFC
    /// 9180 only.
    ///
    /// # Errors
    /// [`Error::AuthUnsupported`] unless the KEM supports it; otherwise the same as [`Kem::decap`].
    fn auth_decap(
        &self,
        _enc: &[u8],
        _sk_r: &Self::PrivateKey,
        _pk_s: &Self::PublicKey,
    ) -> Result<SharedSecret, Error> {
        Err(Error::AuthUnsupported)
    }
}

/// Encapsulates in a loop: the default of [`Kem::encap_batch`].
///
/// # Errors
/// The first error.
pub fn encap_one_by_one<K: Kem + ?Sized>(
    kem: &K,
    pk_r: &K::PublicKey,
    randomness: &[&[u8]],
) -> Result<(SharedSecrets, Vec<K::Enc>), Error> {
    let mut encs = Vec::with_capacity(randomness.len());
    let shared_secrets: SharedSecrets = randomness
        .iter()
        .map(|randomness| {
            let (shared_secret, enc) = kem.encap(pk_r, randomness)?;
            encs.push(enc);
            Ok(shared_secret)
        })
        .collect();
    shared_secrets.all()?;
    Ok((shared_secrets, encs))
}
