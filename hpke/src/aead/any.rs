//! The AEAD chosen at run time: one arm per AEAD.
//!
//! An enum, and not a trait object as [`crate::DynKdf`] is: a key is held in place, so that a message
//! costs no allocation.

use core::fmt;

use super::{Aead, Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, ExportOnly, Nonce, Sealing, Tag};
use crate::{AeadInfo, Error, sealed::Sealed};

/// Any AEAD of the registry.
#[derive(Clone, Copy, Debug)]
pub enum AnyAead {
    /// AES-128-GCM.
    Aes128Gcm(Aes128Gcm),
    /// AES-256-GCM.
    Aes256Gcm(Aes256Gcm),
    /// ChaCha20Poly1305.
    ChaCha20Poly1305(ChaCha20Poly1305),
    /// Export-only.
    ExportOnly(ExportOnly),
}

/// Every AEAD there is.
pub static AEADS: &[AnyAead] = &[
    AnyAead::Aes128Gcm(Aes128Gcm),
    AnyAead::Aes256Gcm(Aes256Gcm),
    AnyAead::ChaCha20Poly1305(ChaCha20Poly1305),
    AnyAead::ExportOnly(ExportOnly),
];

/// The AEAD with this registered id.
pub fn aead_by_id(id: u16) -> Option<&'static AnyAead> {
    AEADS.iter().find(|aead| aead.info().id == id)
}

/// A key of any AEAD. In place and not boxed: an allocation a message costs more than the bytes.
#[allow(clippy::large_enum_variant, reason = "see above")]
pub enum AnyAeadKey {
    /// AES-128-GCM.
    Aes128Gcm(<Aes128Gcm as Aead>::Key),
    /// AES-256-GCM.
    Aes256Gcm(<Aes256Gcm as Aead>::Key),
    /// ChaCha20Poly1305.
    ChaCha20Poly1305(<ChaCha20Poly1305 as Aead>::Key),
    /// Export-only.
    ExportOnly,
}

impl fmt::Debug for AnyAeadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnyAeadKey(..)")
    }
}

impl Sealed for AnyAead {}

impl Aead for AnyAead {
    type Key = AnyAeadKey;

    fn info(&self) -> &AeadInfo {
        match self {
            Self::Aes128Gcm(row) => row.info(),
            Self::Aes256Gcm(row) => row.info(),
            Self::ChaCha20Poly1305(row) => row.info(),
            Self::ExportOnly(row) => row.info(),
        }
    }

    fn key(&self, bytes: &[u8]) -> Result<AnyAeadKey, Error> {
        Ok(match self {
            Self::Aes128Gcm(row) => AnyAeadKey::Aes128Gcm(row.key(bytes)?),
            Self::Aes256Gcm(row) => AnyAeadKey::Aes256Gcm(row.key(bytes)?),
            Self::ChaCha20Poly1305(row) => AnyAeadKey::ChaCha20Poly1305(row.key(bytes)?),
            Self::ExportOnly(row) => row.key(bytes).map(|()| AnyAeadKey::ExportOnly)?,
        })
    }
}

impl Sealing for AnyAead {
    fn seal_in_place(
        key: &AnyAeadKey,
        nonce: &Nonce,
        aad: &[u8],
        message: &mut [u8],
    ) -> Result<Tag, Error> {
        match key {
            AnyAeadKey::Aes128Gcm(key) => Aes128Gcm::seal_in_place(key, nonce, aad, message),
            AnyAeadKey::Aes256Gcm(key) => Aes256Gcm::seal_in_place(key, nonce, aad, message),
            AnyAeadKey::ChaCha20Poly1305(key) => {
                ChaCha20Poly1305::seal_in_place(key, nonce, aad, message)
            }
            AnyAeadKey::ExportOnly => Err(Error::ExportOnly),
        }
    }

    fn open_in_place(
        key: &AnyAeadKey,
        nonce: &Nonce,
        aad: &[u8],
        message: &mut [u8],
        tag: &Tag,
    ) -> Result<(), Error> {
        match key {
            AnyAeadKey::Aes128Gcm(key) => Aes128Gcm::open_in_place(key, nonce, aad, message, tag),
            AnyAeadKey::Aes256Gcm(key) => Aes256Gcm::open_in_place(key, nonce, aad, message, tag),
            AnyAeadKey::ChaCha20Poly1305(key) => {
                ChaCha20Poly1305::open_in_place(key, nonce, aad, message, tag)
            }
            AnyAeadKey::ExportOnly => Err(Error::ExportOnly),
        }
    }
}
