//! The result of a call: a code, and a sentence for it.

use std::ffi::{CStr, c_char};

use pqseal_keys::{KeyError, calendar};
use pqseal_matched_data::Error;

/// The result of a function. Codes are added, never changed.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pqseal_status {
    /// The call succeeded.
    PQSEAL_OK = 0,
    /// A fault in the library; please report it.
    PQSEAL_ERROR_INTERNAL = 1,
    /// A pointer must not be NULL, or an argument is out of range.
    PQSEAL_ERROR_ARGUMENT = 2,
    /// An output buffer is too small; its length is set to the required size.
    PQSEAL_ERROR_BUFFER = 3,
    /// The random number generator of the operating system failed.
    PQSEAL_ERROR_RANDOM = 4,
    /// An algorithm is unknown, or not allowed by the policy.
    PQSEAL_ERROR_UNSUPPORTED = 5,
    /// The bytes are not a key or an encapsulated key of this KEM.
    PQSEAL_ERROR_KEY = 6,
    /// The key belongs to another KEM than the suite's.
    PQSEAL_ERROR_KEY_MISMATCH = 7,
    /// Only one of psk and psk_id was given, or the psk has fewer than 32 bytes.
    PQSEAL_ERROR_PSK = 8,
    /// The KEM has no authenticated mode, or the key of the other side was given.
    PQSEAL_ERROR_AUTH = 9,
    /// Opening failed: the data was altered, or key, info, aad or mode differ.
    PQSEAL_ERROR_OPEN = 10,
    /// An export-only suite cannot seal or open.
    PQSEAL_ERROR_EXPORT_ONLY = 11,
    /// An input is too long for its algorithm, or too many bytes were requested from an export.
    PQSEAL_ERROR_LENGTH = 12,
    /// The context has no sequence number left.
    PQSEAL_ERROR_MESSAGE_LIMIT = 13,
    /// The input is not matched data or not an age file: malformed or cut off.
    PQSEAL_ERROR_FORMAT = 14,
    /// None of the keys is for this blob or file.
    PQSEAL_ERROR_NO_KEY = 15,
    /// The private key was read without its seed, so it cannot be serialized.
    PQSEAL_ERROR_NO_SEED = 16,
    /// A file has no recipient, or a mix of post-quantum and other recipients.
    PQSEAL_ERROR_RECIPIENTS = 17,
    /// A function that reads or writes for the library failed.
    PQSEAL_ERROR_IO = 18,
    /// The context was created in another process, which may seal under the same nonces; create a
    /// new one.
    PQSEAL_ERROR_PROCESS = 19,
    /// The edge logged the word "truncated" in the place of a payload that was too large. No key
    /// opens it. A blob that was cut off is PQSEAL_ERROR_FORMAT, or PQSEAL_ERROR_OPEN if only the
    /// ciphertext of version 4 was cut.
    PQSEAL_ERROR_TRUNCATED = 20,
    /// The input is empty.
    PQSEAL_ERROR_EMPTY = 21,
    /// The private key is encrypted with a passphrase; decrypt it first.
    PQSEAL_ERROR_KEY_ENCRYPTED = 22,
    /// The key is a public one, and the private one is needed.
    PQSEAL_ERROR_KEY_PUBLIC = 23,
    /// The text of a blob is not base64.
    PQSEAL_ERROR_BASE64 = 24,
    /// The version of the matched data is unknown, or less than the ring requires.
    PQSEAL_ERROR_VERSION = 25,
    /// The calendar is private, and the public one is needed.
    PQSEAL_ERROR_KEY_PRIVATE = 26,
    /// The key of the period was shredded.
    PQSEAL_ERROR_KEY_SHREDDED = 27,
    /// The key of the period is not in this lent calendar.
    PQSEAL_ERROR_KEY_NOT_LENT = 28,
    /// The calendar has no period, or no key, for this time.
    PQSEAL_ERROR_NO_PERIOD = 29,
}

