//! Cobblestone (C2SP chunked-encryption.md): AES-GCM in chunks of 16 KiB, with a commitment to the
//! key.
//!
//! A message consists of a salt of 24 bytes, a commitment of 32 bytes, and chunks. Its key is used
//! for many messages; `context` binds a message to its use. [`seal`] and [`open`] return streams
//! over chunks, and [`Cobblestone`] is also a key for `parallel`.
//!
//! ```
//! use std::io::{Read, Write};
//! use pqseal_age::cobblestone::{self, Cipher};
//!
//! let key = [7; 16]; // uniformly random
//! let mut writer = cobblestone::seal(Cipher::Aes128Gcm, &key, b"backup", Vec::new())?;
//! writer.write_all(b"hello")?;
//! let message = writer.finish()?;
//!
//! let mut text = String::new();
//! cobblestone::open(Cipher::Aes128Gcm, &key, b"backup", &message[..])?.read_to_string(&mut text)?;
//! assert_eq!(text, "hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use hmac::{Hmac, KeyInit, Mac};
use pqseal_hpke::{Aead, Aes128Gcm, Aes256Gcm, Sealing, Tag};
use sha2::Sha512;
use std::{
    fmt,
    io::{self, Read, Write},
};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::{ChunkReader, ChunkWriter, Chunked, Error, PayloadError, crypto};

/// The number of bytes of the salt, which begins a message.
pub const SALT: usize = 24;
/// The number of bytes of the commitment, which follows the salt.
pub const COMMITMENT: usize = 32;

const LABEL: &[u8] = b"c2sp.org/chunked-encryption@v1+";

/// The cipher of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cipher {
    /// Cobblestone-128, with keys of 16 bytes. Recommended.
    Aes128Gcm,
    /// Cobblestone-256, with keys of 32 bytes.
    Aes256Gcm,
}

/// Writes the start of a message under `key` and returns the stream for its plaintext, which must
/// be completed with `finish`.
///
/// # Errors
/// [`Error::Hpke`] with `KeyLength` for a key of a wrong length, and the errors of the output.
pub fn seal<W: Write>(
    cipher: Cipher,
    key: &[u8],
    context: &[u8],
    mut output: W,
) -> Result<ChunkWriter<Cobblestone, W>, Error> {
    let salt = *crypto::random::<SALT>()?;
    let (message, commitment) = Cobblestone::derive(cipher, key, &salt, context)?;
    output.write_all(&salt)?;
    output.write_all(&commitment)?;
    Ok(ChunkWriter::new(message, output))
}

/// Reads the start of a message, checks its commitment, and returns the stream of its plaintext.
///
/// # Errors
/// [`PayloadError::Commitment`] for another key or context, [`PayloadError::Truncated`], and
/// [`Error::Hpke`] with `KeyLength` for a key of a wrong length.
pub fn open<R: Read>(
    cipher: Cipher,
    key: &[u8],
    context: &[u8],
    mut input: R,
) -> Result<ChunkReader<Cobblestone, R>, Error> {
    let message = Cobblestone::read(cipher, key, context, &mut input)?;
    Ok(ChunkReader::new(message, input))
}

/// The key of one message, which consists of an AEAD key and a base nonce. Wiped on drop.
pub struct Cobblestone {
    key: ChunkKey,
    base_nonce: pqseal_hpke::Nonce,
}

impl Cobblestone {
    /// The number of bytes before the chunks.
    pub const HEADER: usize = SALT + COMMITMENT;

    /// Derives the key of a message and its commitment from the key of many messages. A salt must
    /// not repeat under one key.
    ///
    /// # Errors
    /// [`Error::Hpke`] with `KeyLength`.
    pub fn derive(
        cipher: Cipher,
        key: &[u8],
        salt: &[u8; SALT],
        context: &[u8],
    ) -> Result<(Self, [u8; COMMITMENT]), Error> {
        let (len, name): (usize, &[u8]) = match cipher {
            Cipher::Aes128Gcm => (16, b"AEAD_AES_128_GCM"),
            Cipher::Aes256Gcm => (32, b"AEAD_AES_256_GCM"),
        };
        if key.len() != len {
            return Err(pqseal_hpke::Error::KeyLength.into());
        }
        let okm = expand(key, &[LABEL, name, &[0], salt, context]);
        let (aead_key, rest) = okm.split_at(len);
        let (nonce, rest) = rest.split_first_chunk().expect("128 bytes are enough");
        let commitment = rest.first_chunk().expect("128 bytes are enough");
        Ok((Self::raw(cipher, aead_key, *nonce)?, *commitment))
    }

