//! JSON Web Encryption with HPKE for JavaScript, the entry `pqseal/jwe` of the npm package:
//! [`seal`], [`open`] and [`inspect`], and private keys as handles ([`PrivateKey`]).
//!
//! A thin layer over `pqseal_formats::jwe`, which converts values and errors. It is a separate
//! WebAssembly module, so that programs without JWE do not load it. The comments on exported items
//! are the documentation that JavaScript users read, in `core.d.ts`.
//!
//! No function panics on input: a panic would leave the wasm module unusable for the rest of the
//! page's life.

#![deny(unsafe_code)]

mod keys;
mod open;
mod seal;

use js_sys::Array;
use pqseal_formats::{ALGORITHMS, Algorithm, KeyManagement, algorithm};
use pqseal_wasm_shared::{
    Error,
    value::{Options, list, object, text},
};
use wasm_bindgen::prelude::*;

pub use keys::{PrivateKey, generate_key_pair};
pub use open::{faults, inspect, open};
pub use seal::seal;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[wasm_bindgen(start, private)]
fn start() {
    pqseal_wasm_shared::use_relaxed_simd();
}

/// The types of plain objects, for TypeScript. wasm-bindgen writes the types of exported items.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.ts");

/// Returns every algorithm that `alg` can name, with the ids of its HPKE suite.
#[wasm_bindgen(unchecked_return_type = "AlgorithmInfo[]")]
pub fn algorithms() -> Array {
    ALGORITHMS.iter().map(info).collect()
}

fn info(alg: &Algorithm) -> JsValue {
    let suite = alg.suite_id();
    object([
        ("name", alg.name().into()),
        ("kem", suite.kem.into()),
        ("kdf", suite.kdf.into()),
        ("aead", suite.aead.into()),
        (
            "keyEncryption",
            (alg.mode() == KeyManagement::KeyEncryption).into(),
        ),
        ("postQuantum", alg.is_post_quantum().into()),
    ])
}

/// Returns the algorithms of a list of names, which must not be empty.
fn allowed(names: &JsValue) -> Result<Vec<Algorithm>, Error> {
    let names = list(names, NAMES)?.into_iter();
    let found: Vec<_> = names
        .map(|name| by_name(&name, NAMES))
        .collect::<Result<_, _>>()?;
    match found.is_empty() {
        true => Err(Error::argument(
            NAMES,
            "a list of the algorithms that the message may have, such as [\"HPKE-9\"]",
        )),
        false => Ok(found),
    }
}

const NAMES: &str = "algorithms";

/// Returns the option `alg`, if it is given.
fn given_alg(options: &Options<'_>) -> Result<Option<Algorithm>, Error> {
    let alg = options.value("alg")?;
    alg.map(|name| by_name(&name, "alg")).transpose()
}

/// Returns the algorithm with this name.
fn by_name(name: &JsValue, argument: &str) -> Result<Algorithm, Error> {
    algorithm(&text(name, argument)?).ok_or_else(|| {
        Error::argument(
            argument,
            "a name that algorithms() lists, such as HPKE-9 or HPKE-9-KE",
        )
    })
}

/// Converts the reason why a message is not sealed or not opened.
fn failed(error: pqseal_formats::Error) -> Error {
    match error {
        // Uses the option's name in JavaScript.
        pqseal_formats::Error::Hpke(error) => error.into(),
        error => Error::new(error.code(), &error),
    }
}
