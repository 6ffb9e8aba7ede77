//! The common parts of the WebAssembly modules of the npm package: one error for JavaScript
//! ([`Error`]), checked values of JavaScript ([`value`]), secrets that are kept out of free memory
//! ([`memory`]), and random bytes ([`SysRng`]).
//!
//! A crate that exports something to JavaScript exports it from every module that it is linked to.
//! So this one exports nothing.

// Only `memory` needs more, and explains why.
#![deny(unsafe_code)]

mod error;
pub mod memory;
pub mod value;

pub use error::Error;
pub use getrandom::SysRng;

use pqseal_hpke::twice;
use wasm_bindgen::JsValue;

use value::object;

/// Passes the module for relaxed SIMD, if it was built, on to hpke's X25519. Call it when JavaScript
/// starts the module.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub fn use_relaxed_simd() {
    #[cfg(relaxed_module)]
    x25519_simd128::set_relaxed_module(include_bytes!(env!("X25519_RELAXED")));
}

/// Returns the numbers of wrong computations as `Faults` of `types.ts`.
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