use pqseal_status::{
    PQSEAL_ERROR_ARGUMENT, PQSEAL_ERROR_AUTH, PQSEAL_ERROR_BASE64, PQSEAL_ERROR_BUFFER,
    PQSEAL_ERROR_EMPTY, PQSEAL_ERROR_EXPORT_ONLY, PQSEAL_ERROR_FORMAT, PQSEAL_ERROR_INTERNAL,
    PQSEAL_ERROR_IO, PQSEAL_ERROR_KEY, PQSEAL_ERROR_KEY_ENCRYPTED, PQSEAL_ERROR_KEY_MISMATCH,
    PQSEAL_ERROR_KEY_PUBLIC, PQSEAL_ERROR_LENGTH, PQSEAL_ERROR_MESSAGE_LIMIT, PQSEAL_ERROR_NO_KEY,
    PQSEAL_ERROR_NO_SEED, PQSEAL_ERROR_OPEN, PQSEAL_ERROR_PROCESS, PQSEAL_ERROR_PSK,
    PQSEAL_ERROR_RANDOM, PQSEAL_ERROR_RECIPIENTS, PQSEAL_ERROR_TRUNCATED, PQSEAL_ERROR_UNSUPPORTED,
    PQSEAL_ERROR_VERSION, PQSEAL_OK,
};

use pqseal_status::{
    PQSEAL_ERROR_KEY_NOT_LENT, PQSEAL_ERROR_KEY_PRIVATE, PQSEAL_ERROR_KEY_SHREDDED,
    PQSEAL_ERROR_NO_PERIOD,
};

/// Every status, with its sentence.
const SENTENCES: &[(pqseal_status, &CStr)] = &[
    (PQSEAL_OK, c"success"),
    (
        PQSEAL_ERROR_INTERNAL,
        c"a fault in pqseal; please report it",
    ),
    (
        PQSEAL_ERROR_ARGUMENT,
        c"a required pointer is NULL, or an argument is out of range",
    ),
    (
        PQSEAL_ERROR_BUFFER,
        c"an output buffer is too small; its length was set to the length that is needed",
    ),
    (
        PQSEAL_ERROR_RANDOM,
        c"the random number generator of the operating system failed",
    ),
    (
        PQSEAL_ERROR_UNSUPPORTED,
        c"an algorithm is unknown, or not allowed by the policy",
    ),
    (
        PQSEAL_ERROR_KEY,
        c"the bytes are not a key or an encapsulated key of this KEM",
    ),
    (
        PQSEAL_ERROR_KEY_MISMATCH,
        c"the key belongs to another KEM than the suite",
    ),
    (
        PQSEAL_ERROR_PSK,
        c"psk and psk_id go together, and a psk has at least 32 bytes",
    ),
    (
        PQSEAL_ERROR_AUTH,
        c"this KEM has no authenticated mode, or the key of the other side was given",
    ),
    (
        PQSEAL_ERROR_OPEN,
        c"it does not open: it was altered, or sealed with another key, info, aad or mode",
    ),
    (
        PQSEAL_ERROR_EXPORT_ONLY,
        c"an export-only suite cannot seal or open",
    ),
    (
        PQSEAL_ERROR_LENGTH,
        c"an input is longer than its algorithm takes, or too many bytes are to be exported",
    ),
    (
        PQSEAL_ERROR_MESSAGE_LIMIT,
        c"the context has no sequence number left; set up a new one",
    ),
    (
        PQSEAL_ERROR_FORMAT,
        c"it is not matched data or not an age file: malformed or cut off",
    ),
    (
        PQSEAL_ERROR_NO_KEY,
        c"none of the keys is for this blob or file",
    ),
    (
        PQSEAL_ERROR_NO_SEED,
        c"the private key was read without its seed, so it cannot be serialized",
    ),
    (
        PQSEAL_ERROR_RECIPIENTS,
        c"a file has no recipient, or mixes post-quantum and classical recipients, so that a quantum computer would open it",
    ),
    (
        PQSEAL_ERROR_IO,
        c"a function that reads or writes for the library failed",
    ),
    (
        PQSEAL_ERROR_PROCESS,
        c"the context was made in another process, which may seal under the same nonces; make a new one in this process",
    ),
    (
        PQSEAL_ERROR_TRUNCATED,
        c"the edge logged the word truncated in the place of a payload that was too large",
    ),
    (PQSEAL_ERROR_EMPTY, c"the input is empty"),
    (
        PQSEAL_ERROR_KEY_ENCRYPTED,
        c"the private key is under a passphrase; decrypt it first",
    ),
    (
        PQSEAL_ERROR_KEY_PUBLIC,
        c"it is a public key, and the private key is needed",
    ),
    (PQSEAL_ERROR_BASE64, c"the text of the blob is not base64"),
    (
        PQSEAL_ERROR_VERSION,
        c"the version of the matched data is unknown, or less than the key ring requires",
    ),
    (
        PQSEAL_ERROR_KEY_PRIVATE,
        c"it is a private calendar, which the program that seals must not have; give the public one, which `pqseal calendar public` prints",
    ),
    (
        PQSEAL_ERROR_KEY_SHREDDED,
        c"the key of this period was shredded",
    ),
    (
        PQSEAL_ERROR_KEY_NOT_LENT,
        c"the key of this period is not in this lent calendar",
    ),
    (
        PQSEAL_ERROR_NO_PERIOD,
        c"the calendar has no period, or no key, for this time",
    ),
];

