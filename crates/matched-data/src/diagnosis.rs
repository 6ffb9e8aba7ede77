//! Diagnosis of a blob that does not open: the cause, and the change that would open it.
//!
//! Logs pass through forms, spreadsheets and stores, which escape, re-encode and truncate their
//! values. [`diagnose`] undoes the usual changes ([`Repair`]), tries the other drafts of HPKE and a
//! blob without its header, and reports which of them opens. [`key_pairs_of`] lists the key pairs
//! that an ikm can represent. Opening itself ([`KeyRing::open`]) guesses nothing.

mod ikm;
mod readings;

use std::fmt;

use pqseal_hpke::Policy;
use pqseal_keys::KeyId;

use crate::{Blob, Error, Frame, KeyRing, OpenOptions, Opened, Trailing, Version};

pub use ikm::{Derivation, KeyPair, key_pairs_of};
pub use readings::Repair;
use readings::readings;

/// The result of [`diagnose`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The changes to undo to get the blob, in order. Empty if there are none.
    pub repairs: Vec<Repair>,
    /// The finding after these changes.
    pub finding: Finding,
    /// The header after these changes, if it can be read.
    pub header: Option<Header>,
}

/// The header of a blob.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The version of its format, 1 to 4.
    pub version: u8,
    /// The document that defines its HPKE.
    pub specification: &'static str,
    /// The key that it was sealed to (version 4).
    pub key_id: Option<KeyId>,
}

/// A finding about a blob. `key` is the index of a key in the ring.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It opens.
    Opens {
        /// The key that opens it.
        key: usize,
    },
    /// It opens with a different first byte: the sender wrote one version and sealed by the draft
    /// of another.
    OtherVersion {
        /// The key that opens it.
        key: usize,
        /// The version in its first byte.
        written: Version,
        /// The version by which it was sealed.
        sealed: Version,
    },
    /// It is `enc || ct`, as HPKE itself returns them, without the header of matched data.
    NoHeader {
        /// The key that opens it.
        key: usize,
        /// The version by which it was sealed.
        sealed: Version,
    },
    /// The blob is complete, and this many bytes follow it, such as another blob.
    Followed {
        /// The key that opens it.
        key: usize,
        /// The number of bytes that follow.
        bytes: usize,
    },
    /// Its end is missing.
    Cut {
        /// The number of characters in its text, without a truncation mark.
        kept: usize,
        /// The number that it should have; unknown for version 4, which has no length field.
        needed: Option<u64>,
    },
    /// It is of version 4, does not open with the key that it names, and its text has a length at
    /// which log stores truncate fields: info or aad differ, or its end is missing.
    AlteredOrCut {
        /// The number of characters in its text.
        kept: usize,
    },
    /// All its letters have the same case: something that stored it did not preserve case.
    OneCase,
    /// It does not open for the reason that [`KeyRing::open`] or [`Blob::decode`] gives.
    Refused(Error),
}

/// Finds out why a blob, given as text or bytes, does not open. It applies the versions that `keys`
/// requires and the policy of `options`, as opening does.
///
/// ```
/// use pqseal_matched_data::{KeyRing, OpenOptions, diagnosis::{Finding, Repair, diagnose}};
/// # let (key_file, text) = (
/// #     include_str!("../../../examples/matched-data/key.txt"),
/// #     include_str!("../../../examples/matched-data/blob.txt"),
/// # );
///
/// let mut ring = KeyRing::new();
/// ring.add(&pqseal_keys::read_private(key_file, None).expect("it holds an X25519 key"))?;
/// let in_a_url = text.trim().replace('+', "%2B").replace('/', "%2F");
/// let found = diagnose(in_a_url.as_bytes(), &ring, &OpenOptions::default());
/// assert_eq!(found.repairs, [Repair::PercentEncoding]);
/// assert_eq!(found.finding, Finding::Opens { key: 0 });
/// # Ok::<(), pqseal_matched_data::Error>(())
/// ```
#[must_use]
pub fn diagnose(input: &[u8], keys: &KeyRing, options: &OpenOptions<'_>) -> Diagnosis {
    let readings = readings(input);
    for reading in &readings {
        if let Ok(finding) = reading.open(keys, options) {
            return reading.with(finding);
        }
    }
    // None opens: the first reading that is a blob, or else the text as it is.
    let is_blob = readings.iter().find(|reading| reading.is_plausible());
    let reading = is_blob.unwrap_or(&readings[0]);
    let error = reading.open(keys, options).err();
    reading.with(reading.explain(error.unwrap_or(Error::NoKeyOpens)))
}

