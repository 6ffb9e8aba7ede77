//! Errors of keys as text, and the codes by which programs distinguish failures. Codes are added,
//! never changed.

use std::fmt;

use crate::{RefusedKem, algorithm::JwkAlg, base64};

/// The code of a ciphertext that was altered, or sealed with another info or aad.
pub const ALTERED: &str = "altered";

/// The code of a private key that is held elsewhere and did not answer. Later operations with that
/// key fail the same way.
pub const KEY_UNAVAILABLE: &str = "key_unavailable";

/// The code of an invalid argument, here and in the programs.
pub const BAD_ARGUMENT: &str = "bad_argument";

/// Returns the code of a failure of HPKE itself.
pub const fn hpke_code(error: &pqseal_hpke::Error) -> &'static str {
    use pqseal_hpke::Error;
    match error {
        Error::Validation => "validation",
        Error::Deserialize => "deserialize",
        Error::Encap => "encap",
        Error::Decap => "decap",
        Error::Open => "open",
        Error::MessageLimitReached => "message_limit_reached",
        Error::DeriveKeyPair => "derive_key_pair",
        Error::UnsupportedSuite(_) => "unsupported_suite",
        Error::AuthUnsupported => "auth_unsupported",
        Error::ExportOnly => "export_only",
        Error::ExportTooLong => "export_too_long",
        Error::InvalidPsk => "invalid_psk",
        Error::KeyMismatch => "key_mismatch",
        Error::KeyLength => "key_length",
        Error::InputTooLong => "input_too_long",
        Error::NoSeed => "no_seed",
        Error::Rng => "rng",
        Error::KeyUnavailable => KEY_UNAVAILABLE,
        Error::Miscomputed => "miscomputed",
        _ => "failed",
    }
}

