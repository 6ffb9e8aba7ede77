//! Errors of sealing and opening messages.

use std::fmt;

use pqseal_keys::{AlgorithmUnavailable, KeyError};

/// A problem with a message, a key or a call. It contains nothing secret.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// It is not a message of this format. The text is the reason.
    Malformed(&'static str),
    /// A part of it is larger than this implementation accepts. The text names the part.
    TooLong(&'static str),
    /// It requires a feature that is refused. The text names it and the reason.
    Refused(&'static str),
    /// Its algorithm is not in the list of allowed ones. The name comes from the message, cut to 64
    /// characters.
    AlgorithmNotAllowed(String),
    /// The algorithm in a key file is not in the list of those that it may name. The name comes
    /// from the file, cut to 64 characters.
    KeyAlgorithmNotAllowed(String),
    /// Its content encryption algorithm is unknown or not allowed. The name comes from the message,
    /// cut to 64 characters.
    ContentNotAllowed(String),
    /// The algorithm is known, but this build does not support it.
    AlgorithmUnavailable(AlgorithmUnavailable),
    /// The key is for an algorithm or KEM other than this one.
    KeyAlgorithm(&'static str),
    /// It is for none of the given keys: another KEM, another `kid` or another algorithm.
    NoKey,
    /// It names a pre-shared key that was not given.
    UnknownPsk,
    /// It was not sealed with a pre-shared key, which is required.
    PskRequired,
    /// It is for a KEM with this id, which this build does not support.
    UnknownKem(u16),
    /// It names a key with this id, which this gateway does not have, or has for another KEM.
    UnknownKey(u8),
    /// It ends before its last chunk.
    Truncated,
    /// The format has no message for this call. The text says what to change.
    Usage(&'static str),
    /// A key cannot be read or written.
    Key(KeyError),
    /// HPKE refused the input, or randomness failed.
    Hpke(pqseal_hpke::Error),
    /// The keys fit but none opens it: it was altered, or the pre-shared key, the extra info or the
    /// external data differ.
    Open,
}

/// The maximum length of a message's algorithm name that an error repeats, in characters.
const NAME_LEN: usize = 64;

impl Error {
    pub(crate) fn algorithm_not_allowed(name: &str) -> Self {
        Self::AlgorithmNotAllowed(name.chars().take(NAME_LEN).collect())
    }

    pub(crate) fn key_algorithm_not_allowed(name: &str) -> Self {
        Self::KeyAlgorithmNotAllowed(name.chars().take(NAME_LEN).collect())
    }

    /// Returns the code that programs compare; it never changes. An error of a key or of HPKE has
    /// its code in `pqseal-keys`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "malformed",
            Self::TooLong(_) => "too_long",
            Self::Refused(_) => "refused",
            Self::AlgorithmNotAllowed(_) | Self::KeyAlgorithmNotAllowed(_) => {
                "algorithm_not_allowed"
            }
            Self::ContentNotAllowed(_) => "content_not_allowed",
            Self::AlgorithmUnavailable(_) | Self::UnknownKem(_) => "unsupported_suite",
            Self::KeyAlgorithm(_) => "key_algorithm",
            Self::NoKey => "no_key_matched",
            Self::UnknownPsk => "unknown_psk",
            Self::PskRequired => "psk_required",
            Self::UnknownKey(_) => "no_key_with_id",
            Self::Truncated => "truncated",
            Self::Usage(_) => pqseal_keys::BAD_ARGUMENT,
            Self::Key(error) => error.code(),
            Self::Hpke(error) => pqseal_keys::hpke_code(error),
            Self::Open => pqseal_keys::ALTERED,
        }
    }

    pub(crate) fn content_not_allowed(name: &str) -> Self {
        Self::ContentNotAllowed(name.chars().take(NAME_LEN).collect())
    }
}

impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        Self::Key(error)
    }
}

impl From<AlgorithmUnavailable> for Error {
    fn from(error: AlgorithmUnavailable) -> Self {
        Self::AlgorithmUnavailable(error)
    }
}

/// Converts an error of HPKE. A malformed encapsulated key or ciphertext is reported like a failed
/// tag.
impl From<pqseal_hpke::Error> for Error {
    fn from(error: pqseal_hpke::Error) -> Self {
        match error {
            pqseal_hpke::Error::Open
            | pqseal_hpke::Error::Decap
            | pqseal_hpke::Error::Deserialize
            | pqseal_hpke::Error::Validation => Self::Open,
            other => Self::Hpke(other),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(what) => write!(f, "malformed message: {what}"),
            Self::TooLong(what) => write!(f, "{what}"),
            Self::Refused(what) => write!(f, "{what}"),
            Self::AlgorithmNotAllowed(name) => write!(
                f,
                "the message's algorithm {name:?} is not one of those allowed; allow it only if the sender should use it"
            ),
            Self::KeyAlgorithmNotAllowed(name) => write!(
                f,
                "the key is for the algorithm {name:?}, which is not one of those allowed for keys"
            ),
            Self::ContentNotAllowed(name) => write!(
                f,
                "the message's content encryption algorithm {name:?} is unknown or not allowed"
            ),
            Self::AlgorithmUnavailable(error) => error.fmt(f),
            Self::KeyAlgorithm(name) => write!(f, "the key is not for {name}"),
            Self::NoKey => f.write_str(
                "none of the keys is for this message: they have another KEM, another `kid` or another algorithm",
            ),
            Self::UnknownPsk => {
                f.write_str("the message names a pre-shared key that was not given")
            }
            Self::PskRequired => f.write_str(
                "the message was sealed without a pre-shared key, so anyone may have sealed it",
            ),
            Self::UnknownKem(id) => write!(f, "this build does not have the KEM {id:#06x}"),
            Self::UnknownKey(id) => write!(
                f,
                "the request is for key {id}, which is not a key of this gateway with that KEM; the client's key configuration may be outdated"
            ),
            Self::Truncated => f.write_str("the message ends before its last chunk"),
            Self::Usage(what) => f.write_str(what),
            Self::Key(error) => error.fmt(f),
            Self::Hpke(error) => error.fmt(f),
            Self::Open => f.write_str(
                "the message does not open: it was sealed to another key, or with another pre-shared key, extra info or external data, or it was altered",
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Key(error) => Some(error),
            Self::Hpke(error) => Some(error),
            _ => None,
        }
    }
}
