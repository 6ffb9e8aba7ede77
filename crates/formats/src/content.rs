//! Content encryption by the AEADs of HPKE.

use pqseal_hpke::{Sealing, Secret, Tag, rand_core::TryCryptoRng};

use crate::Error;

/// Generates a content encryption key of `cek` bytes, and an initialization vector of `iv` bytes.
/// Both are drawn at once, since a call to the operating system takes longer than the rest.
pub(crate) fn generate<R: TryCryptoRng + ?Sized>(
    cek: usize,
    iv: usize,
    rng: &mut R,
) -> Result<(Secret, Vec<u8>), Error> {
    let mut both = Secret::new(vec![0; cek + iv]);
    rng.try_fill_bytes(both.as_mut())
        .map_err(|_| Error::Hpke(pqseal_hpke::Error::Rng))?;
    let (cek, iv) = both.as_ref().split_at(cek);
    Ok((Secret::new(cek.to_vec()), iv.to_vec()))
}

/// Encrypts a message in place and returns the tag.
pub(crate) fn aead_seal<A: Sealing>(
    aead: &A,
    cek: &[u8],
    iv: &[u8],
    aad: &[u8],
    message: &mut [u8],
) -> Result<Tag, Error> {
    let nonce = iv.try_into().map_err(|_| Error::Open)?;
    Ok(A::seal_in_place(&aead.key(cek)?, nonce, aad, message)?)
}

/// Decrypts a message in place. An IV or a tag of another length is reported like a wrong one.
pub(crate) fn aead_open<A: Sealing>(
    aead: &A,
    cek: &[u8],
    iv: &[u8],
    aad: &[u8],
    mut message: Vec<u8>,
    tag: &[u8],
) -> Result<Vec<u8>, Error> {
    let (Ok(nonce), Ok(tag)) = (iv.try_into(), tag.try_into()) else {
        return Err(Error::Open);
    };
    A::open_in_place(&aead.key(cek)?, nonce, aad, &mut message, tag)?;
    Ok(message)
}