/// Reports whether a text is a blob, complete or truncated, in one of the ways in which
/// [`diagnose`] reads it.
#[must_use]
pub fn looks_sealed(text: &[u8]) -> bool {
    // The shortest blob has 57 bytes, in hexadecimal or base64.
    let is_long = text.len() >= 40;
    is_long && readings(text).iter().any(Reading::is_plausible)
}

/// Reports whether a text is a complete blob, in one of the ways in which [`diagnose`] reads it. A
/// version 4 blob has no length field, so it only may be complete. Line breaks do not matter.
#[must_use]
pub fn looks_whole(text: &[u8]) -> bool {
    readings(text).iter().any(|reading| {
        let bytes = reading.bytes.as_ref();
        !reading.is_cut
            && bytes.is_ok_and(|bytes| Blob::parse(bytes, Trailing::Refuse).is_ok())
            && reading.is_plausible()
    })
}

impl Finding {
    /// Returns the code by which programs distinguish findings.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Opens { .. } => "opens",
            Self::OtherVersion { .. } => "other_version",
            Self::NoHeader { .. } => "no_header",
            Self::Followed { .. } => "trailing_bytes",
            Self::Cut { .. } => "cut",
            Self::AlteredOrCut { .. } => Error::Altered.code(),
            Self::OneCase => "one_case",
            Self::Refused(error) => error.code(),
        }
    }

    /// Returns the index of the key that opens it, if one does.
    #[must_use]
    pub const fn key(&self) -> Option<usize> {
        match self {
            Self::Opens { key }
            | Self::OtherVersion { key, .. }
            | Self::NoHeader { key, .. }
            | Self::Followed { key, .. } => Some(*key),
            _ => None,
        }
    }
}

/// Writes what was found and what to do about it, in a sentence.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opens { .. } => f.write_str("it opens"),
            Self::OtherVersion { written, sealed, .. } => write!(
                f,
                "its first byte says {written}, but it was sealed by {}, which is {sealed}; change its first byte to {}",
                sealed.specification(),
                *sealed as u8
            ),
            Self::NoHeader { sealed, .. } => write!(
                f,
                "it is the encapsulated key and the ciphertext of {}, without the header of matched data; insert the byte {} before it, and the length of the plaintext (8 bytes, little-endian) after its first 32 bytes",
                sealed.specification(),
                *sealed as u8
            ),
            Self::Followed { bytes, .. } => write!(
                f,
                "it opens, but {bytes} bytes follow it; remove them, or give one blob per line"
            ),
            Self::Cut {
                kept,
                needed: Some(needed),
            } => write!(
                f,
                "it was cut after {kept} of {needed} characters; the rest is lost, so raise the field's size limit in the log store"
            ),
            Self::Cut { kept, needed: None } => write!(
                f,
                "it was cut after {kept} characters; raise the field's size limit in the log store"
            ),
            Self::AlteredOrCut { kept } => write!(
                f,
                "{}; or it was cut: it has {kept} characters, a length at which many log stores cut fields",
                Error::Altered
            ),
            Self::OneCase => f.write_str(
                "all its letters have the same case, so the data is lost; store the field without changing its case",
            ),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

/// A text, read in one way.
struct Reading {
    repairs: Vec<Repair>,
    bytes: Result<Vec<u8>, Error>,
    /// The length of the text, without line breaks and without spaces at its ends; 0 for bytes
    /// that are not text.
    characters: usize,
    is_one_case: bool,
    /// Set if the text itself shows that its end is missing.
    is_cut: bool,
}

impl Reading {
    fn new(repairs: Vec<Repair>, text: &[u8], bytes: Result<Vec<u8>, Error>) -> Self {
        Self {
            bytes,
            characters: characters(text),
            is_one_case: is_one_case(text),
            is_cut: repairs.contains(&Repair::TruncationMark),
            repairs,
        }
    }

