//! X25519 with WebAssembly SIMD. A WebAssembly instruction multiplies at most 32 bits by 32, and
//! x25519-dalek does not use SIMD there. Its 30 kB base-point table would cost more download time
//! than it saves.
//!
//! `x25519-simd128` multiplies 16 bits by 16 (`i32x4.dot_i16x8`), which engines on x86-64 compile
//! to one instruction. A product of 32 bits by 32 (`i64x2.extmul`) takes three instructions there,
//! and eight if LLVM turns it into `i64x2.mul`.

use zeroize::Zeroizing;

use super::XFunction;
use crate::Secret;

/// X25519 of x25519-simd128.
#[derive(Debug)]
pub struct Simd128;

/// The u-coordinate 9 (RFC 7748, section 4.1).
const BASE: [u8; 32] = {
    let mut base = [0; 32];
    base[0] = 9;
    base
};

impl XFunction<32> for Simd128 {
    type Scalar = Secret<[u8; 32]>;
    type Point = [u8; 32];

    fn scalar(k: Secret<[u8; 32]>) -> Secret<[u8; 32]> {
        k
    }

    fn multiply_base(k: &Secret<[u8; 32]>) -> [u8; 32] {
        x25519_simd128::x25519(k.bytes(), &BASE)
    }

    fn multiply(k: &Secret<[u8; 32]>, u: &[u8; 32]) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(x25519_simd128::x25519(k.bytes(), u))
    }
}
