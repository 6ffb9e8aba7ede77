//! One error for JavaScript: a code for programs and a sentence for people.

use std::fmt;

use envelope::{hpke, keys::KeyError};
use js_sys::{JsString, Reflect};
use wasm_bindgen::JsValue;

/// What JavaScript catches, as an `Error` with a `code`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What programs tell failures apart by: one of `ErrorCode` in `types.ts`.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
}

impl Error {
    /// An argument or an option that is not of its type.
    pub(crate) fn argument(name: &str, expected: &str) -> Self {
        Self { code: "bad_argument", message: format!("{name} must be {expected}") }
    }

    fn new(code: &'static str, error: &dyn fmt::Display) -> Self {
        Self { code, message: error.to_string() }
    }
}

impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        let code = match error {
            KeyError::FormLacksKem | KeyError::FormLacksPublic => "bad_argument",
            KeyError::RefusedKem(_) => "refused_kem",
            _ => "bad_key",
        };
        Self::new(code, &error)
    }
}

impl From<envelope::Error> for Error {
    fn from(error: envelope::Error) -> Self {
        let code = match &error {
            envelope::Error::Empty => "empty",
            envelope::Error::Truncated => "truncated",
            envelope::Error::Base64(_) => "bad_base64",
            envelope::Error::UnsupportedVersion(_) => "unsupported_version",
            envelope::Error::TooShort { .. } => "bad_length",
            envelope::Error::TrailingBytes(_) => "trailing_bytes",
            envelope::Error::NoKeyOpens => "no_key_matched",
            envelope::Error::NoKeyWithId { .. } => "no_key_with_id",
            envelope::Error::WrongKem(_) | envelope::Error::NoX25519Key(_) => "wrong_kem",
            envelope::Error::RefusedKem(_) => "refused_kem",
            envelope::Error::Hpke(error) => return Self::from(*error),
            _ => "failed",
        };
        Self::new(code, &error)
    }
}

impl From<hpke::Error> for Error {
    fn from(error: hpke::Error) -> Self {
        let code = match error {
            hpke::Error::Validation => "validation",
            hpke::Error::Deserialize => "deserialize",
            hpke::Error::Encap => "encap",
            hpke::Error::Decap => "decap",
            hpke::Error::Open => "open",
            hpke::Error::MessageLimitReached => "message_limit_reached",
            hpke::Error::DeriveKeyPair => "derive_key_pair",
            hpke::Error::UnsupportedSuite(_) => "unsupported_suite",
            hpke::Error::AuthUnsupported => "auth_unsupported",
            hpke::Error::ExportOnly => "export_only",
            hpke::Error::ExportTooLong => "export_too_long",
            hpke::Error::InvalidPsk => "invalid_psk",
            hpke::Error::KeyMismatch => "key_mismatch",
            hpke::Error::InputTooLong => "input_too_long",
            hpke::Error::NoSeed => "no_seed",
            hpke::Error::Rng => "rng",
            _ => "failed",
        };
        Self::new(code, &error)
    }
}

impl From<Error> for JsValue {
    fn from(Error { code, message }: Error) -> Self {
        let error = js_sys::Error::new(&message);
        error.set_name("PqsealError");
        // Never fails: the object is new.
        let _ = Reflect::set(&error, &JsString::from("code"), &JsString::from(code));
        error.into()
    }
}
