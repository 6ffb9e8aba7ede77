//! Encrypted files in the age format for JavaScript, the entry `pqseal/files` of the npm package:
//! [`Encryptor`] and [`Decryptor`], which take a file piece by piece, [`inspect`], and keys, also
//! those under a passphrase in PEM ([`decrypt_pem`]). The streams around them are JavaScript, in
//! `streams/`.
//!
//! Thin over `pqseal-age`: what is here translates values and errors. It is a WebAssembly module of
//! its own, so that programs without files do not load it. The comments on exported items are the
//! documentation that JavaScript users read, in `core.d.ts`.
//!
//! No function panics on input: a panic would leave the wasm module unusable for the rest of the
//! page's life.

#![deny(unsafe_code)]

mod decrypt;
mod encrypt;
mod inspect;
mod keys;

use js_sys::Uint8Array;
use pqseal_age::{KeyError, keys::LineError};
use pqseal_wasm_shared::Error;
use wasm_bindgen::prelude::*;

pub use decrypt::{Decryptor, decrypt};
pub use encrypt::{Encryptor, encrypt};
pub use inspect::{faults, inspect};
pub use keys::{
    decrypt_pem, generate_hybrid_identity, generate_x25519_identity, identity_to_recipient,
};

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[wasm_bindgen(start, private)]
fn start() {
    pqseal_wasm_shared::use_relaxed_simd();
}

/// The types of plain objects, for TypeScript. wasm-bindgen writes the types of exported items.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.ts");

/// Converts the reason why a file is not encrypted or not opened. Advice for the command line is
/// replaced by advice for JavaScript.
fn failed(error: pqseal_age::Error) -> Error {
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
fn of_keys(LineError { line, error }: LineError, several: bool) -> Error {
    let mut error = failed(error);
    if several {
        error.message = format!("line {line}: {}", error.message);
    }
    error
}

fn io(error: std::io::Error) -> Error {
    failed(error.into())
}

/// Copies bytes for JavaScript.
fn array(bytes: &[u8]) -> Uint8Array {
    Uint8Array::from(bytes)
}

fn finished() -> Error {
    Error {
        code: "freed",
        message: "the file is finished, or an error came before".to_owned(),
    }
}
