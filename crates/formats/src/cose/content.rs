//! Content encryption (RFC 9053, section 4) for Key Encryption.

use aes::{Aes128, Aes256};
use aes_gcm::{
    AesGcm,
    aead::{
        AeadInOut, KeyInit, Nonce, Tag,
        consts::{U16, U32},
    },
};
use pqseal_hpke::{Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Secret, rand_core::TryCryptoRng};

use crate::{
    Error,
    content::{aead_open, aead_seal, generate},
};

/// A content encryption algorithm: `alg` of a COSE_Encrypt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentAlgorithm {
    /// A128GCM, 1: AES-128-GCM, CEK 16 bytes.
    A128Gcm,
    /// A256GCM, 3: AES-256-GCM, CEK 32 bytes.
    A256Gcm,
    /// ChaCha20/Poly1305, 24: CEK 32 bytes.
    ChaCha20Poly1305,
}

impl ContentAlgorithm {
    /// Every content encryption algorithm.
    pub const ALL: [Self; 3] = [Self::A128Gcm, Self::A256Gcm, Self::ChaCha20Poly1305];

    /// Returns the number in the registry.
    #[must_use]
    pub const fn id(self) -> i64 {
        match self {
            Self::A128Gcm => 1,
            Self::A256Gcm => 3,
            Self::ChaCha20Poly1305 => 24,
        }
    }

    /// Returns the name in the registry.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::A128Gcm => "A128GCM",
            Self::A256Gcm => "A256GCM",
            Self::ChaCha20Poly1305 => "ChaCha20/Poly1305",
        }
    }

    /// Finds the algorithm with this name, as in the registry.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|alg| alg.name() == name)
    }

    /// Finds the algorithm with this number.
    #[must_use]
    pub fn by_id(id: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|alg| alg.id() == id)
    }

    const fn cek_len(self) -> usize {
        match self {
            Self::A128Gcm => 16,
            Self::A256Gcm | Self::ChaCha20Poly1305 => 32,
        }
    }

    /// Generates a CEK and an IV of 12 bytes.
    pub(super) fn generate<R: TryCryptoRng + ?Sized>(
        self,
        rng: &mut R,
    ) -> Result<(Secret, Vec<u8>), Error> {
        generate(self.cek_len(), 12, rng)
    }

    /// Encrypts a message in place, with an IV of 12 bytes, and returns the tag.
    pub(super) fn seal(
        self,
        cek: &[u8],
        iv: &[u8],
        aad: &[u8],
        message: &mut [u8],
    ) -> Result<pqseal_hpke::Tag, Error> {
        match self {
            Self::A128Gcm => aead_seal(&Aes128Gcm, cek, iv, aad, message),
            Self::A256Gcm => aead_seal(&Aes256Gcm, cek, iv, aad, message),
            Self::ChaCha20Poly1305 => aead_seal(&ChaCha20Poly1305, cek, iv, aad, message),
        }
    }

    /// Decrypts a message. RFC 9053 gives AES-GCM a 12-byte IV. The examples of the COSE-HPKE
    /// draft have IVs of 16 and 32 bytes, which SP 800-38D allows, so those are accepted too.
    pub(super) fn open(
        self,
        cek: &[u8],
        iv: &[u8],
        aad: &[u8],
        ciphertext: &[u8],
    ) -> Result<Vec<u8>, Error> {
        if cek.len() != self.cek_len() {
            return Err(Error::Open);
        }
        match self {
            Self::A128Gcm if iv.len() != 12 => long_iv::<Aes128>(cek, iv, aad, ciphertext),
            Self::A256Gcm if iv.len() != 12 => long_iv::<Aes256>(cek, iv, aad, ciphertext),
            Self::A128Gcm => short_iv(&Aes128Gcm, cek, iv, aad, ciphertext),
            Self::A256Gcm => short_iv(&Aes256Gcm, cek, iv, aad, ciphertext),
            Self::ChaCha20Poly1305 => short_iv(&ChaCha20Poly1305, cek, iv, aad, ciphertext),
        }
    }
}

fn short_iv<A: pqseal_hpke::Sealing>(
    aead: &A,
    cek: &[u8],
    iv: &[u8],
    aad: &[u8],
    ciphertext: &[u8],
) -> Result<Vec<u8>, Error> {
    let at = ciphertext.len().checked_sub(16).ok_or(Error::Open)?;
    let (message, tag) = ciphertext.split_at(at);
    aead_open(aead, cek, iv, aad, message.to_vec(), tag)
}

/// Decrypts AES-GCM with an IV of 16 or 32 bytes. Other lengths are refused.
fn long_iv<C>(cek: &[u8], iv: &[u8], aad: &[u8], ciphertext: &[u8]) -> Result<Vec<u8>, Error>
where
    AesGcm<C, U16>: AeadInOut + KeyInit,
    AesGcm<C, U32>: AeadInOut + KeyInit,
{
    match iv.len() {
        16 => open_gcm::<AesGcm<C, U16>>(cek, iv, aad, ciphertext),
        32 => open_gcm::<AesGcm<C, U32>>(cek, iv, aad, ciphertext),
        _ => Err(Error::Open),
    }
}

fn open_gcm<A: AeadInOut + KeyInit>(
    cek: &[u8],
    iv: &[u8],
    aad: &[u8],
    ciphertext: &[u8],
) -> Result<Vec<u8>, Error> {
    let at = ciphertext.len().checked_sub(16).ok_or(Error::Open)?;
    let (message, tag) = ciphertext.split_at(at);
    let cipher = A::new_from_slice(cek).map_err(|_| Error::Open)?;
    let nonce = Nonce::<A>::try_from(iv).map_err(|_| Error::Open)?;
    let tag = Tag::<A>::try_from(tag).map_err(|_| Error::Open)?;
    let mut message = message.to_vec();
    let opened = cipher.decrypt_inout_detached(&nonce, aad, message.as_mut_slice().into(), &tag);
    opened.map(|()| message).map_err(|_| Error::Open)
}
