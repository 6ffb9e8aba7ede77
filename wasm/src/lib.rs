//! pqseal for JavaScript: matched data ([`KeyRing`], [`seal`], [`open`], [`inspect`]) and HPKE
//! itself ([`Suite`]), bytes in and out.
//!
//! Thin over `envelope` and `hpke`: what is here translates values and errors, and keeps secrets
//! out of dead memory (`memory.rs`). The comments on exported items are the documentation that
//! JavaScript users read, in `pqseal.d.ts`.
//!
//! No function panics on input: a panic would leave the wasm module unusable for the rest of the
//! page's life.

// One module needs more, and says why: `memory`.
#![deny(unsafe_code)]

mod blob;
mod context;
mod error;
mod input;
mod keys;
mod memory;
mod registry;
mod ring;
mod suite;
mod types;
mod value;

pub use blob::{inspect, open, seal};
pub use context::{RecipientContext, SenderContext};
pub use error::Error;
/// For native programs, which have no `JsValue`.
#[doc(hidden)]
pub use input::Bytes;
pub use keys::{PrivateKey, derive_public_key, generate_key_pair};
pub use registry::suites;
pub use ring::KeyRing;
pub use suite::Suite;

/// Passes the module for relaxed SIMD on to hpke's X25519, when JavaScript starts this module.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[wasm_bindgen::prelude::wasm_bindgen(start, private)]
fn start() {
    x25519_simd128::set_relaxed_module(include_bytes!(env!(
        "X25519_RELAXED",
        "build with wasm/build.sh, or set it to the path that x25519/relaxed/build.sh prints"
    )));
}
