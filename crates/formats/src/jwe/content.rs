//! Content encryption (RFC 7518, section 5) for Key Encryption: AES-GCM, and AES-CBC with
//! HMAC-SHA-256.

use std::fmt;

use aes::Aes128;
use cbc::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit, block_padding::Pkcs7};
use hmac::{Hmac, KeyInit, Mac};
use pqseal_hpke::{Aes128Gcm, Aes256Gcm, Sealing, Secret, rand_core::TryCryptoRng};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::Content;
use crate::{
    Error,
    content::{aead_open, aead_seal, generate},
};

/// A content encryption algorithm: the value of `enc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enc {
    /// A128GCM: AES-128-GCM, CEK 16 bytes, IV 12, tag 16.
    A128Gcm,
    /// A256GCM: AES-256-GCM, CEK 32 bytes, IV 12, tag 16.
    A256Gcm,
    /// A128CBC-HS256: AES-128-CBC and HMAC-SHA-256, CEK 32 bytes, IV 16, tag 16.
    A128CbcHs256,
}

impl Enc {
    /// Every content encryption algorithm.
    pub const ALL: [Self; 3] = [Self::A128Gcm, Self::A256Gcm, Self::A128CbcHs256];

    /// Returns the value of `enc`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::A128Gcm => "A128GCM",
            Self::A256Gcm => "A256GCM",
            Self::A128CbcHs256 => "A128CBC-HS256",
        }
    }

    /// Finds the algorithm with this name, in capitals as in the RFC.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|enc| enc.name() == name)
    }

    const fn cek_len(self) -> usize {
        match self {
            Self::A128Gcm => 16,
            Self::A256Gcm | Self::A128CbcHs256 => 32,
        }
    }

    /// Generates a CEK and an IV.
    pub(super) fn generate<R: TryCryptoRng + ?Sized>(
        self,
        rng: &mut R,
    ) -> Result<(Secret, Vec<u8>), Error> {
        let iv_len = match self {
            Self::A128Gcm | Self::A256Gcm => 12,
            Self::A128CbcHs256 => 16,
        };
        generate(self.cek_len(), iv_len, rng)
    }

    /// Encrypts under a CEK and an IV of this algorithm.
    pub(super) fn seal(
        self,
        cek: &[u8],
        iv: Vec<u8>,
        aad: &[u8],
        plaintext: &[u8],
    ) -> Result<Content, Error> {
        let (ciphertext, tag) = match self {
            Self::A128Gcm => gcm_seal(&Aes128Gcm, cek, &iv, aad, plaintext),
            Self::A256Gcm => gcm_seal(&Aes256Gcm, cek, &iv, aad, plaintext),
            Self::A128CbcHs256 => cbc_seal(cek, &iv, aad, plaintext),
        }?;
        Ok(Content {
            iv,
            ciphertext,
            tag,
        })
    }

    /// Decrypts in place. The CEK must have the algorithm's length (step 10 of section 7.2 of the
    /// draft).
    pub(super) fn open(self, cek: &[u8], aad: &[u8], content: Content) -> Result<Vec<u8>, Error> {
        if cek.len() != self.cek_len() {
            return Err(Error::Open);
        }
        let Content {
            iv,
            ciphertext,
            tag,
        } = content;
        match self {
            Self::A128Gcm => aead_open(&Aes128Gcm, cek, &iv, aad, ciphertext, &tag),
            Self::A256Gcm => aead_open(&Aes256Gcm, cek, &iv, aad, ciphertext, &tag),
            Self::A128CbcHs256 => cbc_open(cek, &iv, aad, ciphertext, &tag),
        }
    }
}

impl fmt::Display for Enc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn gcm_seal<A: Sealing>(
    aead: &A,
    cek: &[u8],
    iv: &[u8],
    aad: &[u8],
    plaintext: &[u8],
) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let mut message = plaintext.to_vec();
    let tag = aead_seal(aead, cek, iv, aad, &mut message)?;
    Ok((message, tag.to_vec()))
}

/// Encrypts as in section 5.2.2.1: the first half of the CEK is the MAC's key, the second is the
/// cipher's.
fn cbc_seal(
    cek: &[u8],
    iv: &[u8],
    aad: &[u8],
    plaintext: &[u8],
) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let (mac_key, key) = cek.split_at(16);
    let cipher = cbc::Encryptor::<Aes128>::new_from_slices(key, iv).map_err(|_| Error::Open)?;
    let ciphertext = cipher.encrypt_padded_vec::<Pkcs7>(plaintext);
    let tag = cbc_tag(mac_key, iv, aad, &ciphertext)?;
    Ok((ciphertext, tag.to_vec()))
}

/// Decrypts as in section 5.2.2.2: the tag is compared, in constant time, before anything is
/// decrypted.
fn cbc_open(
    cek: &[u8],
    iv: &[u8],
    aad: &[u8],
    mut message: Vec<u8>,
    tag: &[u8],
) -> Result<Vec<u8>, Error> {
    let (mac_key, key) = cek.split_at(16);
    if !bool::from(cbc_tag(mac_key, iv, aad, &message)?.ct_eq(tag)) {
        return Err(Error::Open);
    }
    let cipher = cbc::Decryptor::<Aes128>::new_from_slices(key, iv).map_err(|_| Error::Open)?;
    let plaintext = cipher.decrypt_padded::<Pkcs7>(&mut message);
    let len = plaintext.map_err(|_| Error::Open)?.len();
    message.truncate(len);
    Ok(message)
}

/// Computes HMAC-SHA-256 of AAD, IV, ciphertext and the AAD's length in bits, cut to 16 bytes.
fn cbc_tag(
    mac_key: &[u8],
    iv: &[u8],
    aad: &[u8],
    ciphertext: &[u8],
) -> Result<Zeroizing<[u8; 16]>, Error> {
    let mut mac = Hmac::<Sha256>::new_from_slice(mac_key).map_err(|_| Error::Open)?;
    let bits = 8 * aad.len() as u64;
    for part in [aad, iv, ciphertext, &bits.to_be_bytes()] {
        mac.update(part);
    }
    let whole = mac.finalize().into_bytes();
    let mut tag = Zeroizing::new([0; 16]);
    tag.copy_from_slice(&whole[..16]);
    Ok(tag)
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER_PERMISSIVE as HEX;

    use super::*;

    /// RFC 7518, appendix B.1.
    #[test]
    fn a128cbc_hs256_of_the_rfc() {
        let cek: Vec<u8> = (0..32).collect();
        let hex = |text: &str| HEX.decode(text.as_bytes()).unwrap();
        let iv = hex("1af38c2dc2b96ffdd86694092341bc04");
        let aad = b"The second principle of Auguste Kerckhoffs";
        let plaintext = b"A cipher system must not be required to be secret, and it must be able to fall into the hands of the enemy without inconvenience";
        let (ciphertext, tag) = cbc_seal(&cek, &iv, aad, plaintext).unwrap();
        assert_eq!(tag, hex("652c3fa36b0a7c5b3219fab3a30bc1c4"));
        assert_eq!(ciphertext[..16], hex("c80edfa32ddf39d5ef00c0b468834279"));
        assert_eq!(ciphertext.len(), 144);
        assert_eq!(
            cbc_open(&cek, &iv, aad, ciphertext, &tag).unwrap(),
            plaintext
        );
    }
}
