//! The AEAD chosen at run time: one arm per AEAD.
//!
//! An enum rather than a trait object like [`crate::DynKdf`]: the key is held in place, so a
//! message costs no allocation.

use alloc::vec::Vec;
use core::fmt;

use zeroize::optimization_barrier;

#[cfg(feature = "chacha20poly1305")]
use super::ChaCha20Poly1305;
use super::{Aead, ExportOnly, Nonce, Sealing, Tag};
#[cfg(feature = "aes-gcm")]
use super::{Aes128Gcm, Aes256Gcm};
use crate::{AeadInfo, Error, sealed::Sealed};

/// Any AEAD of the registry.
#[derive(Clone, Copy, Debug)]
pub enum AnyAead {
    /// AES-128-GCM.
    #[cfg(feature = "aes-gcm")]
    Aes128Gcm(Aes128Gcm),
    /// AES-256-GCM.
    #[cfg(feature = "aes-gcm")]
    Aes256Gcm(Aes256Gcm),
    /// ChaCha20Poly1305.
    #[cfg(feature = "chacha20poly1305")]
    ChaCha20Poly1305(ChaCha20Poly1305),
    /// Export-only.
    ExportOnly(ExportOnly),
}

/// Every AEAD of the registry that the features include.
pub static AEADS: &[AnyAead] = &[
    #[cfg(feature = "aes-gcm")]
    AnyAead::Aes128Gcm(Aes128Gcm),
    #[cfg(feature = "aes-gcm")]
    AnyAead::Aes256Gcm(Aes256Gcm),
    #[cfg(feature = "chacha20poly1305")]
    AnyAead::ChaCha20Poly1305(ChaCha20Poly1305),
    AnyAead::ExportOnly(ExportOnly),
];

/// Finds the AEAD with this registered id.
pub fn aead_by_id(id: u16) -> Option<&'static AnyAead> {
    AEADS.iter().find(|aead| aead.info().id == id)
}

/// A key of any AEAD. It is in place, not boxed: an allocation per message would cost more than the
/// larger size.
///
/// All of its memory is wiped on drop, even where the key of another AEAD would be larger: a move
/// also copies what the unused bytes held before.
pub struct AnyAeadKey(Held);

#[allow(clippy::large_enum_variant, reason = "in place, see AnyAeadKey")]
enum Held {
    #[cfg(feature = "aes-gcm")]
    Aes128Gcm(<Aes128Gcm as Aead>::Key),
    #[cfg(feature = "aes-gcm")]
    Aes256Gcm(<Aes256Gcm as Aead>::Key),
    #[cfg(feature = "chacha20poly1305")]
    ChaCha20Poly1305(<ChaCha20Poly1305 as Aead>::Key),
    ExportOnly,
    /// Written only on drop. It covers the bytes of any key.
    #[allow(dead_code, reason = "written over secrets, and never read")]
    Wiped([u64; WORDS]),
}

/// The size of the largest key in words, plus one for alignment padding before it.
const WORDS: usize = largest(&[
    #[cfg(feature = "aes-gcm")]
    size_of::<<Aes128Gcm as Aead>::Key>(),
    #[cfg(feature = "aes-gcm")]
    size_of::<<Aes256Gcm as Aead>::Key>(),
    #[cfg(feature = "chacha20poly1305")]
    size_of::<<ChaCha20Poly1305 as Aead>::Key>(),
])
.div_ceil(size_of::<u64>())
    + 1;
// Besides the words there is only the tag of the enum.
const _: () = assert!(size_of::<AnyAeadKey>() <= (WORDS + 1) * size_of::<u64>());

const fn largest(mut sizes: &[usize]) -> usize {
    let mut largest = 0;
    while let [size, rest @ ..] = sizes {
        if *size > largest {
            largest = *size;
        }
        sizes = rest;
    }
    largest
}

impl Drop for AnyAeadKey {
    fn drop(&mut self) {
        self.0 = Held::Wiped([0; WORDS]);
        // Without the barrier the compiler may remove the write, since nothing reads it.
        optimization_barrier(&self.0);
    }
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
            #[cfg(feature = "aes-gcm")]
            Self::Aes128Gcm(aead) => aead.info(),
            #[cfg(feature = "aes-gcm")]
            Self::Aes256Gcm(aead) => aead.info(),
            #[cfg(feature = "chacha20poly1305")]
            Self::ChaCha20Poly1305(aead) => aead.info(),
            Self::ExportOnly(aead) => aead.info(),
        }
    }

    fn key(&self, bytes: &[u8]) -> Result<AnyAeadKey, Error> {
        Ok(AnyAeadKey(match self {
            #[cfg(feature = "aes-gcm")]
            Self::Aes128Gcm(aead) => Held::Aes128Gcm(aead.key(bytes)?),
            #[cfg(feature = "aes-gcm")]
            Self::Aes256Gcm(aead) => Held::Aes256Gcm(aead.key(bytes)?),
            #[cfg(feature = "chacha20poly1305")]
            Self::ChaCha20Poly1305(aead) => Held::ChaCha20Poly1305(aead.key(bytes)?),
            Self::ExportOnly(aead) => aead.key(bytes).map(|()| Held::ExportOnly)?,
        }))
    }
}

/// Calls a function of [`Sealing`] for the AEAD whose key is held.
macro_rules! call {
    ($function:ident, $key:expr, $($argument:expr),+) => {
        match &$key.0 {
            #[cfg(feature = "aes-gcm")]
            Held::Aes128Gcm(key) => Aes128Gcm::$function(key, $($argument),+),
            #[cfg(feature = "aes-gcm")]
            Held::Aes256Gcm(key) => Aes256Gcm::$function(key, $($argument),+),
            #[cfg(feature = "chacha20poly1305")]
            Held::ChaCha20Poly1305(key) => ChaCha20Poly1305::$function(key, $($argument),+),
            Held::ExportOnly | Held::Wiped(_) => Err(Error::ExportOnly),
        }
    };
}

#[cfg_attr(
    not(any(feature = "aes-gcm", feature = "chacha20poly1305")),
    allow(unused_variables, reason = "no AEAD takes the arguments")
)]
impl Sealing for AnyAead {
    fn seal_in_place(
        key: &AnyAeadKey,
        nonce: &Nonce,
        aad: &[u8],
        message: &mut [u8],
    ) -> Result<Tag, Error> {
        call!(seal_in_place, key, nonce, aad, message)
    }

    fn open_in_place(
        key: &AnyAeadKey,
        nonce: &Nonce,
        aad: &[u8],
        message: &mut [u8],
        tag: &Tag,
    ) -> Result<(), Error> {
        call!(open_in_place, key, nonce, aad, message, tag)
    }

    fn seal(key: &AnyAeadKey, nonce: &Nonce, aad: &[u8], message: &[u8]) -> Result<Vec<u8>, Error> {
        call!(seal, key, nonce, aad, message)
    }

    fn open(key: &AnyAeadKey, nonce: &Nonce, aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
        call!(open, key, nonce, aad, sealed)
    }
}
