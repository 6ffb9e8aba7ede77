//! The reasons why a message is not sealed or not opened, for JavaScript.

use pqseal_wasm_shared::Error;

/// Converts an error of the library.
pub(crate) fn failed(error: pqseal_formats::Error) -> Error {
    match error {
        // Uses the option's name in JavaScript.
        pqseal_formats::Error::Hpke(error) => error.into(),
        error => Error::new(error.code(), &error),
    }
}
