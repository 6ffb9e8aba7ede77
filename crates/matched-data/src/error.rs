//! Errors of opening blobs.

use std::fmt;

use pqseal_keys::{ALTERED, BAD_ARGUMENT, KeyId, RefusedKem, base64, calendar, hpke_code};

use crate::Version;

/// A problem with a blob.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// It is empty.
    Empty,
    /// It is the word `truncated`, which the edge logs instead of a payload that was too large.
    Truncated,
    /// It is not base64.
    Base64(base64::Error),
    /// Its first byte names a format that this version does not support.
    UnsupportedVersion(u8),
    /// Its version is below the one that the key ring requires
    /// ([`KeyRing::require_version`](crate::KeyRing::require_version)).
    VersionRefused {
        /// The blob's version.
        found: u8,
        /// The lowest allowed version.
        minimum: u8,
    },
    /// It ends early: it has `found` bytes, but its header requires `needed`. The length field of a
    /// blob is not trusted before this check.
    TooShort {
        /// The size that the header requires, in bytes.
        needed: u64,
        /// The actual size, in bytes.
        found: usize,
    },
    /// This many bytes follow the end of the blob.
    TrailingBytes(usize),
    /// No key opens it: it was sealed to another key, or altered.
    NoKeyOpens,
    /// A version 4 blob does not open with the key that it names: it was sealed with another info
    /// or aad, or altered.
    Altered,
    /// A version 4 blob was altered: it names one KEM, and a key of another.
    KeyOfAnotherKem,
    /// An info, aad or suite was given for version 3, which has one suite and neither info nor aad.
    NotInVersion3,
    /// Sealing in this version is not supported.
    NotSealed(u8),
    /// The key is of a KEM that this version does not use.
    WrongKem(Version),
    /// A blob of this version needs an X25519 key, but none was given.
    NoX25519Key(Version),
    /// A key that is held elsewhere only supports version 3 and 4 blobs.
    KeyHeldElsewhere(Version),
    /// A version 4 blob names a key that was not given.
    NoKeyWithId {
        /// The key that it was sealed to.
        wanted: KeyId,
        /// The first of the given keys, at most [`Error::MAX_KEYS_NAMED`].
        have: Vec<KeyId>,
        /// The number of given keys.
        count: usize,
    },
    /// A version 4 blob names the key of a calendar's period that was shredded.
    KeyShredded {
        /// The key that it was sealed to.
        wanted: KeyId,
        /// The period and the calendar.
        period: String,
    },
    /// A version 4 blob names the key of a calendar's period that was not lent.
    KeyNotLent {
        /// The key that it was sealed to.
        wanted: KeyId,
        /// The period and the calendar.
        period: String,
    },
    /// A key of a calendar is wrong.
    Calendar(calendar::Error),
    /// A version 4 blob names a KEM that is known but not supported.
    RefusedKem(&'static RefusedKem),
    /// HPKE failed in another way.
    Hpke(pqseal_hpke::Error),
}

impl Error {
    /// The maximum number of ids that [`Error::NoKeyWithId`] lists.
    pub const MAX_KEYS_NAMED: usize = 8;

    /// Returns the code by which programs distinguish failures. It is part of the interface of
    /// every program that shows it: codes are added, never changed.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Truncated => "truncated",
            Self::Base64(_) => "bad_base64",
            Self::UnsupportedVersion(_) => "unsupported_version",
            Self::VersionRefused { .. } => "version_refused",
            Self::TooShort { .. } => "bad_length",
            Self::TrailingBytes(_) => "trailing_bytes",
            Self::NoKeyOpens => "no_key_matched",
            Self::Altered | Self::KeyOfAnotherKem => ALTERED,
            Self::NotInVersion3 | Self::NotSealed(_) => BAD_ARGUMENT,
            Self::NoKeyWithId { .. } => "no_key_with_id",
            Self::KeyShredded { .. } => calendar::KEY_SHREDDED,
            Self::KeyNotLent { .. } => calendar::KEY_NOT_LENT,
            Self::Calendar(error) => error.code(),
            Self::WrongKem(_) | Self::NoX25519Key(_) => "wrong_kem",
            Self::KeyHeldElsewhere(_) => "key_held_elsewhere",
            Self::RefusedKem(_) => "refused_kem",
            Self::Hpke(error) => hpke_code(error),
        }
    }
}

