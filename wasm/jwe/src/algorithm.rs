//! The algorithms of JOSE-HPKE, by name and as a list.

use js_sys::Array;
use pqseal_formats::{ALGORITHMS, Algorithm, KeyManagement, algorithm};
use pqseal_wasm_shared::{
    Error,
    value::{Options, list, object, text},
};
use wasm_bindgen::prelude::*;

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
pub(crate) fn allowed(names: &JsValue) -> Result<Vec<Algorithm>, Error> {
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
pub(crate) fn option(options: &Options<'_>) -> Result<Option<Algorithm>, Error> {
    let alg = options.value("alg")?;
    alg.map(|name| by_name(&name, "alg")).transpose()
}

/// Returns the algorithm with this name.
pub(crate) fn by_name(name: &JsValue, argument: &str) -> Result<Algorithm, Error> {
    algorithm(&text(name, argument)?).ok_or_else(|| {
        Error::argument(
            argument,
            "a name that algorithms() lists, such as HPKE-9 or HPKE-9-KE",
        )
    })
}
