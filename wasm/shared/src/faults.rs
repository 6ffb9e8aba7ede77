//! How often a computation was wrong: `envelope::hpke::twice`.

use envelope::hpke::twice;
use wasm_bindgen::JsValue;

use crate::value::object;

/// `Faults` of the types.
pub fn faults() -> JsValue {
    let twice::Faults {
        corrected,
        reopened,
    } = twice::faults();
    object([
        ("corrected", corrected.into()),
        ("reopened", reopened.into()),
    ])
}

/// How much opened at the second attempt since the module started.
pub fn reopened() -> u32 {
    twice::faults().reopened
}
