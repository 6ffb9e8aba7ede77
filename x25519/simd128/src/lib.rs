//! X25519 (RFC 7748) of one private key and one point in WebAssembly, with its vectors of 128 bits.
//! Empty on every other target.
//!
//! A step of the ladder is eight products of two field elements in two rounds of four, and one by
//! the point, which stays the same. In constant time as far as WebAssembly promises that of its
//! integer operations: no branch and no address depends on the scalar.
//!
//! A second WebAssembly module, which `x25519/relaxed/build.sh` makes, takes half as long where the
//! JavaScript engine has relaxed SIMD. With the feature `relaxed`, a program passes the bytes of
//! that module to `set_relaxed_module`. Without these bytes, or without relaxed SIMD, results come
//! from this crate.
//!
//! What is left on the stack is the caller's to overwrite, as it is with x25519-dalek.

#![cfg_attr(not(any(feature = "relaxed", test)), no_std)]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(target_arch = "wasm32"),
    allow(
        clippy::redundant_closure,
        reason = "WebAssembly's intrinsics ask for a closure"
    )
)]

/// The vectors are WebAssembly's; where proofs run on another machine, they are of symbols.
#[cfg(any(target_arch = "wasm32", test))]
mod arch {
    #[cfg(target_arch = "wasm32")]
    pub(crate) use core::arch::wasm32::*;

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) use proofs::wasm32::*;
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

/// For tests.
#[doc(hidden)]
pub mod parts {
    /// X25519 without relaxed SIMD, whatever the engine has.
    #[cfg(target_arch = "wasm32")]
    pub fn without_relaxed_simd(k: &[u8; 32], u: &[u8; 32]) -> [u8; 32] {
        crate::ladder::multiply(k, u)
    }
}

/// `X25519(k, u)`: clamps the scalar, ignores the highest bit of the point, and takes any point, as
/// RFC 7748, section 5, says. All zeros for a point of low order.
#[cfg(target_arch = "wasm32")]
pub fn x25519(k: &[u8; 32], u: &[u8; 32]) -> [u8; 32] {
    #[cfg(feature = "relaxed")]
    if let Some([x, z]) = relaxed::fraction(k, u) {
        let x = x25519_inverse::from_bytes(&x, field::BITS as usize);
        return ladder::quotient(&x, &z);
    }
    ladder::multiply(k, u)
}

/// Sets the bytes of the module that `x25519/relaxed/build.sh` makes. From then on [`x25519`] uses it
/// if the engine has relaxed SIMD and computes a known answer with it. Nothing is compiled before
/// the first [`x25519`]. Only the first call has an effect.
#[cfg(all(feature = "relaxed", target_arch = "wasm32"))]
pub fn set_relaxed_module(module: &'static [u8]) {
    relaxed::set_module(module);
}

/// Whether [`x25519`] uses relaxed SIMD here.
#[cfg(all(feature = "relaxed", target_arch = "wasm32"))]
pub fn is_relaxed() -> bool {
    relaxed::is_running()
}