/// Returns a sentence for a status: static, in English, never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn pqseal_strerror(status: i32) -> *const c_char {
    let found = SENTENCES.iter().find(|(code, _)| *code as i32 == status);
    found
        .map_or(c"an unknown status", |(_, text)| *text)
        .as_ptr()
}

/// Returns the version of the library, such as "0.1.0", as a static string.
#[unsafe(no_mangle)]
pub extern "C" fn pqseal_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}

impl From<pqseal_hpke::Error> for pqseal_status {
    fn from(error: pqseal_hpke::Error) -> Self {
        match error {
            pqseal_hpke::Error::Validation
            | pqseal_hpke::Error::Deserialize
            | pqseal_hpke::Error::KeyLength => PQSEAL_ERROR_KEY,
            pqseal_hpke::Error::Open | pqseal_hpke::Error::Decap => PQSEAL_ERROR_OPEN,
            pqseal_hpke::Error::MessageLimitReached => PQSEAL_ERROR_MESSAGE_LIMIT,
            pqseal_hpke::Error::UnsupportedSuite(_) => PQSEAL_ERROR_UNSUPPORTED,
            pqseal_hpke::Error::AuthUnsupported => PQSEAL_ERROR_AUTH,
            pqseal_hpke::Error::ExportOnly => PQSEAL_ERROR_EXPORT_ONLY,
            pqseal_hpke::Error::ExportTooLong | pqseal_hpke::Error::InputTooLong => {
                PQSEAL_ERROR_LENGTH
            }
            pqseal_hpke::Error::InvalidPsk => PQSEAL_ERROR_PSK,
            pqseal_hpke::Error::KeyMismatch => PQSEAL_ERROR_KEY_MISMATCH,
            pqseal_hpke::Error::NoSeed => PQSEAL_ERROR_NO_SEED,
            pqseal_hpke::Error::Rng => PQSEAL_ERROR_RANDOM,
            pqseal_hpke::Error::DeriveKeyPair => PQSEAL_ERROR_ARGUMENT,
            _ => PQSEAL_ERROR_INTERNAL,
        }
    }
}

