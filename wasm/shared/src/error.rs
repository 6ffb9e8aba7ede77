//! One error for JavaScript: a code for programs and a sentence for people.

use std::fmt;

use envelope::{
    hpke::{self, Component, Unsupported, UnsupportedReason},
    keys::KeyError,
};
use js_sys::{JsString, Reflect};
use wasm_bindgen::JsValue;

/// An error that JavaScript catches as an `Error` with a `code`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The code by which programs distinguish failures: one of `ErrorCode` in `types.ts`.
    pub code: &'static str,
    /// The message, one sentence.
    pub message: String,
}

impl Error {
    /// Returns the error for an argument or an option of a wrong type.
    pub fn argument(name: &str, expected: &str) -> Self {
        Self {
            code: envelope::BAD_ARGUMENT,
            message: format!("{name} must be {expected}"),
        }
    }

    /// Returns the error for an option that the function does not have.
    pub fn option(name: &str, known: &[&str]) -> Self {
        Self {
            code: envelope::BAD_ARGUMENT,
            message: format!(
                "unknown option {name}; the options are {}",
                known.join(", ")
            ),
        }
    }

    /// Converts `error`, which reports an unknown algorithm. The module `core` cannot know: `full`
    /// may have the algorithm.
    pub fn unknown_algorithm(error: Self) -> Self {
        if cfg!(feature = "all") {
            return error;
        }
        Self {
            code: "not_loaded",
            message: "this algorithm is not in the module core: await load() before keys are read"
                .to_owned(),
        }
    }

    /// Returns an error with this code and the message of `error`.
    pub fn new(code: &'static str, error: &dyn fmt::Display) -> Self {
        Self {
            code,
            message: error.to_string(),
        }
    }
}

impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        let described = Self::new(error.code(), &error);
        match error {
            KeyError::UnknownKem => Self::unknown_algorithm(described),
            KeyError::HalfNeeded => Self {
                message: format!("{error}; the argument raw says it: \"private\" or \"public\""),
                ..described
            },
            KeyError::Hpke(error) if is_unknown_algorithm(&error) => {
                Self::unknown_algorithm(described)
            }
            _ => described,
        }
    }
}

impl From<envelope::Error> for Error {
    fn from(error: envelope::Error) -> Self {
        match error {
            envelope::Error::Hpke(error) => error.into(),
            error => Self::new(error.code(), &error),
        }
    }
}

impl From<hpke::Error> for Error {
    fn from(error: hpke::Error) -> Self {
        let mut described = Self::new(envelope::hpke_code(&error), &error);
        // Uses the option's name in JavaScript.
        described.message = described.message.replace("psk_id", "pskId");
        if is_unknown_algorithm(&error) {
            return Self::unknown_algorithm(described);
        }
        described
    }
}

/// Reports whether an algorithm is unknown that another module may have. Every module has all
/// AEADs.
fn is_unknown_algorithm(error: &hpke::Error) -> bool {
    let hpke::Error::UnsupportedSuite(Unsupported {
        component, reason, ..
    }) = error
    else {
        return false;
    };
    *component != Component::Aead && *reason == UnsupportedReason::Unknown
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
