//! X25519 for `differential.mjs`, as a separate module without JavaScript glue
//! code.

#![deny(unsafe_code)]
#![cfg(target_arch = "wasm32")]

use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A private key, a point, and X25519 of both.
#[expect(unsafe_code, reason = "the module has no other export of this name")]
#[unsafe(no_mangle)]
pub static BUFFER: [AtomicU8; 96] = [const { AtomicU8::new(0) }; 96];

/// Computes the buffer's last 32 bytes from its first 64.
#[expect(unsafe_code, reason = "the module has no other export of this name")]
#[unsafe(no_mangle)]
pub extern "C" fn multiply() {
    let [k, u] = [0, 32].map(|start| core::array::from_fn(|i| BUFFER[start + i].load(Relaxed)));
    for (byte, result) in BUFFER[64..].iter().zip(x25519_simd128::x25519(&k, &u)) {
        byte.store(result, Relaxed);
    }
}
