//! pqseal for JavaScript: matched data ([`KeyRing`], [`seal`], [`open`], [`inspect`]) and HPKE
//! itself ([`Suite`]), with bytes as input and output.
//!
//! A thin layer over `pqseal-keys`, `pqseal-matched-data` and `pqseal-hpke`, which converts values
//! and errors. The comments on exported items are the documentation that JavaScript users read, in
//! `core.d.ts`.
//!
//! No function panics on input: a panic would leave the wasm module unusable for the rest of the
//! page's life.

#![deny(unsafe_code)]

mod blob;
mod context;
mod input;
mod key_text;
mod keys;
mod packed;
mod public_key;
mod registry;
mod ring;
mod suite;
mod types;

pub use blob::{inspect, open, seal};
pub use context::{RecipientContext, SenderContext};
/// An input for native programs, which have no `JsValue`.
#[doc(hidden)]
pub use input::Bytes;
pub use keys::{PrivateKey, derive_public_key, generate_key_pair};
pub use pqseal_wasm_shared::Error;
use pqseal_wasm_shared::{SysRng, memory, value};
pub use public_key::PublicKey;
pub use registry::{faults, suites};
pub use ring::KeyRing;
pub use suite::Suite;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[wasm_bindgen::prelude::wasm_bindgen(start, private)]
fn start() {
    pqseal_wasm_shared::use_relaxed_simd();
}