    /// Creates a key for raw mode: chunks without salt and commitment, under a key and a base nonce
    /// that another protocol derived for this message only. There is no commitment to the key.
    ///
    /// # Errors
    /// [`Error::Hpke`] with `KeyLength`.
    pub fn raw(
        cipher: Cipher,
        aead_key: &[u8],
        base_nonce: pqseal_hpke::Nonce,
    ) -> Result<Self, Error> {
        let key = match cipher {
            Cipher::Aes128Gcm => ChunkKey::Aes128Gcm(Aes128Gcm.key(aead_key)?),
            Cipher::Aes256Gcm => ChunkKey::Aes256Gcm(Aes256Gcm.key(aead_key)?),
        };
        Ok(Self { key, base_nonce })
    }

    /// Reads salt and commitment, and returns the key if it has this commitment.
    ///
    /// # Errors
    /// The errors of [`open`].
    pub fn read(
        cipher: Cipher,
        key: &[u8],
        context: &[u8],
        input: &mut impl Read,
    ) -> Result<Self, Error> {
        let mut header = [0; Self::HEADER];
        input
            .read_exact(&mut header)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => PayloadError::Truncated.into(),
                _ => Error::from(error),
            })?;
        let (salt, told) = header.split_first_chunk().expect("56 bytes");
        let (message, commitment) = Self::derive(cipher, key, salt, context)?;
        match bool::from(commitment.ct_eq(told)) {
            true => Ok(message),
            false => Err(PayloadError::Commitment.into()),
        }
    }

    /// Returns the base nonce XOR the index of the chunk, big-endian.
    fn nonce(&self, index: u64) -> pqseal_hpke::Nonce {
        let mut nonce = self.base_nonce;
        for (byte, counter) in nonce[4..].iter_mut().zip(index.to_be_bytes()) {
            *byte ^= counter;
        }
        nonce
    }
}

enum ChunkKey {
    Aes128Gcm(<Aes128Gcm as Aead>::Key),
    Aes256Gcm(<Aes256Gcm as Aead>::Key),
}

impl Chunked for Cobblestone {
    const SIZE: usize = 16 * 1024;
    const FULL_LAST: bool = false;
    const MAX_CHUNKS: u64 = 1 << 38;

    fn seal(&self, index: u64, _last: bool, chunk: &mut [u8]) -> Result<Tag, pqseal_hpke::Error> {
        let nonce = self.nonce(index);
        match &self.key {
            ChunkKey::Aes128Gcm(key) => Aes128Gcm::seal_in_place(key, &nonce, b"", chunk),
            ChunkKey::Aes256Gcm(key) => Aes256Gcm::seal_in_place(key, &nonce, b"", chunk),
        }
    }

    fn open(
        &self,
        index: u64,
        _last: bool,
        chunk: &mut [u8],
        tag: &Tag,
    ) -> Result<(), pqseal_hpke::Error> {
        let nonce = self.nonce(index);
        match &self.key {
            ChunkKey::Aes128Gcm(key) => Aes128Gcm::open_in_place(key, &nonce, b"", chunk, tag),
            ChunkKey::Aes256Gcm(key) => Aes256Gcm::open_in_place(key, &nonce, b"", chunk, tag),
        }
    }
}

impl fmt::Debug for Cobblestone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cobblestone")
    }
}

/// Computes two blocks of HKDF-Expand with SHA-512 (RFC 5869, section 2.3), 128 bytes. Here the
/// pseudorandom key may be shorter than a hash, which the interface of HKDF does not accept.
pub(crate) fn expand(prk: &[u8], info: &[&[u8]]) -> Zeroizing<[u8; 128]> {
    let mut okm = Zeroizing::new([0; 128]);
    let (first, second) = okm.split_at_mut(64);
    block(prk, &[], info, 1, first);
    block(prk, first, info, 2, second);
    okm
}

fn block(prk: &[u8], previous: &[u8], info: &[&[u8]], number: u8, out: &mut [u8]) {
    let mac = <Hmac<Sha512> as KeyInit>::new_from_slice(prk);
    let mut mac = mac.expect("HMAC takes a key of any length");
    mac.update(previous);
    info.iter().for_each(|part| mac.update(part));
    mac.update(&[number]);
    out.copy_from_slice(&mac.finalize().into_bytes());
}
