//! One error for JavaScript: a code for programs and a sentence for people.

use std::fmt;

use envelope::{hpke, keys::KeyError};
use js_sys::{JsString, Reflect};
use wasm_bindgen::JsValue;

/// What JavaScript catches, as an `Error` with a `code`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The code by which programs distinguish failures: one of `ErrorCode` in `types.ts`.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
}

impl Error {
    /// An argument or an option that is not of its type.
    pub fn argument(name: &str, expected: &str) -> Self {
        Self {
            code: envelope::BAD_ARGUMENT,
            message: format!("{name} must be {expected}"),
        }
    }

    /// An option that the function does not have.
    pub fn option(name: &str, known: &[&str]) -> Self {
        Self {
            code: envelope::BAD_ARGUMENT,
            message: format!(
                "unknown option {name}; the options are {}",
                known.join(", ")
            ),
        }
    }

    /// An error with this code that says what `error` says.
    pub fn new(code: &'static str, error: &dyn fmt::Display) -> Self {
        Self {
            code,
            message: error.to_string(),
        }
    }
}

impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        Self::new(error.code(), &error)
    }
}

impl From<envelope::Error> for Error {
    fn from(error: envelope::Error) -> Self {
        Self::new(error.code(), &error)
    }
}

impl From<hpke::Error> for Error {
    fn from(error: hpke::Error) -> Self {
        let mut error = Self::new(envelope::hpke_code(&error), &error);
        // The option's name here.
        error.message = error.message.replace("psk_id", "pskId");
        error
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
