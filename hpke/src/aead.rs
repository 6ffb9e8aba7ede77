//! Authenticated encryption (RFC 9180, section 7.3): three AEADs that seal, and export-only.

mod any;
#[cfg(feature = "aws-lc")]
pub(crate) mod aws_lc;

use alloc::{vec, vec::Vec};
use core::{fmt, marker::PhantomData};

use aead::{
    AeadCore, AeadInOut, KeyInit,
    consts::{U12, U16},
    inout::InOutBuf,
};
#[cfg(all(feature = "aes-gcm", not(feature = "aws-lc")))]
use aes_gcm::{Aes128Gcm as ChosenAes128Gcm, Aes256Gcm as ChosenAes256Gcm};
#[cfg(all(feature = "chacha20poly1305", not(feature = "aws-lc")))]
use chacha20poly1305::ChaCha20Poly1305 as ChosenChaCha20Poly1305;
use zeroize::Zeroize;

#[cfg(feature = "aws-lc")]
use self::aws_lc::{
    Aes128Gcm as ChosenAes128Gcm, Aes256Gcm as ChosenAes256Gcm,
    ChaCha20Poly1305 as ChosenChaCha20Poly1305,
};
pub use any::{AEADS, AnyAead, AnyAeadKey, aead_by_id};

use crate::{AeadInfo, Error, Status, sealed::Sealed};

/// A nonce: Nn is 12 bytes for every AEAD of HPKE.
pub type Nonce = [u8; 12];
/// An authentication tag: Nt is 16 bytes for every AEAD of HPKE.
pub type Tag = [u8; 16];

/// An AEAD id, which the key schedule binds. Sealed: the AEADs are those of this crate.
pub trait Aead: Sealed + fmt::Debug + Send + Sync {
    /// A key ready for many messages (the AES key schedule done). Wiped on drop.
    type Key: Send + Sync;

    /// Returns the id, name, sizes and status.
    fn info(&self) -> &AeadInfo;

    /// Makes a key from these Nk bytes, as the key schedule derived them.
    ///
    /// # Errors
    /// [`Error::KeyLength`] for another number of bytes.
    fn key(&self, bytes: &[u8]) -> Result<Self::Key, Error>;
}

/// An AEAD that can encrypt. [`ExportOnly`] does not implement this trait, so a typed export-only
/// context has no `seal` method. Sealed, as [`Aead`] is.
pub trait Sealing: Aead {
    /// Encrypts `message` in place and returns the tag.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] beyond the AEAD's limit; [`Error::ExportOnly`] for a run-time AEAD
    /// that is export-only.
    fn seal_in_place(
        key: &Self::Key,
        nonce: &Nonce,
        aad: &[u8],
        message: &mut [u8],
    ) -> Result<Tag, Error>;

    /// Decrypts `message` in place if the tag is right.
    ///
    /// # Errors
    /// [`Error::Open`] if the tag is wrong: `message` then holds zeros. [`Error::ExportOnly`] as
    /// above.
    fn open_in_place(
        key: &Self::Key,
        nonce: &Nonce,
        aad: &[u8],
        message: &mut [u8],
        tag: &Tag,
    ) -> Result<(), Error>;

    /// Encrypts `message` into a new buffer: ciphertext and tag.
    ///
    /// # Errors
    /// Same as [`Sealing::seal_in_place`].
    fn seal(key: &Self::Key, nonce: &Nonce, aad: &[u8], message: &[u8]) -> Result<Vec<u8>, Error>;

    /// Decrypts `sealed`, ciphertext and tag, into a new buffer if the tag is right.
    ///
    /// # Errors
    /// [`Error::Open`] if the tag is wrong or `sealed` is shorter than a tag. [`Error::ExportOnly`]
    /// as above.
    fn open(key: &Self::Key, nonce: &Nonce, aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error>;
}

/// An AEAD with RustCrypto's traits that also works from one buffer into another. AWS-LC has
/// separate functions for this; with a pair of buffers that may be the same one ([`InOutBuf`]) it
/// only works in place.
trait Library: KeyInit + AeadInOut + AeadCore<NonceSize = U12, TagSize = U16> + Send + Sync {
    /// Encrypts `message` into `out`, which has the same length, and returns the tag.
    ///
    /// # Errors
    /// If the message exceeds the AEAD's limit, or the lengths differ.
    fn seal_into(
        &self,
        nonce: &Nonce,
        aad: &[u8],
        message: &[u8],
        out: &mut [u8],
    ) -> Result<Tag, aead::Error> {
        let buffers = InOutBuf::new(message, out).map_err(|_| aead::Error)?;
        self.encrypt_inout_detached(nonce.into(), aad, buffers)
            .map(Into::into)
    }

