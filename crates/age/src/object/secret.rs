//! The secret of an object, and the keys that are derived from it.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;
use zeroize::Zeroizing;

use super::{LABEL, SECRET};
use crate::{
    Error, HeaderError,
    cobblestone::{self, Cipher, Cobblestone},
    crypto,
};

/// The secret of an object, 32 bytes, which HPKE wraps for each recipient. Wiped on drop.
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Generates a secret.
    ///
    /// # Errors
    /// An error if the random number generator fails.
    pub fn generate() -> Result<Self, Error> {
        let bytes = crypto::random::<SECRET>()?;
        Ok(Self(Zeroizing::new(bytes.to_vec())))
    }

    /// Creates a secret from its bytes. It must not be used for two objects.
    pub fn new(bytes: &[u8; SECRET]) -> Self {
        Self(Zeroizing::new(bytes.to_vec()))
    }

    /// Creates a secret from the plaintext of a blob.
    pub(super) fn opened(bytes: Vec<u8>) -> Result<Self, HeaderError> {
        let bytes = Zeroizing::new(bytes);
        match bytes.len() {
            SECRET => Ok(Self(bytes)),
            _ => Err(HeaderError::Object),
        }
    }

    /// Returns the 32 bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Derives the key of the chunks.
    ///
    /// # Errors
    /// The errors of the AEAD.
    pub fn payload(&self, cipher: Cipher) -> Result<Cobblestone, Error> {
        let okm = self.expand(cipher);
        let (key, rest) = okm.split_at(key_len(cipher));
        let nonce = rest.first_chunk().expect("128 bytes are enough");
        Cobblestone::raw(cipher, key, *nonce)
    }

    /// Returns the MAC of a header.
    pub(super) fn mac(&self, cipher: Cipher, header: &[u8]) -> Hmac<Sha256> {
        let okm = self.expand(cipher);
        let key = &okm[key_len(cipher) + 12..][..32];
        let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key);
        mac.expect("HMAC takes a key of any length")
            .chain_update(header)
    }

    fn expand(&self, cipher: Cipher) -> Zeroizing<[u8; 128]> {
        cobblestone::expand(&self.0, &[LABEL, &[0], &aead_id(cipher).to_be_bytes()])
    }
}

/// Returns the id of a cipher in HPKE's registry of AEADs.
pub(super) fn aead_id(cipher: Cipher) -> u16 {
    match cipher {
        Cipher::Aes128Gcm => 1,
        Cipher::Aes256Gcm => 2,
    }
}

/// Returns Nk, the length of the AEAD key.
fn key_len(cipher: Cipher) -> usize {
    match cipher {
        Cipher::Aes128Gcm => 16,
        Cipher::Aes256Gcm => 32,
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
