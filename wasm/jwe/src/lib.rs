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

mod algorithm;
mod error;
mod json;
mod keys;
mod open;
mod psk;
mod seal;
mod types;

pub use algorithm::algorithms;
pub use keys::{PrivateKey, generate_key_pair};
pub use open::{faults, inspect, open};
pub use seal::seal;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[wasm_bindgen::prelude::wasm_bindgen(start, private)]
fn start() {
    pqseal_wasm_shared::use_relaxed_simd();
}
