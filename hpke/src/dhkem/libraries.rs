//! The portable libraries of X25519 and X448.

#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
use alloc::vec::Vec;

use zeroize::Zeroizing;

use super::XFunction;
#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
use super::{Agreed, TablePoint, vectors};
use crate::Secret;

/// X25519 of x25519-dalek, where x25519-batch has no SIMD.
#[derive(Debug)]
#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
pub struct Dalek;

#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
impl XFunction<32> for Dalek {
    type Scalar = Secret<[u8; 32]>;
    type Point = TablePoint;

    fn scalar(k: Secret<[u8; 32]>) -> Secret<[u8; 32]> {
        k
    }

    fn multiply_base(k: &Secret<[u8; 32]>) -> [u8; 32] {
        vectors::multiply_base(k.bytes(), || {
            let secret = x25519_dalek::StaticSecret::from(*k.bytes());
            x25519_dalek::PublicKey::from(&secret).to_bytes()
        })
    }

    fn multiply(k: &Secret<[u8; 32]>, u: &TablePoint) -> Zeroizing<[u8; 32]> {
        u.multiply(k.bytes(), |u| {
            vectors::multiply(k.bytes(), u, || ladder(k, u))
        })
    }

    fn precompute(u: &mut TablePoint) {
        u.precompute();
    }

    fn agree(k: &[u8; 32], u: &TablePoint) -> Option<([u8; 32], Zeroizing<[u8; 32]>)> {
        u.agree(k)
    }

    fn agree_batch(scalars: &[[u8; 32]], u: &TablePoint) -> Option<Agreed<32>> {
        u.agree_batch(scalars)
    }

    fn multiply_batch(k: &Secret<[u8; 32]>, us: &[[u8; 32]]) -> Vec<Zeroizing<[u8; 32]>> {
        vectors::multiply_batch(k.bytes(), us, |u| ladder(k, u))
    }
}

#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
fn ladder(k: &Secret<[u8; 32]>, u: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    let shared = x25519_dalek::StaticSecret::from(*k.bytes()).diffie_hellman(&(*u).into());
    Zeroizing::new(shared.to_bytes())
}

/// X25519 with WebAssembly SIMD, of x25519-simd128. A WebAssembly instruction multiplies at most 32
/// bits by 32, and x25519-dalek does not use SIMD there. Its 30 kB base-point table would cost more
/// download time than it saves.
///
/// `x25519-simd128` multiplies 16 bits by 16 (`i32x4.dot_i16x8`), which engines on x86-64 compile
/// to one instruction. A product of 32 bits by 32 (`i64x2.extmul`) takes three instructions there,
/// and eight if LLVM turns it into `i64x2.mul`.
#[derive(Debug)]
#[cfg(all(feature = "x25519", target_arch = "wasm32"))]
pub struct Simd128;

/// The u-coordinate 9 (RFC 7748, section 4.1).
#[cfg(all(feature = "x25519", target_arch = "wasm32"))]
const BASE: [u8; 32] = {
    let mut base = [0; 32];
    base[0] = 9;
    base
};

#[cfg(all(feature = "x25519", target_arch = "wasm32"))]
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

/// X448 of RustCrypto.
#[derive(Debug)]
#[cfg(feature = "x448")]
pub struct RustCrypto;

/// X448 without the crate's check, which compares the point with a list of low-order ones. HPKE
/// requires a check of the result instead.
#[cfg(feature = "x448")]
impl XFunction<56> for RustCrypto {
    type Scalar = Secret<[u8; 56]>;
    type Point = [u8; 56];

    fn scalar(k: Secret<[u8; 56]>) -> Secret<[u8; 56]> {
        k
    }

    fn multiply_base(k: &Secret<[u8; 56]>) -> [u8; 56] {
        x448::x448_unchecked(*k.bytes(), x448::X448_BASEPOINT_BYTES)
    }

    fn multiply(k: &Secret<[u8; 56]>, u: &[u8; 56]) -> Zeroizing<[u8; 56]> {
        Zeroizing::new(x448::x448_unchecked(*k.bytes(), *u))
    }
}
