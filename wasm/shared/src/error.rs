//! One error for JavaScript: a code for programs and a sentence for people.

use std::fmt;

use js_sys::{JsString, Reflect};
use pqseal_hpke::{Component, Unsupported, UnsupportedReason};
use pqseal_keys::{KeyError, calendar};
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
            code: pqseal_keys::BAD_ARGUMENT,
            message: format!("{name} must be {expected}"),
        }
    }

    /// Returns the error for an option that the function does not have.
    pub fn option(name: &str, known: &[&str]) -> Self {
        Self {
            code: pqseal_keys::BAD_ARGUMENT,
            message: format!(
                "unknown option {name}; the options are {}",
                known.join(", ")
            ),
        }
    }

    /// Converts `error`, which reports an unknown algorithm. The modules `core` and `hpke` cannot
    /// know: `full` may have the algorithm.
    pub fn unknown_algorithm(error: Self) -> Self {
        if cfg!(feature = "all") {
            return error;
        }
        if cfg!(not(feature = "load")) {
            return Self {
                message: format!("{}; pqseal/full has every algorithm", error.message),
                ..error
            };
        }
        Self {
            code: "not_loaded",
            message: "this is not in the module core: await load() before keys are read".to_owned(),
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
            #[cfg(feature = "all")]
            KeyError::CoseKeyUnsupported => Self {
                message: format!("{error}; pqseal/full reads it"),
                ..described
            },
            KeyError::HalfNeeded => Self {
                message: format!("{error}; pass raw, \"private\" or \"public\""),
                ..described
            },
            KeyError::Hpke(error) if is_unknown_algorithm(&error) => {
                Self::unknown_algorithm(described)
            }
            _ => described,
        }
    }
}

impl From<calendar::Error> for Error {
    fn from(error: calendar::Error) -> Self {
        let described = Self::new(error.code(), &error);
        match error {
            calendar::Error::Key(_, KeyError::UnknownKem) => Self::unknown_algorithm(described),
            _ => described,
        }
    }
}

impl From<pqseal_matched_data::Error> for Error {
    fn from(error: pqseal_matched_data::Error) -> Self {
        match error {
            pqseal_matched_data::Error::Hpke(error) => error.into(),
            error => Self::new(error.code(), &error),
        }
    }
}

impl From<pqseal_hpke::Error> for Error {
    fn from(error: pqseal_hpke::Error) -> Self {
        let mut described = Self::new(pqseal_keys::hpke_code(&error), &error);
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
fn is_unknown_algorithm(error: &pqseal_hpke::Error) -> bool {
    use UnsupportedReason::{Feature, Unknown};
    matches!(
        error,
        pqseal_hpke::Error::UnsupportedSuite(Unsupported {
            component: Component::Kem | Component::Kdf,
            reason: Feature(_) | Unknown,
            ..
        })
    )
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
