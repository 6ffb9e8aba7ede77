//! X25519 (RFC 7748) in WebAssembly with relaxed SIMD: products by fused multiply-adds of doubles.
//! Empty on every other target.
//!
//! An engine refuses a module with instructions that it does not know. So this is a module of its
//! own, with its own memory of one page, which `x25519-simd128` starts (feature `relaxed`) and asks
//! if it can. `build.sh` makes it. Its caller writes a private key and a point to `BUFFER`,
//! calls `multiply`, reads the result, and then overwrites the buffer and the stack, which begins
//! at address 0.
//!
//! In constant time as far as WebAssembly promises that of its operations: no branch and no address
//! depends on the private key. All doubles are whole numbers, so that none is subnormal, which
//! processors may take longer for.

// What is exported under its own name is unsafe by Rust's count, and says why.
#![deny(unsafe_code)]
#![cfg(any(target_arch = "wasm32", test))]
#![cfg_attr(
    not(target_arch = "wasm32"),
    allow(
        clippy::redundant_closure,
        reason = "WebAssembly's intrinsics ask for a closure"
    )
)]

/// The vectors are WebAssembly's; where proofs run on another machine, they are of symbols.
mod arch {
    #[cfg(target_arch = "wasm32")]
    pub(crate) use core::arch::wasm32::*;

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) use proofs::wasm32::*;
}
mod field;
mod ladder;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod proofs;
#[cfg(all(test, target_arch = "wasm32"))]
mod tests;

use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A private key, a point, and numerator and denominator of X25519 of both: 32 bytes each. Atomic,
/// so that it may change without unsafe code; there is one thread.
#[expect(unsafe_code, reason = "the module has no other export of this name")]
#[unsafe(no_mangle)]
pub static BUFFER: [AtomicU8; 128] = [const { AtomicU8::new(0) }; 128];

/// From the buffer's first 64 bytes to its last 64.
#[expect(unsafe_code, reason = "the module has no other export of this name")]
#[unsafe(no_mangle)]
pub extern "C" fn multiply() {
    let [k, u] = [0, 32].map(|start| core::array::from_fn(|i| BUFFER[start + i].load(Relaxed)));
    for (byte, result) in BUFFER[64..]
        .iter()
        .zip(ladder::fraction(k, &u).as_flattened())
    {
        byte.store(*result, Relaxed);
    }
}
