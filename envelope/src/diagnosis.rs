//! Why a blob does not open, and what would open it.
//!
//! Logs pass through forms, spreadsheets and stores, which escape, re-encode and cut what they
//! hold. [`diagnose`] undoes the usual ones ([`Repair`]), tries the other drafts of HPKE and a blob
//! without its header, and says which of them opens. [`key_pairs_of`] lists the key pairs that an
//! ikm can stand for. Opening itself ([`KeyRing::open`]) guesses nothing.

mod cut;
mod ikm;
mod readings;

use std::fmt;

use hpke::Policy;

use crate::{Blob, Error, Frame, KeyId, KeyRing, OpenOptions, Trailing, Version};

pub use ikm::{Derivation, KeyPair, key_pairs_of};
pub use readings::Repair;
use readings::{Reading, readings};

/// What is wrong with a blob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// What has to be undone to get at the blob, in order. Empty if nothing has to be.
    pub repairs: Vec<Repair>,
    /// What was found then.
    pub finding: Finding,
    /// What the blob says of itself then, if its header can be read.
    pub header: Option<Header>,
}

/// What a blob says of itself.
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

/// What was found about a blob. `key` is the place of a key in the ring.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It opens.
    Opens {
        /// With this key.
        key: usize,
    },
    /// It opens once its first byte is another: the sender wrote one version and sealed by the draft
    /// of another.
    OtherVersion {
        /// With this key.
        key: usize,
        /// What its first byte says.
        written: Version,
        /// By which it was sealed.
        sealed: Version,
    },
    /// It is `enc || ct`, as HPKE itself gives them, without the header of matched data.
    NoHeader {
        /// With this key.
        key: usize,
        /// By which it was sealed.
        sealed: Version,
    },
    /// The blob is whole, and this many bytes follow it, such as another blob.
    Followed {
        /// With this key.
        key: usize,
        /// How many, in bytes.
        bytes: usize,
    },
    /// Its end is missing.
    Cut {
        /// How many characters of its text there are, without a truncation mark.
        kept: usize,
        /// How many it should have; not known of version 4, which has no length.
        needed: Option<u64>,
    },
    /// It is of version 4 and does not open with the key that it names, and its text is as long as
    /// log stores cut fields: info or aad differ, or its end is missing.
    AlteredOrCut {
        /// How many characters of its text there are.
        kept: usize,
    },
    /// All its letters are capitals, or none is: what stored it did not keep their case.
    OneCase,
    /// It does not open for the reason that [`KeyRing::open`] or [`Blob::decode`] gives.
    Refused(Error),
}

/// Finds out why a blob does not open: the text of a blob, or its bytes. Versions that `keys`
/// requires and the policy of `options` are those of opening it.
///
/// ```
/// use pqseal_envelope::{KeyRing, OpenOptions, diagnosis::{Finding, Repair, diagnose}, keys};
/// # let (key_file, text) = (
/// #     include_str!("../../examples/matched-data/key.txt"),
/// #     include_str!("../../examples/matched-data/blob.txt"),
/// # );
///
/// let mut ring = KeyRing::new();
/// ring.add(&keys::read_private(key_file, None).expect("it holds an X25519 key"))?;
/// let in_a_url = text.trim().replace('+', "%2B").replace('/', "%2F");
/// let found = diagnose(in_a_url.as_bytes(), &ring, &OpenOptions::default());
/// assert_eq!(found.repairs, [Repair::PercentEncoding]);
/// assert_eq!(found.finding, Finding::Opens { key: 0 });
/// # Ok::<(), pqseal_envelope::Error>(())
/// ```
#[must_use]
pub fn diagnose(input: &[u8], keys: &KeyRing, options: &OpenOptions<'_>) -> Diagnosis {
    let readings = readings(input);
    let patient = |reading: &Reading| examine(reading, keys, options);
    let opened = readings.iter().find_map(|reading| {
        let finding = patient(reading).ok()?;
        Some(reading.with(finding))
    });
    opened.unwrap_or_else(|| unopened(&readings, patient))
}

