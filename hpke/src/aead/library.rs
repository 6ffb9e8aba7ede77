//! The interface required of a library's AEAD.

use aead::{
    AeadCore, AeadInOut, Error, KeyInit,
    consts::{U12, U16},
    inout::InOutBuf,
};

use super::{Nonce, Tag};

/// An AEAD with RustCrypto's traits that also works from one buffer into another. AWS-LC has
/// separate functions for this; with a pair of buffers that may be the same one ([`InOutBuf`]) it
/// only works in place.
pub trait Library:
    KeyInit + AeadInOut + AeadCore<NonceSize = U12, TagSize = U16> + Send + Sync
{
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
    ) -> Result<Tag, Error> {
        let buffers = InOutBuf::new(message, out).map_err(|_| Error)?;
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
    ) -> Result<(), Error> {
        let buffers = InOutBuf::new(ciphertext, out).map_err(|_| Error)?;
        self.decrypt_inout_detached(nonce.into(), aad, buffers, tag.into())
    }
}

#[cfg(feature = "aes-gcm")]
impl Library for aes_gcm::Aes128Gcm {}
#[cfg(feature = "aes-gcm")]
impl Library for aes_gcm::Aes256Gcm {}
#[cfg(feature = "chacha20poly1305")]
impl Library for chacha20poly1305::ChaCha20Poly1305 {}
