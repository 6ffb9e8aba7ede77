//! Ciphersuites: the API of RFC 9180, sections 5 and 6, over a KEM, a KDF and an AEAD.

use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;

use crate::{
    Aead, AnyAead, DynKdf, DynKem, Error, Kdf, Kem, Mode, RecipientContext, Secret, SenderContext,
    SharedSecret, SuiteId, aead::Sealing, context::Context, mode, schedule::KeySchedule,
};

/// A ciphersuite. Bare `Suite` is chosen by ids at run time ([`Suite::from_id`]);
/// `Suite<X25519HkdfSha256, HkdfSha256, ChaCha20Poly1305>` is fixed at compile time. Both run the
/// same code and give the same bytes.
///
/// ```
/// use pqseal_hpke::{ChaCha20Poly1305, HkdfSha256, Mode, Suite, SysRng, X25519HkdfSha256};
///
/// let suite = Suite::new(&X25519HkdfSha256, &HkdfSha256, &ChaCha20Poly1305);
/// let (sk, pk) = suite.generate_key_pair(&mut SysRng)?;
/// let (enc, ct) = suite.seal(&pk, b"info", Mode::Base, b"aad", b"message", &mut SysRng)?;
/// assert_eq!(suite.open(&enc, &sk, b"info", Mode::Base, b"aad", &ct)?, b"message");
/// # Ok::<(), pqseal_hpke::Error>(())
/// ```
pub struct Suite<
    K: Kem + ?Sized + 'static = DynKem,
    D: ?Sized + 'static = DynKdf,
    A: 'static = AnyAead,
> {
    kem: &'static K,
    kdf: &'static D,
    aead: &'static A,
}

impl<K: Kem + ?Sized, D: Kdf + ?Sized, A: Aead> Suite<K, D, A> {
    /// Creates a suite from its three algorithms. No [`Policy`](crate::Policy) is consulted, since
    /// the algorithms are chosen in source code.
    pub const fn new(kem: &'static K, kdf: &'static D, aead: &'static A) -> Self {
        Self { kem, kdf, aead }
    }

    /// Returns the three ids.
    pub fn id(&self) -> SuiteId {
        SuiteId::new(self.kem.info().id, self.kdf.info().id, self.aead.info().id)
    }

    /// Returns the KEM, which serializes, parses and derives keys (DeriveKeyPair).
    pub const fn kem(&self) -> &'static K {
        self.kem
    }

    /// Returns the KDF.
    pub const fn kdf(&self) -> &'static D {
        self.kdf
    }

    /// Returns the AEAD.
    pub const fn aead(&self) -> &'static A {
        self.aead
    }

    /// Parses a public key of Npk bytes, such as a peer sends (DeserializePublicKey).
    ///
    /// # Errors
    /// [`Error::Deserialize`] if the length is wrong or the bytes are not a public key.
    pub fn public_key(&self, bytes: &[u8]) -> Result<K::PublicKey, Error> {
        self.kem.deserialize_public_key(bytes)
    }

    /// Parses a private key of Nsk bytes (DeserializePrivateKey).
    ///
    /// # Errors
    /// [`Error::Deserialize`] if the length is wrong or the value is out of range.
    pub fn private_key(&self, bytes: &[u8]) -> Result<K::PrivateKey, Error> {
        self.kem.deserialize_private_key(bytes)
    }

    /// Generates a key pair by DeriveKeyPair from Nsk random bytes.
    ///
    /// # Errors
    /// [`Error::Rng`], and the errors of [`Kem::derive_key_pair`].
    pub fn generate_key_pair<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
    ) -> Result<(K::PrivateKey, K::PublicKey), Error> {
        self.kem
            .derive_key_pair(random(self.kem.info().n_sk, rng)?.as_ref())
    }

    /// Creates a fresh encapsulated key of Nenc bytes for `pk_r`, and the context that seals under
    /// it (Setup{Base,Psk,Auth,AuthPsk}S, section 5.1). `info` binds the context to its use.
    ///
    /// # Errors
    /// [`Error::Rng`], [`Error::Validation`], [`Error::AuthUnsupported`], [`Error::KeyMismatch`],
    /// [`Error::InputTooLong`].
    pub fn setup_s<R: TryCryptoRng + ?Sized>(
        &self,
        pk_r: &K::PublicKey,
        info: &[u8],
        mode: Mode<'_, K::PrivateKey>,
        rng: &mut R,
    ) -> Result<(K::Enc, SenderContext<D, A>), Error> {
        let schedule = self.schedule(&mode, info)?;
        let (shared_secret, enc) = self.encap(pk_r, mode.key(), rng)?;
        let context = Context::new(&schedule, &shared_secret)?;
        Ok((enc, SenderContext(context)))
    }

    /// Creates the context that opens messages sealed under `enc` (Setup{Base,Psk,Auth,AuthPsk}R,
    /// section 5.1).
    ///
    /// # Errors
    /// [`Error::Deserialize`], [`Error::Validation`], [`Error::Decap`], [`Error::AuthUnsupported`],
    /// [`Error::KeyMismatch`], [`Error::InputTooLong`], [`Error::KeyUnavailable`].
    pub fn setup_r(
        &self,
        enc: &(impl AsRef<[u8]> + ?Sized),
        sk_r: &K::PrivateKey,
        info: &[u8],
        mode: Mode<'_, K::PublicKey>,
    ) -> Result<RecipientContext<D, A>, Error> {
        let schedule = self.schedule(&mode, info)?;
        let shared_secret = mode::decap(self.kem, enc.as_ref(), sk_r, mode.key())?;
        Context::new(&schedule, &shared_secret).map(RecipientContext)
    }

    /// Creates an encapsulated key and `len` bytes that the recipient can export too
    /// (SendExport{Base,Psk,Auth,AuthPsk}, section 6.2).
    ///
    /// # Errors
    /// Same as [`Suite::setup_s`] and [`SenderContext::export`].
    pub fn send_export<R: TryCryptoRng + ?Sized>(
        &self,
        pk_r: &K::PublicKey,
        info: &[u8],
        mode: Mode<'_, K::PrivateKey>,
        exporter_context: &[u8],
        len: usize,
        rng: &mut R,
    ) -> Result<(K::Enc, Secret), Error> {
        let (enc, context) = self.setup_s(pk_r, info, mode, rng)?;
        Ok((enc, context.export(exporter_context, len)?))
    }

    /// Exports the bytes that [`Suite::send_export`] returned with `enc`
    /// (ReceiveExport{Base,Psk,Auth,AuthPsk}, section 6.2).
    ///
    /// # Errors
    /// Same as [`Suite::setup_r`] and [`RecipientContext::export`].
    pub fn receive_export(
        &self,
        enc: &(impl AsRef<[u8]> + ?Sized),
        sk_r: &K::PrivateKey,
        info: &[u8],
        mode: Mode<'_, K::PublicKey>,
        exporter_context: &[u8],
        len: usize,
    ) -> Result<Secret, Error> {
        self.setup_r(enc, sk_r, info, mode)?
            .export(exporter_context, len)
    }

    pub(crate) fn schedule<Key>(
        &self,
        mode: &Mode<'_, Key>,
        info: &[u8],
    ) -> Result<KeySchedule<D, A>, Error> {
        KeySchedule::new(self.kdf, self.aead, self.id(), mode, info)
    }

    /// Encapsulates with fresh randomness.
    pub(crate) fn encap<R: TryCryptoRng + ?Sized>(
        &self,
        pk_r: &K::PublicKey,
        sk_s: Option<&K::PrivateKey>,
        rng: &mut R,
    ) -> Result<(SharedSecret, K::Enc), Error> {
        mode::encap(
            self.kem,
            pk_r,
            sk_s,
            random(self.kem.info().n_random, rng)?.as_ref(),
        )
    }
}

