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
mod public_key;
mod registry;
mod suite;
mod types;

pub use context::{RecipientContext, SenderContext};
#[cfg(feature = "matched-data")]
pub use key_files::{derive_public_key, generate_key_pair};
pub use keys::PrivateKey;
/// An input for native programs, which have no `JsValue`.
#[cfg(feature = "matched-data")]
#[doc(hidden)]
pub use matched_data::Bytes;
#[cfg(feature = "matched-data")]
pub use matched_data::{Calendar, KeyRing, inspect, open, seal};
pub use pqseal_wasm_shared::Error;
use pqseal_wasm_shared::{SysRng, memory, value};
pub use public_key::PublicKey;
pub use registry::{faults, suites};
pub use suite::Suite;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[wasm_bindgen::prelude::wasm_bindgen(start, private)]
fn start() {
    pqseal_wasm_shared::use_relaxed_simd();
}
