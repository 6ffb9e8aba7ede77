//! What is asked of a library's AEAD.

use aead::{
    AeadCore, AeadInOut, Error, KeyInit,
    consts::{U12, U16},
    inout::InOutBuf,
};

use super::{Nonce, Tag};

/// An AEAD by RustCrypto's traits that also works from one buffer into another. AWS-LC does so by
/// functions of its own; a pair of buffers that may be one ([`InOutBuf`]) it can take only in place.
pub trait Library:
    KeyInit + AeadInOut + AeadCore<NonceSize = U12, TagSize = U16> + Send + Sync
{
    /// Encrypts `message` into `out`, which has the same length, and gives the tag.
    ///
    /// # Errors
    /// For a message beyond the AEAD's limit, and for other lengths.
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
    /// If it is not, and for other lengths.
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

impl Library for aes_gcm::Aes128Gcm {}
impl Library for aes_gcm::Aes256Gcm {}
impl Library for chacha20poly1305::ChaCha20Poly1305 {}