impl<K: Kem + ?Sized, D: Kdf + ?Sized, A: Sealing> Suite<K, D, A> {
    /// Seals one message under a fresh encapsulated key (Seal{Base,Psk,Auth,AuthPsk}, section 6.1).
    /// Returns `(enc, ct)`.
    ///
    /// # Errors
    /// Same as [`Suite::setup_s`] and [`SenderContext::seal`].
    pub fn seal<R: TryCryptoRng + ?Sized>(
        &self,
        pk_r: &K::PublicKey,
        info: &[u8],
        mode: Mode<'_, K::PrivateKey>,
        aad: &[u8],
        pt: &[u8],
        rng: &mut R,
    ) -> Result<(K::Enc, Vec<u8>), Error> {
        let schedule = self.schedule(&mode, info)?;
        let (shared_secret, enc) = self.encap(pk_r, mode.key(), rng)?;
        Ok((enc, schedule.seal(&shared_secret, aad, pt)?))
    }

    /// Opens the one message sealed under `enc` (Open{Base,Psk,Auth,AuthPsk}, section 6.1).
    ///
    /// # Errors
    /// Same as [`Suite::setup_r`] and [`RecipientContext::open`].
    pub fn open(
        &self,
        enc: &(impl AsRef<[u8]> + ?Sized),
        sk_r: &K::PrivateKey,
        info: &[u8],
        mode: Mode<'_, K::PublicKey>,
        aad: &[u8],
        ct: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let schedule = self.schedule(&mode, info)?;
        let shared_secret = mode::decap(self.kem, enc.as_ref(), sk_r, mode.key())?;
        schedule.open(&shared_secret, aad, ct)
    }
}

impl<K: Kem + ?Sized, D: ?Sized, A> Clone for Suite<K, D, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Kem + ?Sized, D: ?Sized, A> Copy for Suite<K, D, A> {}

impl<K: Kem + ?Sized, D: Kdf + ?Sized, A: Aead> fmt::Debug for Suite<K, D, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Suite({}, {}, {})",
            self.kem.info().name,
            self.kdf.info().name,
            self.aead.info().name
        )
    }
}

/// Draws `len` random bytes.
pub(crate) fn random<R: TryCryptoRng + ?Sized>(len: usize, rng: &mut R) -> Result<Secret, Error> {
    let mut bytes = Secret::new(alloc::vec![0; len]);
    rng.try_fill_bytes(bytes.as_mut()).map_err(|_| Error::Rng)?;
    Ok(bytes)
}
