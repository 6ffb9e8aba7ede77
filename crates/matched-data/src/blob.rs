//! Blobs of every version, as text and as bytes, and the key that opens versions 1 to 3.

use std::borrow::Cow;

use pqseal_hpke::{AnyPrivateKey, Mode, Recipient, Sealed};
use pqseal_keys::base64;

use crate::{Error, Frame, FrameV4, Trailing, Version, drafts::DraftKey, v4, version::SUITE};

/// The word that the edge logs instead of a payload that is too large.
pub const TRUNCATED: &str = "truncated";

/// The byte order mark that editors on Windows put before text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

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

impl Blob<'_> {
    /// Decodes the text of a blob: base64 in either alphabet, with or without padding, in any
    /// number of lines.
    ///
    /// ```
    /// use pqseal_matched_data::{Blob, Error};
    ///
    /// assert_eq!(*Blob::decode(b" AwAB\r\n")?, [3, 0, 1]);
    /// assert_eq!(Blob::decode(b"truncated"), Err(Error::Truncated));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Empty`]; [`Error::Truncated`] for the word `truncated`, which the edge logs instead
    /// of a payload that was too large; [`Error::Base64`].
    pub fn decode(text: &[u8]) -> Result<Vec<u8>, Error> {
        match text.trim_ascii() {
            b"" => Err(Error::Empty),
            word if word == TRUNCATED.as_bytes() => Err(Error::Truncated),
            // Moved out of its wiping container: a blob is not secret.
            text => Ok(std::mem::take(&mut *base64::decode(text)?)),
        }
    }

    /// Decodes the text of a blob like [`Blob::decode`], or returns its bytes if they are given
    /// directly. A byte order mark before text is skipped.
    ///
    /// # Errors
    /// Same as [`Blob::decode`].
    pub fn decode_text_or_bytes(input: &[u8]) -> Result<Cow<'_, [u8]>, Error> {
        if Self::is_binary(input) {
            return Ok(Cow::Borrowed(input));
        }
        let text = input.strip_prefix(BYTE_ORDER_MARK).unwrap_or(input);
        Self::decode(text).map(Cow::Owned)
    }

    /// Reports whether an input is the bytes of a blob: they begin with its version, a control
    /// character that no text begins with.
    #[must_use]
    pub fn is_binary(input: &[u8]) -> bool {
        matches!(input.first(), Some(0..=8))
    }
}

/// A private key ready to open many blobs of versions 1 to 3.
#[derive(Debug)]
pub struct OpenerV1to3 {
    drafts: DraftKey,
    v3: Recipient,
}

impl OpenerV1to3 {
    /// Binds an X25519 private key.
    ///
    /// # Errors
    /// [`Error::WrongKem`] for a key of another KEM.
    pub fn new(key: &AnyPrivateKey) -> Result<Self, Error> {
        if key.kem().id != SUITE.kem().info().id {
            return Err(Error::WrongKem(Version::V3));
        }
        Ok(Self {
            drafts: DraftKey::new(key),
            v3: Recipient::new(SUITE, key.clone(), b"", Mode::Base)?,
        })
    }

    /// Opens one blob.
    ///
    /// # Errors
    /// [`Error::NoKeyOpens`]; for versions 1 and 2 [`Error::KeyHeldElsewhere`].
    pub fn open(&self, frame: &Frame<'_>) -> Result<Vec<u8>, Error> {
        let opened = match frame.version {
            Version::V3 => Ok(self.v3.open(frame.enc, b"", frame.ct)?),
            Version::V1 | Version::V2 => self.drafts.open(frame),
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
        let sealed: Vec<_> = frames
            .iter()
            .filter(|frame| frame.version == Version::V3)
            .map(|frame| Sealed {
                enc: frame.enc,
                aad: b"",
                ct: frame.ct,
            })
            .collect();
        let mut opened = self.v3.open_batch(&sealed).into_iter();
        (frames.iter())
            .map(|frame| match frame.version {
                Version::V3 => Ok(opened.next().expect("one answer per message")?),
                Version::V1 | Version::V2 => self.open(frame),
            })
            .collect()
    }
}