    /// Tries to open the bytes.
    fn open(&self, keys: &KeyRing, options: &OpenOptions<'_>) -> Result<Finding, Error> {
        let bytes = self.bytes.as_ref().map_err(Error::clone)?;
        let opened = Blob::parse(bytes, Trailing::Refuse)
            .and_then(|blob| Ok(keys.open(&blob, options)?.key));
        let error = match opened {
            Ok(key) => return Ok(Finding::Opens { key }),
            Err(error) => error,
        };
        let blob = Blob::parse(bytes, Trailing::Ignore);
        if let (&Error::TrailingBytes(bytes), Ok(blob)) = (&error, &blob)
            && let Ok(Opened { key, .. }) = keys.open(blob, options)
        {
            return Ok(Finding::Followed { key, bytes });
        }
        if let Ok(Blob::V1to3(frame)) = blob
            && let Some((key, sealed)) = by_any_version(frame.enc, frame.ct, keys)
        {
            return Ok(Finding::OtherVersion {
                key,
                written: frame.version,
                sealed,
            });
        }
        if let Some((enc, ct)) = bytes.split_at_checked(32)
            && let Some((key, sealed)) = by_any_version(enc, ct, keys)
        {
            return Ok(Finding::NoHeader { key, sealed });
        }
        Err(error)
    }

    /// Explains why it does not open by what happened to its text.
    fn explain(&self, error: Error) -> Finding {
        let kept = self.characters;
        // Log stores truncate at powers of two from 256 characters and at round thousands; up to
        // three characters less are left of a group that was cut.
        let is_limit = kept >= 253
            && (kept..=kept + 3).any(|limit| limit.is_power_of_two() || limit.is_multiple_of(1000));
        let cut = Finding::Cut { kept, needed: None };
        match error {
            _ if self.is_one_case => Finding::OneCase,
            // The size in this error is only the minimum.
            Error::TooShort { .. } if self.is_v4() => cut,
            _ if self.is_cut && self.is_v4() => cut,
            Error::TooShort { needed, .. } => Finding::Cut {
                kept,
                needed: Some(match self.repairs.contains(&Repair::Hex) {
                    true => needed.saturating_mul(2),
                    // Four characters encode three bytes.
                    false => needed.div_ceil(3).saturating_mul(4),
                }),
            },
            Error::Altered if is_limit => Finding::AlteredOrCut { kept },
            error => Finding::Refused(error),
        }
    }

    fn with(&self, finding: Finding) -> Diagnosis {
        let mut repairs = self.repairs.clone();
        // Only the complete bytes were read, and they are all of the blob.
        let is_marked = repairs.contains(&Repair::TruncationMark);
        if self.is_cut && !is_marked && finding.code() == "opens" {
            repairs.push(Repair::TrailingCharacters);
        }
        let bytes = self.bytes.as_ref().ok();
        let description = bytes.and_then(|bytes| Blob::describe(bytes).ok());
        let description = description.filter(|_| finding.code() != "no_header");
        Diagnosis {
            repairs,
            header: description.map(|description| Header {
                version: description.version,
                specification: description.specification,
                key_id: description.key_id,
            }),
            finding,
        }
    }

    fn is_v4(&self) -> bool {
        matches!(self.bytes.as_deref(), Ok([4, ..]))
    }

    /// Reports whether its bytes are a blob that a key could open, or one whose end is missing.
    fn is_plausible(&self) -> bool {
        let Ok(bytes) = &self.bytes else { return false };
        match Blob::parse(bytes, Trailing::Ignore) {
            Ok(Blob::V1to3(_)) => true,
            Ok(Blob::V4(_)) => Blob::describe(bytes).is_ok_and(|found| found.problem.is_none()),
            // The length field of other data is random, and far larger than any payload.
            Err(Error::TooShort { needed, .. }) => needed < 1 << 32,
            Err(_) => false,
        }
    }
}

/// Returns the version by which a key opens this, newest first.
fn by_any_version(enc: &[u8], ct: &[u8], keys: &KeyRing) -> Option<(usize, Version)> {
    let any = OpenOptions {
        policy: Policy::draft(),
        ..OpenOptions::default()
    };
    let versions = [Version::V3, Version::V2, Version::V1];
    versions.into_iter().find_map(|version| {
        let frame = Frame { version, enc, ct };
        let opened = keys.open(&Blob::V1to3(frame), &any).ok()?;
        Some((opened.key, version))
    })
}

/// Reports whether all letters have the same case. Base64 of a blob has both: the probability
/// that 80 letters have one case is 2^-79. Hexadecimal digits have no letters after F.
fn is_one_case(text: &[u8]) -> bool {
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic());
    let after_f = letters.clone().filter(|byte| !byte.is_ascii_hexdigit());
    let capitals = letters.clone().filter(|byte| byte.is_ascii_uppercase());
    let (letters, capitals) = (letters.count(), capitals.count());
    after_f.count() >= 20 && letters >= 40 && (capitals == 0 || capitals == letters)
}

/// Counts the characters of a text, without line breaks and without spaces at its ends.
fn characters(text: &[u8]) -> usize {
    (text.trim_ascii().iter())
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .count()
}