impl From<Error> for pqseal_status {
    fn from(error: Error) -> Self {
        match error {
            Error::Hpke(error) => error.into(),
            Error::NoKeyOpens | Error::NoX25519Key(_) | Error::NoKeyWithId { .. } => {
                PQSEAL_ERROR_NO_KEY
            }
            Error::KeyShredded { .. } => PQSEAL_ERROR_KEY_SHREDDED,
            Error::KeyNotLent { .. } => PQSEAL_ERROR_KEY_NOT_LENT,
            Error::Calendar(error) => error.into(),
            Error::Altered | Error::KeyOfAnotherKem => PQSEAL_ERROR_OPEN,
            Error::RefusedKem(_) => PQSEAL_ERROR_UNSUPPORTED,
            Error::WrongKem(_) => PQSEAL_ERROR_KEY_MISMATCH,
            Error::NotInVersion3 | Error::NotSealed(_) => PQSEAL_ERROR_ARGUMENT,
            Error::Truncated => PQSEAL_ERROR_TRUNCATED,
            Error::Empty => PQSEAL_ERROR_EMPTY,
            Error::Base64(_) => PQSEAL_ERROR_BASE64,
            Error::UnsupportedVersion(_) | Error::VersionRefused { .. } => PQSEAL_ERROR_VERSION,
            _ => PQSEAL_ERROR_FORMAT,
        }
    }
}

impl From<pqseal_age::Error> for pqseal_status {
    fn from(error: pqseal_age::Error) -> Self {
        use pqseal_age::{Error, KeyError};
        match error {
            Error::Header(_) | Error::Armor(_) => PQSEAL_ERROR_FORMAT,
            Error::NoMatch => PQSEAL_ERROR_NO_KEY,
            Error::Mac | Error::Payload(_) => PQSEAL_ERROR_OPEN,
            Error::Key(
                KeyError::Kem | KeyError::Experimental | KeyError::Plugin | KeyError::Ssh(_),
            ) => PQSEAL_ERROR_UNSUPPORTED,
            Error::Key(KeyError::Empty)
            | Error::NoRecipients
            | Error::MixedRecipients
            | Error::PassphraseNotAlone => PQSEAL_ERROR_RECIPIENTS,
            Error::Key(_) => PQSEAL_ERROR_KEY,
            Error::Hpke(error) => error.into(),
            Error::Io(_) => PQSEAL_ERROR_IO,
            _ => PQSEAL_ERROR_UNSUPPORTED,
        }
    }
}

impl From<KeyError> for pqseal_status {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::UnknownKem | KeyError::RefusedKem(_) | KeyError::JwkAlg(_) => {
                PQSEAL_ERROR_UNSUPPORTED
            }
            KeyError::OtherKem(_) => PQSEAL_ERROR_KEY_MISMATCH,
            KeyError::Empty => PQSEAL_ERROR_EMPTY,
            KeyError::Encrypted => PQSEAL_ERROR_KEY_ENCRYPTED,
            KeyError::PublicOnly => PQSEAL_ERROR_KEY_PUBLIC,
            KeyError::FormatLacksKem | KeyError::Alg => PQSEAL_ERROR_ARGUMENT,
            KeyError::Hpke(error) => error.into(),
            _ => PQSEAL_ERROR_KEY,
        }
    }
}

impl From<calendar::Error> for pqseal_status {
    fn from(error: calendar::Error) -> Self {
        match error {
            calendar::Error::Shredded => PQSEAL_ERROR_KEY_SHREDDED,
            calendar::Error::NotLent => PQSEAL_ERROR_KEY_NOT_LENT,
            calendar::Error::NoPeriod | calendar::Error::LeftOut => PQSEAL_ERROR_NO_PERIOD,
            calendar::Error::PrivateGiven => PQSEAL_ERROR_KEY_PRIVATE,
            calendar::Error::PublicOnly => PQSEAL_ERROR_KEY_PUBLIC,
            calendar::Error::Version | calendar::Error::KemRefused => PQSEAL_ERROR_UNSUPPORTED,
            calendar::Error::Key(_, error) => error.into(),
            calendar::Error::Hpke(error) => error.into(),
            _ => PQSEAL_ERROR_KEY,
        }
    }
}
