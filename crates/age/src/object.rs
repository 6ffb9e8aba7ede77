//! Large objects for recipients with keys of any KEM. HPKE wraps a secret for each recipient, and
//! Cobblestone in its raw mode encrypts the chunks. The container is specific to pqseal ("pqseal
//! object", version 1); no other program reads it. docs/files.md has the same tables.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | magic: `89 70 71 73 65 61 6c 0a` (`pqseal` between a byte that is not ASCII and LF) |
//! | 8 | 1 | version: 1 |
//! | 9 | 2 | AEAD id of the chunks: 1 AES-128-GCM, 2 AES-256-GCM |
//! | 11 | 4 | L: the length of the header, at most 16 MiB |
//! | 15 | 2 | number of recipients, at least 1 |
//! | 17 | | for each recipient: the length of its blob (2), the blob |
//! | | | zeros up to L - 32 |
//! | L - 32 | 32 | MAC |
//! | L | | chunks of Cobblestone in raw mode |
//!
//! Integers are big-endian. A blob has version 4 ([`pqseal_matched_data`]) and names its suite
//! and its key. Its application info is `pqseal object v1`, its application aad is bytes 0 to 10 of
//! the object, and its plaintext is the secret (32).
//!
//! `HKDF-Expand-SHA512(secret, "pqseal object v1" || 0x00 || AEAD id (2))` gives the AEAD key (Nk),
//! the base nonce (12) and the MAC key (32), in this order. The MAC is HMAC-SHA-256 of bytes 0 to L
//! - 33. It thus commits to the secret, and to the key of the chunks.
//!
//! ```
//! use std::io::{Read, Write};
//! use pqseal_age::{HpkeIdentity, MLKEM768X25519, object};
//!
//! let identity = HpkeIdentity::generate(&MLKEM768X25519)?;
//! let options = object::Options::default();
//! let mut writer = object::seal(&[&identity.recipient()], &options, Vec::new())?;
//! writer.write_all(b"hello")?;
//! let bytes = writer.finish()?;
//!
//! let mut text = String::new();
//! object::open(&[&identity], &options.policy, &bytes[..])?.read_to_string(&mut text)?;
//! assert_eq!(text, "hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod header;

use std::{
    fmt,
    io::{Read, Write},
};

use hmac::{Hmac, KeyInit, Mac};
use pqseal_hpke::Policy;
use pqseal_keys::DEFAULT_SUITE;
use sha2::Sha256;
use zeroize::Zeroizing;

pub use header::{Entry, Header};

use crate::{
    ChunkReader, ChunkWriter, Error, HeaderError, Identity, Recipient,
    cobblestone::{self, Cipher, Cobblestone},
    crypto,
};

/// The first bytes of every object.
pub const MAGIC: [u8; 8] = *b"\x89pqseal\n";
/// The version that is written and read.
pub const VERSION: u8 = 1;
/// The number of bytes of the secret.
pub const SECRET: usize = 32;

/// The application info of the blobs, and the label of the derived keys.
const LABEL: &[u8] = b"pqseal object v1";
/// The number of bytes that the blobs are bound to: magic, version and AEAD id.
const BOUND: usize = MAGIC.len() + 1 + 2;
/// The number of bytes before the first recipient.
const FIXED: usize = BOUND + 4 + 2;
/// The number of bytes of the MAC.
const MAC: usize = 32;

/// The options for a new object.
#[derive(Clone, Debug)]
pub struct Options {
    /// The cipher of the chunks.
    pub cipher: Cipher,
    /// The id of the KDF that wraps the secret.
    pub kdf: u16,
    /// The id of the AEAD that wraps the secret.
    pub aead: u16,
    /// The policy for algorithms.
    pub policy: Policy,
}

impl Default for Options {
    /// Returns AES-256-GCM for the chunks, the KDF and AEAD of [`DEFAULT_SUITE`] for the secret,
    /// and a policy for standard and draft KEMs.
    fn default() -> Self {
        Self {
            cipher: Cipher::Aes256Gcm,
            kdf: DEFAULT_SUITE.kdf,
            aead: DEFAULT_SUITE.aead,
            policy: Policy::draft(),
        }
    }
}

/// Writes the header of an object and returns the stream for its plaintext, which must be completed
/// with `finish`.
///
/// # Errors
/// The errors of [`Header::new`] and of the output.
pub fn seal<W: Write>(
    recipients: &[&dyn Recipient],
    options: &Options,
    mut output: W,
) -> Result<ChunkWriter<Cobblestone, W>, Error> {
    let secret = Secret::generate()?;
    let header = Header::new(recipients, &secret, options)?;
    output.write_all(header.as_bytes())?;
    Ok(ChunkWriter::new(secret.payload(options.cipher)?, output))
}

/// Reads the header of an object and returns the stream of its plaintext.
///
/// # Errors
/// The errors of [`Header::read`] and [`Header::open`].
pub fn open<R: Read>(
    identities: &[&dyn Identity],
    policy: &Policy,
    mut input: R,
) -> Result<ChunkReader<Cobblestone, R>, Error> {
    let header = Header::read(&mut input)?;
    let secret = header.open(identities, policy)?;
    Ok(ChunkReader::new(secret.payload(header.cipher())?, input))
}

/// The secret of an object, 32 bytes, which HPKE wraps for each recipient. Wiped on drop.
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Generates a secret.
    ///
    /// # Errors
    /// An error if the random number generator fails.
    pub fn generate() -> Result<Self, Error> {
        let bytes = crypto::random::<SECRET>()?;
        Ok(Self(Zeroizing::new(bytes.to_vec())))
    }

    /// Creates a secret from its bytes. It must not be used for two objects.
    pub fn new(bytes: &[u8; SECRET]) -> Self {
        Self(Zeroizing::new(bytes.to_vec()))
    }

    /// Creates a secret from the plaintext of a blob.
    fn opened(bytes: Vec<u8>) -> Result<Self, HeaderError> {
        let bytes = Zeroizing::new(bytes);
        match bytes.len() {
            SECRET => Ok(Self(bytes)),
            _ => Err(HeaderError::Object),
        }
    }

    /// Returns the 32 bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Derives the key of the chunks.
    ///
    /// # Errors
    /// The errors of the AEAD.
    pub fn payload(&self, cipher: Cipher) -> Result<Cobblestone, Error> {
        let okm = self.expand(cipher);
        let (key, rest) = okm.split_at(key_len(cipher));
        let nonce = rest.first_chunk().expect("128 bytes are enough");
        Cobblestone::raw(cipher, key, *nonce)
    }

    /// Returns the MAC of a header.
    fn mac(&self, cipher: Cipher, header: &[u8]) -> Hmac<Sha256> {
        let okm = self.expand(cipher);
        let key = &okm[key_len(cipher) + 12..][..32];
        let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key);
        mac.expect("HMAC takes a key of any length")
            .chain_update(header)
    }

    fn expand(&self, cipher: Cipher) -> Zeroizing<[u8; 128]> {
        cobblestone::expand(&self.0, &[LABEL, &[0], &aead_id(cipher).to_be_bytes()])
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Returns the id of a cipher in HPKE's registry of AEADs.
fn aead_id(cipher: Cipher) -> u16 {
    match cipher {
        Cipher::Aes128Gcm => 1,
        Cipher::Aes256Gcm => 2,
    }
}

/// Returns Nk, the length of the AEAD key.
fn key_len(cipher: Cipher) -> usize {
    match cipher {
        Cipher::Aes128Gcm => 16,
        Cipher::Aes256Gcm => 32,
    }
}
