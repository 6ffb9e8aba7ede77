//! Content encryption by the AEADs of HPKE.

use hpke::{Sealing, Secret, rand_core::TryCryptoRng};

use crate::Error;

/// What content encryption gives: ciphertext and tag.
type Sealed = (Vec<u8>, Vec<u8>);

pub(crate) fn random<R: TryCryptoRng + ?Sized>(bytes: &mut [u8], rng: &mut R) -> Result<(), Error> {
    rng.try_fill_bytes(bytes)
        .map_err(|_| Error::Hpke(hpke::Error::Rng))
}

/// A fresh content encryption key of `len` bytes.
pub(crate) fn generate<R: TryCryptoRng + ?Sized>(len: usize, rng: &mut R) -> Result<Secret, Error> {
    let mut cek = Secret::new(vec![0; len]);
    random(cek.as_mut(), rng).map(|()| cek)
}

pub(crate) fn aead_seal<A: Sealing>(
    aead: &A,
    cek: &[u8],
    iv: &[u8],
    aad: &[u8],
    plaintext: &[u8],
) -> Result<Sealed, Error> {
    let nonce = iv.try_into().map_err(|_| Error::Open)?;
    let mut message = Vec::with_capacity(plaintext.len() + 16);
    message.extend_from_slice(plaintext);
    let tag = A::seal_in_place(&aead.key(cek)?, nonce, aad, &mut message)?;
    Ok((message, tag.to_vec()))
}

/// An IV or a tag of another length is as good as a wrong one.
pub(crate) fn aead_open<A: Sealing>(
    aead: &A,
    cek: &[u8],
    iv: &[u8],
    aad: &[u8],
    ciphertext: &[u8],
    tag: &[u8],
) -> Result<Vec<u8>, Error> {
    let (Ok(nonce), Ok(tag)) = (iv.try_into(), tag.try_into()) else {
        return Err(Error::Open);
    };
    let mut message = ciphertext.to_vec();
    A::open_in_place(&aead.key(cek)?, nonce, aad, &mut message, tag)?;
    Ok(message)
}
