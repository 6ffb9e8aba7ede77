//! Errors of opening sealed values.

use std::fmt;

use pqseal_keys::{base64, hpke_code};

/// The reason why a sealed value does not open. It contains nothing secret.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The object says that it is encrypted, but lacks this member, or it is not a string.
    Member(&'static str),
    /// This member is not base64.
    Base64(&'static str, base64::Error),
    /// The IV has this many bytes instead of 12.
    Iv(usize),
    /// The ciphertext has this many bytes, fewer than its tag.
    Short(usize),
    /// The wrapped key has this many bytes. RSA keys of 2,048 to 4,096 bits give 256 to 512; with
    /// such a size, no given RSA key matches.
    WrappedKey(usize),
    /// The encapsulated key has this many bytes instead of 32.
    Enc(usize),
    /// The members of the envelope are not those of its format.
    Envelope,
    /// The envelope is of another version.
    EnvelopeVersion,
    /// The envelope names another suite.
    EnvelopeSuite,
    /// The envelope has this many recipients instead of one.
    Recipients(usize),
    /// No RSA key was given.
    NoRsaKey,
    /// No X25519 key was given, apart from those of calendars, which open only matched data.
    NoX25519Key,
    /// No key opens it: it was sealed to another key, or altered. A wrapped key that does not
    /// unwrap and a tag that does not verify are the same error.
    NoKeyOpens,
    /// It has this many recipients, more than are tried.
    ManyRecipients(usize),
    /// Its header has more than 250,000 bytes.
    LongHeader,
    /// It was encrypted under a passphrase.
    Passphrase,
    /// No key for age files was given.
    NoAgeKey,
    /// No key opens the age file, and X25519 keys that are held elsewhere are not tried.
    NoAgeKeyOpens,
    /// The JWE has fewer than five parts.
    JweParts,
    /// The JWE has this algorithm (its first 64 characters), which JOSE-HPKE does not define.
    JweAlgorithm(String),
    /// No key was given whose KEM is that of this algorithm.
    NoJweKey(&'static str),
    /// The JWE is malformed, or refused.
    Jwe(pqseal_formats::Error),
    /// The age file does not open.
    Age {
        /// The code of [`pqseal_age::Error::code`], or `bad_length` for a file that is cut off.
        code: &'static str,
        /// The sentence of that error.
        reason: String,
    },
    /// It was opened, but is not the JSON object that its format requires.
    Plaintext,
    /// This build has no RSA (feature `aws-lc`).
    NotBuilt,
    /// The random number generator failed.
    Rng,
    /// HPKE failed in another way.
    Hpke(pqseal_hpke::Error),
}

impl Error {
    /// Returns the code by which programs distinguish failures. Codes are added, never changed.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Member(_) | Self::Envelope | Self::JweParts => "bad_object",
            Self::LongHeader => "bad_header",
            Self::Base64(..) => "bad_base64",
            Self::Iv(_) => "bad_iv",
            // The sizes of supported RSA keys, in bytes: the value was sealed to another one.
            Self::WrappedKey(256..=512) => "no_key_matched",
            Self::Short(_) | Self::WrappedKey(_) | Self::Enc(_) => "bad_length",
            Self::EnvelopeVersion => "unsupported_version",
            Self::EnvelopeSuite | Self::JweAlgorithm(_) => "unsupported_suite",
            Self::Recipients(_) | Self::ManyRecipients(_) => "recipient_count",
            Self::Jwe(error) => error.code(),
            Self::Age { code, .. } => code,
            Self::NoRsaKey | Self::NoX25519Key | Self::NoAgeKey | Self::NoJweKey(_) => "wrong_kem",
            Self::NoKeyOpens | Self::NoAgeKeyOpens | Self::Passphrase => "no_key_matched",
            Self::Plaintext => "bad_plaintext",
            Self::NotBuilt => "not_built",
            Self::Rng => "rng",
            Self::Hpke(error) => hpke_code(error),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Member(name) => {
                return write!(
                    f,
                    "it says that it is encrypted, but its {name} is missing or not a string"
                );
            }
            Self::Base64(name, error) => return write!(f, "its {name} is not base64: {error}"),
            Self::Iv(found) => return write!(f, "its iv has {found} bytes; 12 are supported"),
            Self::Short(found) => {
                return write!(
                    f,
                    "its ciphertext has {found} bytes, and a tag has 16; was it cut?"
                );
            }
            Self::WrappedKey(found @ 256..=512) => {
                return write!(
                    f,
                    "its wrapped key has {found} bytes, and no RSA key that was given has this size"
                );
            }
            Self::WrappedKey(found) => {
                return write!(
                    f,
                    "its wrapped key has {found} bytes; those of RSA keys of 2,048 to 4,096 bits have 256 to 512"
                );
            }
            Self::Enc(found) => {
                return write!(f, "its encapsulated key has {found} bytes instead of 32");
            }
            Self::Envelope => "its members are not those of an envelope of version 1",
            Self::EnvelopeVersion => "it is an envelope of another version than 1",
            Self::EnvelopeSuite => {
                "it is an envelope of another suite than X25519 with HKDF-SHA256 and AES-256-GCM"
            }
            Self::Recipients(found) => {
                return write!(f, "it has {found} recipients, and version 1 has one");
            }
            Self::ManyRecipients(found) => {
                return write!(f, "it has {found} recipients, and at most 100 are tried");
            }
            Self::Passphrase => "it was encrypted under a passphrase, and only keys are tried",
            Self::LongHeader => "its header has more than 250,000 bytes, which are not read",
            Self::NoAgeKey => {
                "it opens with an age identity or a private key that is neither in a calendar nor held elsewhere, and none was given"
            }
            Self::NoAgeKeyOpens => {
                "it was sealed to another key, or altered; x25519 keys that are held elsewhere open no age files"
            }
            Self::JweParts => "it begins as a JWE, and has fewer than its five parts; was it cut?",
            Self::JweAlgorithm(name) => {
                return write!(f, "its algorithm {name:?} is not supported; those of JOSE-HPKE are");
            }
            Self::NoJweKey(alg) => {
                return write!(f, "it opens with a key for {alg} that is not in a calendar, and none was given");
            }
            Self::Jwe(error) => return error.fmt(f),
            Self::Age { reason, .. } => reason,
            Self::NoRsaKey => "it opens with an RSA key, and none was given",
            Self::NoX25519Key => {
                "it opens with an x25519 key that is not in a calendar, and none was given"
            }
            Self::NoKeyOpens => "it was sealed to another key, or altered",
            Self::Plaintext => "it was opened, and is not the JSON object that its format requires",
            Self::NotBuilt => {
                "it opens with an RSA key, and this program was built without the feature aws-lc"
            }
            Self::Rng => "the system's random number generator failed",
            Self::Hpke(error) => return error.fmt(f),
        })
    }
}

impl std::error::Error for Error {}
