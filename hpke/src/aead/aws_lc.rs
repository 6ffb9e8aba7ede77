//! AES-GCM (NIST SP 800-38D) and ChaCha20-Poly1305 (RFC 8439), behind the traits of the portable
//! ciphers.
//!
//! This includes AES-GCM, although the portable one may be faster on a short message under a fresh
//! key: a choice by size would need both keys.

use core::marker::PhantomData;

use aead::{
    AeadCore, AeadInOut, Error, KeyInit, KeySizeUser, TagPosition,
    array::{Array, ArraySize},
    consts::{U12, U16, U32},
    inout::InOutBuf,
};
use aws_lc_rs::aead::{
    AES_128_GCM, AES_256_GCM, Aad, Algorithm, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey,
};

use super::{Library, Tag};

/// An AWS-LC key, which AWS-LC wipes on drop.
pub struct Cipher<R>(LessSafeKey, PhantomData<fn() -> R>);

/// The parameters of one cipher.
pub trait Row {
    /// Nk.
    type KeySize: ArraySize;
    /// AWS-LC's algorithm.
    const ALGORITHM: &'static Algorithm;
}

/// AES-128-GCM.
pub type Aes128Gcm = Cipher<Aes128>;
/// AES-256-GCM.
pub type Aes256Gcm = Cipher<Aes256>;
/// ChaCha20-Poly1305.
pub type ChaCha20Poly1305 = Cipher<ChaCha20>;

/// The parameters of AES-128-GCM.
pub struct Aes128;
/// The parameters of AES-256-GCM.
pub struct Aes256;
/// The parameters of ChaCha20-Poly1305.
pub struct ChaCha20;

impl Row for Aes128 {
    type KeySize = U16;
    const ALGORITHM: &'static Algorithm = &AES_128_GCM;
}

impl Row for Aes256 {
    type KeySize = U32;
    const ALGORITHM: &'static Algorithm = &AES_256_GCM;
}

impl Row for ChaCha20 {
    type KeySize = U32;
    const ALGORITHM: &'static Algorithm = &CHACHA20_POLY1305;
}

impl<R: Row> KeySizeUser for Cipher<R> {
    type KeySize = R::KeySize;
}

impl<R: Row> KeyInit for Cipher<R> {
    fn new(key: &Array<u8, R::KeySize>) -> Self {
        let key = UnboundKey::new(R::ALGORITHM, key).expect("the type says Nk bytes");
        Self(LessSafeKey::new(key), PhantomData)
    }
}

impl<R> AeadCore for Cipher<R> {
    type NonceSize = U12;
    type TagSize = U16;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl<R> AeadInOut for Cipher<R> {
    fn encrypt_inout_detached(
        &self,
        nonce: &Array<u8, U12>,
        aad: &[u8],
        message: InOutBuf<'_, '_, u8>,
    ) -> Result<Array<u8, U16>, Error> {
        let nonce = Nonce::assume_unique_for_key((*nonce).into());
        let message = message.into_out_with_copied_in();
        let tag = self
            .0
            .seal_in_place_separate_tag(nonce, Aad::from(aad), message)
            .map_err(|_| Error)?;
        tag.as_ref().try_into().map_err(|_| Error)
    }

    fn decrypt_inout_detached(
        &self,
        nonce: &Array<u8, U12>,
        aad: &[u8],
        message: InOutBuf<'_, '_, u8>,
        tag: &Array<u8, U16>,
    ) -> Result<(), Error> {
        let nonce = Nonce::assume_unique_for_key((*nonce).into());
        let message = message.into_out_with_copied_in();
        self.0
            .open_in_place_separate_tag(nonce, Aad::from(aad), tag, message)
            .map(drop)
            .map_err(|_| Error)
    }
}

impl<R: Row> Library for Cipher<R> {
    fn seal_into(
        &self,
        nonce: &super::Nonce,
        aad: &[u8],
        message: &[u8],
        out: &mut [u8],
    ) -> Result<Tag, Error> {
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let mut tag = Tag::default();
        self.0
            .seal_out_of_place_scatter(nonce, Aad::from(aad), message, out, &[], &mut tag)
            .map_err(|_| Error)?;
        Ok(tag)
    }

    fn open_into(
        &self,
        nonce: &super::Nonce,
        aad: &[u8],
        ciphertext: &[u8],
        tag: &Tag,
        out: &mut [u8],
    ) -> Result<(), Error> {
        let nonce = Nonce::assume_unique_for_key(*nonce);
        self.0
            .open_separate_gather(nonce, Aad::from(aad), ciphertext, tag, out)
            .map_err(|_| Error)
    }
}