/// A problem with a key's text. It contains nothing of the key.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// It is empty.
    Empty,
    /// It has this many bytes, more than [`MAX_LEN`](super::MAX_LEN).
    TooLong(usize),
    /// It is a [`Calendar`](crate::calendar::Calendar), not a single key.
    Calendar,
    /// It is a public key where a private one is needed.
    PublicOnly,
    /// It is only base64, which can be either half, and the caller must choose.
    HalfNeeded,
    /// A base64 part is not valid. The position is relative to the start of that part.
    Base64(base64::Error),
    /// The decoded key has the wrong number of bytes.
    Length {
        /// The name of the KEM.
        kem: &'static str,
        /// The correct length.
        expected: usize,
        /// The actual length.
        found: usize,
        /// Whether it is only base64, which does not name its KEM; false without the feature `all`.
        raw: bool,
    },
    /// The checksum of a pqseal line is wrong: it was mistyped or cut.
    Checksum,
    /// A pqseal line does not have three parts.
    Line,
    /// It is for an unknown KEM, or a key of an unknown algorithm.
    UnknownKem,
    /// It is for a KEM that is known but not supported.
    RefusedKem(&'static RefusedKem),
    /// It is for this KEM, and another one was requested.
    OtherKem(&'static str),
    /// It is not JSON, or lacks the named member.
    Json(&'static str),
    /// It is not a JWK of a known curve, of ML-KEM, or of a hybrid. The text describes the wrong
    /// member.
    Jwk(&'static str),
    /// It is not a COSE_Key of a known curve, of ML-KEM, or of a hybrid. The text describes the
    /// wrong parameter.
    #[cfg(feature = "cose-key")]
    CoseKey(&'static str),
    /// It is a COSE_Key, which needs the feature `cose-key`.
    #[cfg(feature = "all")]
    CoseKeyUnsupported,
    /// The `alg` for a COSE_Key is of another KEM, or missing, which only curve keys allow.
    #[cfg(feature = "cose-key")]
    Alg,
    /// It is a JWK whose `alg`, this one, names no KEM.
    JwkAlg(JwkAlg),
    /// It holds no PEM block of a private or public key.
    Pem,
    /// It is not a PKCS#8, SEC 1 or SPKI key in DER.
    Der,
    /// It is an encrypted private key.
    Encrypted,
    /// Private and public half do not belong together, or seed and expanded key do not.
    Mismatch,
    /// Its public key on this curve is not below p, such as with bit 255 of X25519 set: no private
    /// key has it, so messages sealed to it would never open.
    NotCanonical(&'static str),
    /// Its public key on this curve is zero or another point of low order: no private key has it.
    LowOrder(&'static str),
    /// It is a key in an encoding that is not read, such as UTF-16. The text names it.
    Text(&'static str),
    /// The format does not support this KEM; [`KeyFormat::Line`](super::KeyFormat::Line) supports
    /// every KEM.
    FormatLacksKem,
    /// The format holds only key pairs.
    FormatLacksPublic,
    /// The KEM reported an error, such as that the bytes are not a key of it.
    Hpke(pqseal_hpke::Error),
}

impl KeyError {
    /// Returns the code by which programs distinguish failures, like `Error::code` of
    /// pqseal-matched-data: `bad_argument` if the format cannot hold the key or the caller must
    /// choose, `refused_kem`, `miscomputed` ([`pqseal_hpke::Error::Miscomputed`]), or else
    /// `bad_key`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::FormatLacksKem | Self::FormatLacksPublic | Self::HalfNeeded => BAD_ARGUMENT,
            #[cfg(feature = "cose-key")]
            Self::Alg => BAD_ARGUMENT,
            Self::RefusedKem(_) => "refused_kem",
            Self::Hpke(pqseal_hpke::Error::Miscomputed) => "miscomputed",
            _ => "bad_key",
        }
    }
}

/// An error in a text of several keys, with its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineError {
    /// The line, from 1, on which the wrong key begins; `None` for a text of one key.
    pub line: Option<usize>,
    /// The error.
    pub error: KeyError,
}

impl LineError {
    /// Returns [`KeyError::code`].
    pub const fn code(&self) -> &'static str {
        self.error.code()
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.error),
            None => self.error.fmt(f),
        }
    }
}

impl std::error::Error for LineError {}

impl From<KeyError> for LineError {
    fn from(error: KeyError) -> Self {
        Self { line: None, error }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "it holds no key",
            Self::TooLong(_) => {
                "it is larger than 64 KiB, the limit of a key file; is it the right file?"
            }
            Self::Calendar => "it is a calendar of keys, which is not supported here; a single key is needed",
            Self::PublicOnly => "it is a public key; the private key is needed",
            Self::HalfNeeded => "it is a raw key, which does not say whether it is the private or the public half",
            Self::Base64(error) => return write!(f, "it is not base64: {error}"),
            Self::Length { kem, expected, found, .. } => {
                return write!(f, "a key of {kem} has {expected} bytes, this one has {found}");
            }
            Self::Checksum => "its checksum is wrong: it was mistyped or cut; copy it again",
            Self::Line => "its key line is malformed; the format is pqseal-private-key:<kem>:<base64url> or pqseal-public-key:<kem>:<base64url>",
            Self::UnknownKem => "it is for a KEM or a curve that is not supported, or for signatures, as RSA and Ed25519 keys are",
            Self::RefusedKem(kem) => return write!(f, "its KEM, {}, is refused: {}", kem.short_name, kem.reason),
            Self::OtherKem(kem) => return write!(f, "it is a key of {kem}"),
            Self::Json(what) => return write!(f, "it is not a key-pair file: {what}"),
            Self::JwkAlg(alg) => return alg.fmt(f),
            #[cfg(feature = "cose-key")]
            Self::CoseKey(what) => return write!(f, "it is not a COSE_Key of HPKE: {what}"),
            #[cfg(feature = "all")]
            Self::CoseKeyUnsupported => "COSE_Key is not supported by this build",
            #[cfg(feature = "cose-key")]
            Self::Alg => "a COSE_Key names an algorithm of its KEM, such as HPKE-9-KE for mlkem768-x25519; only curve keys may name none",
            Self::Jwk(what) => return write!(f, "it is not a JSON Web Key of a known curve, of ML-KEM, or of a hybrid: {what}"),
            Self::Pem => "it holds no complete PEM block of a private or public key",
            Self::Der => "it is not a PKCS#8, SEC 1 or SPKI key in DER",
            Self::Encrypted => "it is encrypted; decrypt it first (openssl pkey -in FILE -out FILE2)",
            Self::Mismatch => "its halves do not belong together: private and public key, or seed and expanded key",
            Self::NotCanonical(curve) => {
                return write!(
                    f,
                    "no private key has this {curve} public key (its value is not below the prime of the field), so nothing sealed to it would open; \
                     was it altered, or is it a private key?"
                );
            }
            Self::LowOrder(curve) => {
                return write!(
                    f,
                    "no private key has this {curve} public key (all zeros, or another point of low order); ask its owner for the right one"
                );
            }
            Self::Text(what) => what,
            Self::FormatLacksKem => "this format cannot hold keys of this KEM; use `line`, which holds keys of every KEM",
            Self::FormatLacksPublic => "this format holds only key pairs; choose raw, pem, jwk or line for a public key",
            Self::Hpke(error) => return error.fmt(f),
        })
    }
}

impl std::error::Error for KeyError {}

impl From<base64::Error> for KeyError {
    fn from(error: base64::Error) -> Self {
        Self::Base64(error)
    }
}

impl From<pqseal_hpke::Error> for KeyError {
    fn from(error: pqseal_hpke::Error) -> Self {
        Self::Hpke(error)
    }
}
