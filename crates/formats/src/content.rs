//! The plaintext of a message, and content encryption by the AEADs of HPKE.

use std::{fmt, ops::Deref};

use pqseal_hpke::{Sealing, Secret, Tag, rand_core::TryCryptoRng};

use crate::Error;

/// A plaintext. Wiped on drop, and not shown by `Debug`.
pub struct Plaintext(Vec<u8>);

impl Plaintext {
    pub(crate) const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Appends another plaintext, which is then wiped.
    #[cfg(feature = "ohttp")]
    pub(crate) fn append(&mut self, other: Self) {
        if self.0.capacity() - self.0.len() < other.len() {
            // A growing `Vec` would leave a copy behind; this does not.
            *self = Self([&self[..], &other].concat());
        } else {
            self.0.extend_from_slice(&other);
        }
    }

    /// Returns the bytes, which the caller must then wipe.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}

impl Deref for Plaintext {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl AsRef<[u8]> for Plaintext {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<T: AsRef<[u8]> + ?Sized> PartialEq<T> for Plaintext {
    fn eq(&self, other: &T) -> bool {
        self.0 == other.as_ref()
    }
}

impl Drop for Plaintext {
    fn drop(&mut self) {
        pqseal_hpke::wipe(&mut self.0);
    }
}

impl fmt::Debug for Plaintext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plaintext({} bytes)", self.0.len())
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_does_not_show_it_and_into_vec_gives_it() {
        let plaintext = Plaintext::new(b"secret".to_vec());
        assert_eq!(format!("{plaintext:?}"), "Plaintext(6 bytes)");
        assert_eq!(plaintext, "secret");
        assert_eq!(plaintext.into_vec(), b"secret");
    }

    #[cfg(feature = "ohttp")]
    #[test]
    fn append_within_the_capacity_and_beyond() {
        let mut plaintext = Plaintext::new(Vec::with_capacity(5));
        for part in ["one", "", "two", "three"] {
            plaintext.append(Plaintext::new(part.into()));
        }
        assert_eq!(plaintext, "onetwothree");
    }
}
