//! The common parts of the WebAssembly modules of the npm package: one error for JavaScript
//! ([`Error`]), checked values of JavaScript ([`value`]), secrets that are kept out of free memory
//! ([`memory`]), and random bytes ([`SysRng`]).
//!
//! A crate that exports something to JavaScript exports it from every module that it is linked to.
//! So this one exports nothing.

// Only `memory` needs more, and explains why.
#![deny(unsafe_code)]

mod error;
mod faults;
pub mod memory;
pub mod value;

pub use error::Error;
pub use faults::{faults, reopened};
pub use getrandom::SysRng;

/// Passes the module for relaxed SIMD, if it was built, on to hpke's X25519. Call it when JavaScript
/// starts the module.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub fn use_relaxed_simd() {
    #[cfg(relaxed_module)]
    x25519_simd128::set_relaxed_module(include_bytes!(env!("X25519_RELAXED")));
}