impl Error {
    /// Reports whether an attempt to decrypt failed in this way: by a wrong key, altered bytes, or
    /// a wrong computation.
    pub const fn is_of_decryption(&self) -> bool {
        match self {
            Self::NoKeyOpens | Self::Altered => true,
            Self::Hpke(error) => error.is_of_decryption(),
            _ => false,
        }
    }

    /// Reports whether another key may open the blob.
    pub(crate) const fn is_of_this_key(&self) -> bool {
        matches!(self, Self::NoKeyOpens | Self::KeyHeldElsewhere(_))
    }

    /// Converts the failure of a version 4 blob when the key that it names is present.
    pub(crate) fn with_named_key(self) -> Self {
        match self {
            Self::NoKeyOpens => Self::Altered,
            Self::Hpke(pqseal_hpke::Error::KeyMismatch) => Self::KeyOfAnotherKem,
            other => other,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the blob is empty"),
            Self::Truncated => {
                f.write_str("the payload was too large to be logged: the log has the word `truncated` in its place")
            }
            Self::Base64(error) => write!(f, "the blob is not base64: {error}"),
            Self::UnsupportedVersion(version) => {
                write!(f, "the blob's format is version {version}; this program reads 1 to 4")
            }
            Self::VersionRefused { found, minimum } => {
                write!(f, "the blob's format is version {found}, and versions below {minimum} are refused")
            }
            Self::TooShort { needed, found } => {
                write!(f, "the blob ends early: {needed} bytes by its header, {found} found; was it cut when copied?")
            }
            Self::TrailingBytes(extra) => write!(f, "{extra} bytes follow the end of the blob"),
            Self::NoKeyOpens => f.write_str("the blob was sealed to another key, or altered"),
            Self::Altered => f.write_str("the blob was altered, or sealed with another info or aad"),
            Self::KeyOfAnotherKem => {
                f.write_str("the blob was altered: its KEM is not the KEM of the key that it names")
            }
            Self::NotInVersion3 => {
                f.write_str("a version 3 blob has one suite, no info and no aad; use version 4 for them")
            }
            Self::NotSealed(version) => {
                write!(f, "blobs are sealed in version 3 or 4, not in version {version}")
            }
            Self::WrongKem(version) => write!(f, "a {version} blob is only for x25519 keys"),
            Self::NoX25519Key(version) => write!(f, "a {version} blob opens with an x25519 key, and none was given"),
            Self::KeyHeldElsewhere(version) => {
                write!(f, "a {version} blob needs the bytes of its private key, which is held elsewhere")
            }
            Self::NoKeyWithId { wanted, have, count } => {
                write!(f, "the blob was sealed to the key {wanted}; given: ")?;
                let ids: Vec<_> = have.iter().map(KeyId::to_string).collect();
                match count - have.len().min(*count) {
                    _ if ids.is_empty() => f.write_str("none"),
                    0 => f.write_str(&ids.join(", ")),
                    more => write!(f, "{} and {more} more", ids.join(", ")),
                }
            }
            Self::KeyShredded { wanted, period } => {
                write!(f, "the blob was sealed to the key {wanted} for {period}, which was shredded")
            }
            Self::KeyNotLent { wanted, period } => {
                write!(f, "the blob was sealed to the key {wanted} for {period}, which was not lent")
            }
            Self::Calendar(error) => write!(f, "cannot use the calendar: {error}"),
            Self::RefusedKem(kem) => write!(f, "KEM {} is refused: {}", kem.short_name, kem.reason),
            Self::Hpke(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<base64::Error> for Error {
    fn from(error: base64::Error) -> Self {
        Self::Base64(error)
    }
}

/// Converts an error of HPKE. A malformed or low-order encapsulated key is reported the same way as
/// a failed authentication tag.
impl From<pqseal_hpke::Error> for Error {
    fn from(error: pqseal_hpke::Error) -> Self {
        match error {
            pqseal_hpke::Error::Open
            | pqseal_hpke::Error::Validation
            | pqseal_hpke::Error::Deserialize
            | pqseal_hpke::Error::Decap => Self::NoKeyOpens,
            other => Self::Hpke(other),
        }
    }
}
