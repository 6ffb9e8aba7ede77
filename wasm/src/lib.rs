//! pqseal for JavaScript: HPKE ([`Suite`]), with bytes as input and output, and with the feature
//! `matched-data` matched data (`KeyRing`, `seal`, `open`, `inspect`) and key files.
//!
//! A thin layer over `pqseal-keys`, `pqseal-matched-data` and `pqseal-hpke`, which converts values
//! and errors. The comments on exported items are the documentation that JavaScript users read, in
//! `core.d.ts`.
//!
//! No function panics on input: a panic would leave the wasm module unusable for the rest of the
//! page's life.

#![deny(unsafe_code)]

mod context;
#[cfg(feature = "matched-data")]
mod key_files;
mod keys;
#[cfg(feature = "matched-data")]
mod matched_data;
mod registry;
#[cfg(feature = "sealed")]
mod sealed;
mod suite;

pub use context::{RecipientContext, SenderContext};
#[cfg(feature = "matched-data")]
pub use key_files::{derive_public_key, generate_key_pair};
pub use keys::{PrivateKey, PublicKey};
/// An input for native programs, which have no `JsValue`.
#[cfg(feature = "matched-data")]
#[doc(hidden)]
pub use matched_data::Bytes;
#[cfg(feature = "matched-data")]
pub use matched_data::{Calendar, KeyRing, inspect, open, seal};
pub use pqseal_wasm_shared::Error;
use pqseal_wasm_shared::{SysRng, memory, value};
pub use registry::suites;
#[cfg(feature = "sealed")]
pub use sealed::{SealedRing, inspect_sealed, sealed_kind};
pub use suite::Suite;

use wasm_bindgen::prelude::*;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[wasm_bindgen(start, private)]
fn start() {
    pqseal_wasm_shared::use_relaxed_simd();
}

/// Counts the wrong computations that this module has noticed since it started. Some JavaScript
/// engines make them.
#[wasm_bindgen(unchecked_return_type = "Faults")]
pub fn faults() -> JsValue {
    pqseal_wasm_shared::faults()
}

// The types of plain objects, for TypeScript. wasm-bindgen writes the types of exported items. They
// are one section, since the linker decides on the order of several, and the reference at the head
// of `types.ts` counts only if nothing precedes it.

#[cfg(feature = "sealed")]
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = concat!(
    include_str!("types.ts"),
    "\n",
    include_str!("types-matched-data.ts"),
    "\n",
    include_str!("types-sealed.ts")
);

#[cfg(all(feature = "matched-data", not(feature = "sealed")))]
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = concat!(
    include_str!("types.ts"),
    "\n",
    include_str!("types-matched-data.ts")
);

#[cfg(not(feature = "matched-data"))]
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.ts");
