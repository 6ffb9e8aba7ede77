//! The number of wrong computations: `pqseal_hpke::twice`.

use pqseal_hpke::twice;
use wasm_bindgen::JsValue;

use crate::value::object;

/// Returns the faults as `Faults` of `types.ts`.
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

/// Counts the messages that were opened at the second attempt since the module started.
pub fn reopened() -> u32 {
    twice::faults().reopened
}
