//! The file key, and the keys that header and payload derive from it.

use getrandom::{SysRng, rand_core::TryRng};
use hmac::{Hmac, KeyInit, Mac};
use pqseal_hpke::{Aead, ChaCha20Poly1305, HkdfSha256, Sealing, TwoStage};
use sha2::Sha256;
use std::fmt;
use zeroize::Zeroizing;

use crate::{Error, HeaderError};

/// The key of one file, 16 bytes, from which the keys of its header and payload are derived.
/// Wiped on drop.
pub struct FileKey(Zeroizing<[u8; 16]>);

/// The number of bytes of a file key in a stanza, with its tag.
const WRAPPED: usize = 16 + 16;

impl FileKey {
    /// Generates a key.
    ///
    /// # Errors
    /// An error if the random number generator fails.
    pub fn generate() -> Result<Self, Error> {
        Ok(Self(random()?))
    }

    /// Creates a key from its bytes.
    pub fn new(bytes: [u8; 16]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Returns the 16 bytes, for recipients that wrap them.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Returns the HMAC of a header, up to and including `---`, under a key derived by HKDF with
    /// the info `header`.
    pub(crate) fn header_mac(&self, header: &[u8]) -> Hmac<Sha256> {
        let key = hkdf(b"", &self.0[..], b"header");
        let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&key[..]);
        mac.expect("HMAC takes a key of any length")
            .chain_update(header)
    }

    /// Derives the key of a payload with this nonce.
    pub(crate) fn payload_key(&self, nonce: &[u8; 16]) -> Zeroizing<[u8; 32]> {
        hkdf(nonce, &self.0[..], b"payload")
    }
}

impl fmt::Debug for FileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileKey")
    }
}

/// Returns random bytes from the operating system.
pub(crate) fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, Error> {
    let mut bytes = Zeroizing::new([0; N]);
    SysRng
        .try_fill_bytes(&mut bytes[..])
        .map_err(|_| pqseal_hpke::Error::Rng)?;
    Ok(bytes)
}

/// Derives 32 bytes by HKDF-SHA-256 (RFC 5869).
pub(crate) fn hkdf(salt: &[u8], ikm: &[u8], info: &[u8]) -> Zeroizing<[u8; 32]> {
    let mut key = Zeroizing::new([0; 32]);
    HkdfSha256
        .prk(extract(salt, &[ikm]).as_ref())
        .and_then(|prk| HkdfSha256.expand(&prk, &[info], &mut key[..]))
        .expect("Extract gives Nh bytes, and 32 bytes are not too many");
    key
}

/// Returns the 32 bytes of HKDF-Extract with SHA-256.
pub(crate) fn extract(salt: &[u8], ikm: &[&[u8]]) -> pqseal_hpke::SharedSecret {
    HkdfSha256.extract(salt, ikm)
}

/// Wraps the file key under a key that is used only once: ChaCha20-Poly1305 with a nonce of
/// zeros.
pub(crate) fn wrap(key: &[u8; 32], file_key: &FileKey) -> Result<Vec<u8>, Error> {
    let mut body = file_key.as_bytes().to_vec();
    let cipher = ChaCha20Poly1305.key(key)?;
    let tag = pqseal_hpke::ChaCha20Poly1305::seal_in_place(&cipher, &[0; 12], b"", &mut body)?;
    body.extend(tag);
    Ok(body)
}

/// Unwraps the file key in a body. Returns `None` if it is under another key.
pub(crate) fn unwrap(key: &[u8; 32], body: &[u8]) -> Result<Option<FileKey>, Error> {
    let (wrapped, tag) = wrapped(body)?
        .split_last_chunk()
        .expect("a body has 32 bytes");
    let cipher = ChaCha20Poly1305.key(key)?;
    let mut bytes = Zeroizing::new([0; 16]);
    bytes.copy_from_slice(wrapped);
    let opened =
        pqseal_hpke::ChaCha20Poly1305::open_in_place(&cipher, &[0; 12], b"", &mut bytes[..], tag);
    Ok(opened.is_ok().then_some(FileKey(bytes)))
}

/// Checks that a body has the length of a wrapped file key. This precedes decryption, so that one
/// body cannot open under several keys (partitioning oracles).
pub(crate) fn wrapped(body: &[u8]) -> Result<&[u8; WRAPPED], HeaderError> {
    body.try_into().map_err(|_| HeaderError::BodyLength)
}
