//! X25519 (RFC 7748) of one private key and one point in WebAssembly, with vectors of 128 bits.
//! Empty on every other target.
//!
//! A step of the ladder is eight products of two field elements in two rounds of four, and one with
//! the point, which stays the same. It is constant-time as far as WebAssembly guarantees that for
//! its integer operations: no branch and no address depends on the scalar.
//!
//! A second WebAssembly module, built by `crates/x25519-relaxed/build.sh`, takes half as long if
//! the JavaScript engine supports relaxed SIMD. With the feature `relaxed`, a program passes the
//! bytes of that module to `set_relaxed_module`. Without these bytes, or without relaxed SIMD, this
//! crate computes the results.
//!
//! The caller must overwrite what is left on the stack, as with x25519-dalek.

#![cfg_attr(not(any(feature = "relaxed", test)), no_std)]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(target_arch = "wasm32"),
    allow(
        clippy::redundant_closure,
        reason = "WebAssembly's intrinsics ask for a closure"
    )
)]

/// The vectors of WebAssembly or, for proofs on other machines, vectors of symbols.
#[cfg(any(target_arch = "wasm32", test))]
mod arch {
    #[cfg(target_arch = "wasm32")]
    pub(crate) use core::arch::wasm32::*;

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) use x25519_proofs::wasm32::*;
}
#[cfg(any(target_arch = "wasm32", test))]
mod field;
#[cfg(any(target_arch = "wasm32", test))]
mod ladder;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod proofs;
#[cfg(all(feature = "relaxed", target_arch = "wasm32"))]
mod relaxed;
#[cfg(any(target_arch = "wasm32", test))]
mod row;
#[cfg(all(test, target_arch = "wasm32"))]
mod tests;

/// Functions for tests.
#[doc(hidden)]
pub mod parts {
    /// Computes X25519 without relaxed SIMD, even if the engine supports it.
    #[cfg(target_arch = "wasm32")]
    pub fn without_relaxed_simd(k: &[u8; 32], u: &[u8; 32]) -> [u8; 32] {
        crate::ladder::multiply(k, u)
    }
}

/// Computes `X25519(k, u)`: clamps the scalar, ignores the highest bit of the point, and accepts
/// any point, as in RFC 7748, section 5. Returns zeros for a point of low order.
#[cfg(target_arch = "wasm32")]
pub fn x25519(k: &[u8; 32], u: &[u8; 32]) -> [u8; 32] {
    #[cfg(feature = "relaxed")]
    if let Some([x, z]) = relaxed::fraction(k, u) {
        let x = x25519_inverse::from_bytes(&x, field::BITS as usize);
        return ladder::quotient(&x, &z);
    }
    ladder::multiply(k, u)
}

/// Sets the bytes of the module that `crates/x25519-relaxed/build.sh` builds. From then on
/// [`x25519`] uses it if the engine supports relaxed SIMD and computes a known answer with it.
/// Nothing is compiled before the first [`x25519`]. Only the first call has an effect.
#[cfg(all(feature = "relaxed", target_arch = "wasm32"))]
pub fn set_relaxed_module(module: &'static [u8]) {
    relaxed::set_module(module);
}

/// Reports whether [`x25519`] uses relaxed SIMD here.
#[cfg(all(feature = "relaxed", target_arch = "wasm32"))]
pub fn is_relaxed() -> bool {
    relaxed::is_running()
}
