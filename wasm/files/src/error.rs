//! The reasons why a file is not encrypted or not opened, for JavaScript.

use pqseal_age::{KeyError, keys::LineError};
use pqseal_wasm_shared::Error;

/// Converts an error of the library. Advice for the command line is replaced by advice for
/// JavaScript.
pub(crate) fn failed(error: pqseal_age::Error) -> Error {
    match error {
        pqseal_age::Error::Hpke(error) => error.into(),
        // Nothing here reads or writes, so this is an object that is used again after an error.
        pqseal_age::Error::Io(_) => Error::new("failed", &error),
        pqseal_age::Error::Key(KeyError::Private) => Error::new(
            error.code(),
            &"it is a private key; give the recipient that identityToRecipient returns for it",
        ),
        pqseal_age::Error::Key(KeyError::Experimental) => Error::new(
            error.code(),
            &"the policy does not allow its KEM; the option policy, such as \"experimental\", allows more",
        ),
        _ => Error::new(error.code(), &error),
    }
}

/// Converts an error in a text with keys. `several` is set if it has more than one line.
pub(crate) fn of_keys(LineError { line, error }: LineError, several: bool) -> Error {
    let mut error = failed(error);
    if several {
        error.message = format!("line {line}: {}", error.message);
    }
    error
}
