//! age's payload (C2SP age.md, "Payload"): STREAM with ChaCha20-Poly1305 and chunks of 64 KiB.

use pqseal_hpke::{Aead, ChaCha20Poly1305, Sealing, Tag};
use std::{
    fmt,
    io::{self, Read},
};

use crate::{Chunked, Error, FileKey, HeaderError, crypto};

/// The key of a payload. Wiped on drop.
pub struct Payload {
    key: <ChaCha20Poly1305 as Aead>::Key,
    nonce: [u8; Self::NONCE],
}

impl Payload {
    /// The number of bytes of the nonce, between header and chunks.
    pub const NONCE: usize = 16;

    /// Creates the key of a new payload under `file_key`, with a random nonce.
    ///
    /// # Errors
    /// An error if the random number generator fails.
    pub fn generate(file_key: &FileKey) -> Result<Self, Error> {
        Ok(Self::new(file_key, *crypto::random()?))
    }

    /// Creates the key of the payload with this nonce. A nonce must not be used for two
    /// payloads under one key.
    pub fn new(file_key: &FileKey, nonce: [u8; Self::NONCE]) -> Self {
        let key = ChaCha20Poly1305.key(&file_key.payload_key(&nonce)[..]);
        let key = key.expect("HKDF gives Nk bytes");
        Self { key, nonce }
    }

    /// Reads the nonce and creates the key.
    ///
    /// # Errors
    /// [`HeaderError::Truncated`] if the input ends first.
    pub fn read(file_key: &FileKey, input: &mut impl Read) -> Result<Self, Error> {
        let mut nonce = [0; Self::NONCE];
        input
            .read_exact(&mut nonce)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => HeaderError::Truncated.into(),
                _ => Error::from(error),
            })?;
        Ok(Self::new(file_key, nonce))
    }

    /// Returns the nonce, which is written before the chunks.
    pub fn nonce(&self) -> &[u8; Self::NONCE] {
        &self.nonce
    }
}

impl Chunked for Payload {
    const SIZE: usize = 64 * 1024;
    const FULL_LAST: bool = true;
    /// The counter of the format has 88 bits; a `u64` is enough for any file.
    const MAX_CHUNKS: u64 = u64::MAX >> 17;

    fn seal(&self, index: u64, last: bool, chunk: &mut [u8]) -> Result<Tag, pqseal_hpke::Error> {
        ChaCha20Poly1305::seal_in_place(&self.key, &nonce(index, last), b"", chunk)
    }

    fn open(
        &self,
        index: u64,
        last: bool,
        chunk: &mut [u8],
        tag: &Tag,
    ) -> Result<(), pqseal_hpke::Error> {
        ChaCha20Poly1305::open_in_place(&self.key, &nonce(index, last), b"", chunk, tag)
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Payload")
    }
}

/// Returns the nonce: the counter in 11 bytes, big-endian, then a flag for the last chunk.
fn nonce(index: u64, last: bool) -> pqseal_hpke::Nonce {
    let mut nonce = [0; 12];
    nonce[3..11].copy_from_slice(&index.to_be_bytes());
    nonce[11] = last.into();
    nonce
}
