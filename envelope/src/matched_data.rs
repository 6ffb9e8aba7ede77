//! Matched data: the part of a request that matched a web firewall's rule, sealed at the edge to
//! the customer's public key.
//!
//! | version | bytes, before base64 | suite | HPKE | also authenticated | written by |
//! |---|---|---|---|---|---|
//! | 1 | `version, enc (32), length u64 LE, ciphertext, tag (16)` | X25519 [^fixed] | draft 05, label `HPKE-05 ` | nothing | matched-data-cli 0.1 |
//! | 2 | the same | X25519 | draft 06, label `HPKE-06` [^07] | nothing | matched-data-cli 0.2, 0.3 |
//! | 3 | the same | X25519 | RFC 9180, label `HPKE-v1` | nothing | matched-data-cli 0.3 to 0.6, the edge today; [`Sealer`] |
//! | 4 | `version, kem, kdf, aead u16 BE, key id (8), enc (Nenc), ciphertext, tag (16)` | any, named by its ids | RFC 9180 and its successor, label `HPKE-v1` | the 15 bytes before enc, the application's info and aad | [`Sealer`] |
//!
//! [^fixed]: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20Poly1305.
//! [^07]: Some releases of its HPKE library used `HPKE-07`; both are tried.
//!
//! All versions seal one message in base mode. Versions 1 to 3 ([`Frame`]) have empty info and aad.
//! Their version and length fields are not authenticated directly: another version derives another
//! key, and another length moves the tag. Versions 1 and 2 are opened for archives and never
//! sealed.
//!
//! Version 4 ([`FrameV4`]) has `info = "pqseal matched-data v4" || 0x00 || application info` and
//! `aad = header || application aad`.
//!
//! # Why version 4
//! - Version 3 has one suite, which a quantum computer could break. Version 4 supports every suite,
//!   and names it.
//! - Version 3 does not name its key, so each key is tried in turn. Version 4 has a key id: that
//!   key is used, or reported as missing.
//! - A version 3 blob can be moved into another record. In version 4 the application's aad, such as
//!   an event's id, prevents that.
//! - A version 3 blob is valid in every application. In version 4 info separates applications, and
//!   the label separates it from all other uses of a key.
//!
//! No version authenticates the sender: anyone with the public key can seal. The length of the
//! plaintext is visible in each.
//!
//! The default suite and its reasons: [`DEFAULT_SUITE`](crate::DEFAULT_SUITE).

mod description;
mod frame;
mod legacy;
mod sealer;
mod text;
mod v3;
mod v4;

use hpke::{AnyPrivateKey, HkdfSha256, Sealed, Suite, X25519HkdfSha256};

pub use description::Description;
pub use frame::{Frame, Trailing};
pub use sealer::{SealOptions, Sealer};
pub use text::TRUNCATED;
pub use v4::{FrameV4, HeaderV4, OpenerV4};

use crate::{Error, Version};

/// The ciphersuite of versions 1 to 3.
const SUITE: Suite = Suite::new(
    &hpke::Erased(X25519HkdfSha256),
    &HkdfSha256,
    &hpke::AnyAead::ChaCha20Poly1305(hpke::ChaCha20Poly1305),
);

/// A parsed blob of any version.
///
/// ```
/// use pqseal_envelope::{Blob, Trailing, base64};
///
/// let text = include_bytes!("../../examples/matched-data/blob.txt");
/// let bytes = base64::decode(text.trim_ascii())?;
/// let blob = Blob::parse(&bytes, Trailing::Refuse)?;
/// assert_eq!((blob.version(), blob.plaintext_len()), (3, 78));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blob<'a> {
    /// Versions 1 to 3.
    V1to3(Frame<'a>),
    /// Version 4.
    V4(FrameV4<'a>),
}

impl<'a> Blob<'a> {
    /// Parses a blob. A version 4 blob ends where the bytes end, so `trailing` has no effect on it:
    /// appended bytes become part of the ciphertext, which then does not open.
    ///
    /// # Errors
    /// Same as [`Frame::parse`] and [`FrameV4::parse`].
    pub fn parse(blob: &'a [u8], trailing: Trailing) -> Result<Self, Error> {
        match blob.first() {
            Some(&v4::VERSION) => FrameV4::parse(blob).map(Self::V4),
            _ => Frame::parse(blob, trailing).map(Self::V1to3),
        }
    }

    /// Returns the version of its format, 1 to 4.
    pub const fn version(&self) -> u8 {
        match self {
            Self::V1to3(frame) => frame.version as u8,
            Self::V4(_) => v4::VERSION,
        }
    }

    /// Returns the size of the plaintext, in bytes.
    pub const fn plaintext_len(&self) -> usize {
        match self {
            Self::V1to3(frame) => frame.plaintext_len(),
            Self::V4(frame) => frame.plaintext_len(),
        }
    }
}

/// A private key ready to open many blobs of versions 1 to 3.
#[derive(Debug)]
pub struct Opener {
    legacy: legacy::Key,
    v3: hpke::Recipient,
}

impl Opener {
    /// Binds an X25519 private key.
    ///
    /// # Errors
    /// [`Error::WrongKem`] for a key of another KEM.
    pub fn new(key: &AnyPrivateKey) -> Result<Self, Error> {
        if key.kem().id != SUITE.kem().info().id {
            return Err(Error::WrongKem(Version::V3));
        }
        Ok(Self {
            legacy: legacy::Key::new(key),
            v3: v3::recipient(key)?,
        })
    }

    /// Opens one blob.
    ///
    /// # Errors
    /// [`Error::NoKeyOpens`]; for versions 1 and 2 [`Error::KeyHeldElsewhere`].
    pub fn open(&self, frame: &Frame<'_>) -> Result<Vec<u8>, Error> {
        let opened = match frame.version {
            Version::V1 => self.legacy.open_v1(frame),
            Version::V2 => self.legacy.open_v2(frame),
            Version::V3 => Ok(self.v3.open(frame.enc, b"", frame.ct)?),
        };
        // The drafts derive other shared secrets from the Diffie-Hellman value.
        opened.map_err(|error| match error {
            Error::Hpke(hpke::Error::NoSeed) => Error::KeyHeldElsewhere(frame.version),
            other => other,
        })
    }

    /// Opens many blobs, results in order. Those of version 3 use [`hpke::Recipient::open_batch`].
    pub fn open_batch(&self, frames: &[Frame<'_>]) -> Vec<Result<Vec<u8>, Error>> {
        let is_v3 = |frame: &&Frame<'_>| frame.version == Version::V3;
        let sealed: Vec<_> = frames
            .iter()
            .filter(is_v3)
            .map(|frame| Sealed {
                enc: frame.enc,
                aad: b"",
                ct: frame.ct,
            })
            .collect();
        let mut opened = self.v3.open_batch(&sealed).into_iter();
        let answer = |frame| match is_v3(&frame) {
            true => Ok(opened.next().expect("one answer a message")?),
            false => self.open(frame),
        };
        frames.iter().map(answer).collect()
    }
}
