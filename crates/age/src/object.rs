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
mod read;
mod secret;

use std::io::{Read, Write};

use pqseal_hpke::Policy;
use pqseal_keys::DEFAULT_SUITE;

pub use header::{Entry, Header};
pub use secret::Secret;

use crate::{
    ChunkReader, ChunkWriter, Error, Identity, Recipient,
    cobblestone::{Cipher, Cobblestone},
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