    /// Decrypts `ciphertext` into `out`, which has the same length, if the tag is right.
    ///
    /// # Errors
    /// If the tag is wrong, or the lengths differ.
    fn open_into(
        &self,
        nonce: &Nonce,
        aad: &[u8],
        ciphertext: &[u8],
        tag: &Tag,
        out: &mut [u8],
    ) -> Result<(), aead::Error> {
        let buffers = InOutBuf::new(ciphertext, out).map_err(|_| aead::Error)?;
        self.decrypt_inout_detached(nonce.into(), aad, buffers, tag.into())
    }
}

#[cfg(feature = "aes-gcm")]
impl Library for aes_gcm::Aes128Gcm {}
#[cfg(feature = "aes-gcm")]
impl Library for aes_gcm::Aes256Gcm {}
#[cfg(feature = "chacha20poly1305")]
impl Library for chacha20poly1305::ChaCha20Poly1305 {}

/// An AEAD on the cipher `C`, through RustCrypto's traits; [`Aes128Gcm`](type@Aes128Gcm) and its
/// siblings are the parameter sets.
pub struct Cipher<C> {
    info: AeadInfo,
    cipher: PhantomData<fn() -> C>,
}

/// AES-128-GCM (NIST SP 800-38D), id 0x0001, Nk 16 bytes.
#[cfg(feature = "aes-gcm")]
pub type Aes128Gcm = Cipher<ChosenAes128Gcm>;
/// AES-256-GCM (NIST SP 800-38D), id 0x0002, Nk 32 bytes.
#[cfg(feature = "aes-gcm")]
pub type Aes256Gcm = Cipher<ChosenAes256Gcm>;
/// ChaCha20Poly1305 (RFC 8439), id 0x0003, Nk 32 bytes.
#[cfg(feature = "chacha20poly1305")]
pub type ChaCha20Poly1305 = Cipher<ChosenChaCha20Poly1305>;

/// AES-128-GCM as a value.
#[allow(
    non_upper_case_globals,
    reason = "a row reads like a unit struct: one name for its type and its value"
)]
#[cfg(feature = "aes-gcm")]
pub const Aes128Gcm: Aes128Gcm = Cipher::row(0x0001, "AES-128-GCM", 16);
/// AES-256-GCM as a value.
#[allow(non_upper_case_globals, reason = "as Aes128Gcm")]
#[cfg(feature = "aes-gcm")]
pub const Aes256Gcm: Aes256Gcm = Cipher::row(0x0002, "AES-256-GCM", 32);
/// ChaCha20Poly1305 as a value.
#[allow(non_upper_case_globals, reason = "as Aes128Gcm")]
#[cfg(feature = "chacha20poly1305")]
pub const ChaCha20Poly1305: ChaCha20Poly1305 = Cipher::row(0x0003, "ChaCha20Poly1305", 32);

/// No encryption: a context that only exports, id 0xFFFF.
#[derive(Clone, Copy, Debug)]
pub struct ExportOnly;

const EXPORT_ONLY: AeadInfo = AeadInfo {
    id: 0xFFFF,
    name: "Export-only",
    n_k: 0,
    n_n: 0,
    n_t: 0,
    status: Status::Standard,
};

impl<C> Cipher<C> {
    #[cfg(any(feature = "aes-gcm", feature = "chacha20poly1305"))]
    const fn row(id: u16, name: &'static str, n_k: usize) -> Self {
        let info = AeadInfo {
            id,
            name,
            n_k,
            n_n: 12,
            n_t: 16,
            status: Status::Standard,
        };
        Self {
            info,
            cipher: PhantomData,
        }
    }

    /// Returns the same parameter set on another library: `Aes128Gcm.on::<aes_gcm::Aes128Gcm>()` is
    /// the portable one under any features.
    pub const fn on<B>(&self) -> Cipher<B> {
        Cipher {
            info: self.info,
            cipher: PhantomData,
        }
    }
}

impl<C> Clone for Cipher<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Cipher<C> {}

impl<C> Sealed for Cipher<C> {}
impl Sealed for ExportOnly {}

impl<C: KeyInit + Send + Sync> Aead for Cipher<C> {
    type Key = C;

    fn info(&self) -> &AeadInfo {
        &self.info
    }

    fn key(&self, bytes: &[u8]) -> Result<C, Error> {
        C::new_from_slice(bytes).map_err(|_| Error::KeyLength)
    }
}

impl<C: Library> Sealing for Cipher<C> {
    fn seal_in_place(key: &C, nonce: &Nonce, aad: &[u8], message: &mut [u8]) -> Result<Tag, Error> {
        let tag = key.encrypt_inout_detached(nonce.into(), aad, message.into());
        tag.map(Into::into).map_err(|_| Error::InputTooLong)
    }

    fn open_in_place(
        key: &C,
        nonce: &Nonce,
        aad: &[u8],
        message: &mut [u8],
        tag: &Tag,
    ) -> Result<(), Error> {
        key.decrypt_inout_detached(nonce.into(), aad, (&mut *message).into(), tag.into())
            .map_err(|_| {
                message.fill(0);
                Error::Open
            })
    }

    fn seal(key: &C, nonce: &Nonce, aad: &[u8], message: &[u8]) -> Result<Vec<u8>, Error> {
        let mut sealed = vec![0; message.len() + size_of::<Tag>()];
        let (ciphertext, tag) = sealed.split_last_chunk_mut().expect("room for a tag");
        *tag = (key.seal_into(nonce, aad, message, ciphertext)).map_err(|_| Error::InputTooLong)?;
        Ok(sealed)
    }

    fn open(key: &C, nonce: &Nonce, aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let (ciphertext, tag) = sealed.split_last_chunk().ok_or(Error::Open)?;
        let mut message = vec![0; ciphertext.len()];
        let opened = key.open_into(nonce, aad, ciphertext, tag, &mut message);
        if opened.is_err() {
            // A library may leave unauthenticated plaintext in the buffer.
            message.zeroize();
            return Err(Error::Open);
        }
        Ok(message)
    }
}

impl Aead for ExportOnly {
    type Key = ();

    fn info(&self) -> &AeadInfo {
        &EXPORT_ONLY
    }

    fn key(&self, bytes: &[u8]) -> Result<(), Error> {
        if bytes.is_empty() {
            Ok(())
        } else {
            Err(Error::KeyLength)
        }
    }
}

impl<C> fmt::Debug for Cipher<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}
