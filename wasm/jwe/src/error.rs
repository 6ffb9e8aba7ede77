//! Why a message is not sealed or not opened, for JavaScript.

use wasm_shared::Error;

/// As the library says it.
pub(crate) fn failed(error: formats::Error) -> Error {
    match error {
        // The option's name here.
        formats::Error::Hpke(error) => error.into(),
        error => Error::new(error.code(), &error),
    }
}