/// Whether a text is a blob, in one of the ways in which [`diagnose`] reads it, whole or cut.
#[must_use]
pub fn looks_sealed(text: &[u8]) -> bool {
    // The shortest blob has 57 bytes, in hexadecimal or base64.
    let is_long = text.len() >= 40;
    is_long && readings(text).iter().any(Reading::is_plausible)
}

/// Whether a text is a blob that ends where it says (of version 4, which has no length: that may
/// be whole), in one of the ways in which [`diagnose`] reads it. Line breaks do not matter.
#[must_use]
pub fn looks_whole(text: &[u8]) -> bool {
    readings(text).iter().any(Reading::is_whole)
}

/// What to say if no reading opens: of the first that is a blob, or else of the text as it is.
fn unopened(
    readings: &[Reading],
    patient: impl Fn(&Reading) -> Result<Finding, Error>,
) -> Diagnosis {
    let is_blob = readings.iter().find(|reading| reading.is_plausible());
    let reading = is_blob.unwrap_or(&readings[0]);
    let error = patient(reading).err().unwrap_or(Error::NoKeyOpens);
    reading.with(cause(reading, error))
}

/// The failure of a reading, in terms of what happened to its text.
fn cause(reading: &Reading, error: Error) -> Finding {
    let kept = reading.characters;
    let cut = Finding::Cut { kept, needed: None };
    match error {
        _ if reading.is_one_case => Finding::OneCase,
        // The size that its error names is the least that it can have.
        Error::TooShort { .. } if reading.is_v4() => cut,
        _ if reading.is_cut && reading.is_v4() => cut,
        Error::TooShort { needed, .. } => Finding::Cut {
            kept,
            needed: Some(reading.characters_of(needed)),
        },
        Error::Altered if cut::is_limit(kept) => Finding::AlteredOrCut { kept },
        error => Finding::Refused(error),
    }
}

/// What opens the bytes of a reading.
fn examine(reading: &Reading, keys: &KeyRing, options: &OpenOptions<'_>) -> Result<Finding, Error> {
    let bytes = reading.bytes.as_ref().map_err(Error::clone)?;
    let as_it_is = Blob::parse(bytes, Trailing::Refuse).and_then(|blob| {
        let opened = keys.open(&blob, options)?;
        Ok(Finding::Opens { key: opened.key })
    });
    as_it_is.or_else(|error| {
        followed(bytes, keys, options)
            .or_else(|| other_version(bytes, keys))
            .or_else(|| no_header(bytes, keys))
            .ok_or(error)
    })
}

fn followed(bytes: &[u8], keys: &KeyRing, options: &OpenOptions<'_>) -> Option<Finding> {
    let Ok(Error::TrailingBytes(extra)) = Blob::parse(bytes, Trailing::Refuse).map_or_else(Ok, Err)
    else {
        return None;
    };
    let blob = Blob::parse(bytes, Trailing::Ignore).ok()?;
    let key = keys.open(&blob, options).ok()?.key;
    Some(Finding::Followed { key, bytes: extra })
}

fn other_version(bytes: &[u8], keys: &KeyRing) -> Option<Finding> {
    let Ok(Blob::V1to3(frame)) = Blob::parse(bytes, Trailing::Ignore) else {
        return None;
    };
    let (key, sealed) = by_any_version(frame.enc, frame.ct, keys)?;
    Some(Finding::OtherVersion {
        key,
        written: frame.version,
        sealed,
    })
}

fn no_header(bytes: &[u8], keys: &KeyRing) -> Option<Finding> {
    let (enc, ct) = bytes.split_at_checked(32)?;
    let (key, sealed) = by_any_version(enc, ct, keys)?;
    Some(Finding::NoHeader { key, sealed })
}

/// The version by which a key opens this, newest first.
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

impl Finding {
    /// The code by which programs distinguish findings.
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

    /// The place of the key that opens it, if one does.
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

/// What was found and what to do about it, in a sentence.
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
