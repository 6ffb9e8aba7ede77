//! Blobs of every version, and the key that opens versions 1 to 3.

use pqseal_hpke::{AnyPrivateKey, Sealed};

use crate::{Error, Frame, FrameV4, Trailing, Version, legacy, v3, v4, version::SUITE};

/// A parsed blob of any version.
///
/// ```
/// use pqseal_keys::base64;
/// use pqseal_matched_data::{Blob, Trailing};
///
/// let text = include_bytes!("../../../examples/matched-data/blob.txt");
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
    v3: pqseal_hpke::Recipient,
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
            Error::Hpke(pqseal_hpke::Error::NoSeed) => Error::KeyHeldElsewhere(frame.version),
            other => other,
        })
    }

    /// Opens many blobs, results in order. Those of version 3 use
    /// [`pqseal_hpke::Recipient::open_batch`].
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
            true => Ok(opened.next().expect("one answer per message")?),
            false => self.open(frame),
        };
        frames.iter().map(answer).collect()
    }
}
