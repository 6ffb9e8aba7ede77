//! X25519 (RFC 7748) in WebAssembly with relaxed SIMD: products by fused multiply-adds of doubles.
//! Empty on every other target.
//!
//! An engine refuses a module with unknown instructions. So this is a separate module, with its own
//! memory of one page, which `x25519-simd128` (feature `relaxed`) starts if possible. `build.sh`
//! builds it. The caller writes a private key and a point to `BUFFER`, calls `multiply`, reads the
//! result, and then overwrites the buffer and the stack, which begins at address 0.
//!
//! It is constant-time as far as WebAssembly guarantees that for its operations: no branch and no
//! address depends on the private key. All doubles are whole numbers, so none is subnormal, which
//! could take processors longer.

// Exports under their own names count as unsafe in Rust; each has its reason.
#![deny(unsafe_code)]
#![cfg(any(target_arch = "wasm32", test))]
#![cfg_attr(
    not(target_arch = "wasm32"),
    allow(
        clippy::redundant_closure,
        reason = "WebAssembly's intrinsics ask for a closure"
    )
)]

/// The vectors of WebAssembly or, for proofs on other machines, vectors of symbols.
mod arch {
    #[cfg(target_arch = "wasm32")]
    pub(crate) use core::arch::wasm32::*;

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) use x25519_proofs::wasm32::*;
}
mod field;
mod ladder;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod proofs;
#[cfg(all(test, target_arch = "wasm32"))]
mod tests;

use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A private key, a point, and numerator and denominator of X25519 of both: 32 bytes each. Atomic,
/// so that it is mutable without unsafe code; there is one thread.
#[expect(unsafe_code, reason = "the module has no other export of this name")]
#[unsafe(no_mangle)]
pub static BUFFER: [AtomicU8; 128] = [const { AtomicU8::new(0) }; 128];

/// Computes the buffer's last 64 bytes from its first 64.
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
