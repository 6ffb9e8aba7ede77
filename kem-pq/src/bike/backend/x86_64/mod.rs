//! The back ends for x86-64. This module and `wasm` have the only unsafe code of this crate. Here
//! it does two things: it calls functions whose instructions the machine has, which the choice of a
//! back end ensures, and it loads and stores vectors at references to as many words.
//!
//! Each entry of this file has a set of instructions, the vectors that the decoder works in, the
//! type that multiplies, and the back end whose Keccak hashes.

mod lanes;
mod pclmul;
#[cfg(test)]
mod proofs;
mod vpclmul;

use core::arch::x86_64::__m128i;

use super::Kernels;
use crate::{
    Backend,
    bike::{Params, chain::KSquare, counters, multiply, permute, words},
};

/// Returns the kernels of a back end of this architecture, whether or not this machine can run
/// them.
pub(super) fn kernels(backend: Backend) -> Option<&'static Kernels> {
    match backend {
        Backend::Avx2 => Some(&AVX2),
        Backend::Vpclmul256 => Some(&VPCLMUL256),
        Backend::Avx512 => Some(&AVX512),
        Backend::Vpclmul => Some(&VPCLMUL),
        Backend::Portable | Backend::Simd128 => None,
    }
}

/// Calls an intrinsic, or a function of this back end. The choice of the back end makes it safe.
macro_rules! simd {
    ($call:expr) => {{
        // SAFETY: code of this module is only reached through a table that `backend::kernels`
        // returns for a back end that is available, so the machine has the instructions. References
        // give the memory that loads and stores need, which may be unaligned.
        #[allow(clippy::macro_metavars_in_unsafe)]
        unsafe {
            $call
        }
    }};
}
pub(crate) use simd;

/// Defines the functions of one entry, compiled for its instructions.
macro_rules! kernels {
    ($(#[$doc:meta])* $name:ident, $features:literal, $lanes:ty, $carryless:expr, $keccak:ident) => {
        $(#[$doc])*
        pub(crate) static $name: Kernels = Kernels {
            multiply: |p, out, a, b, scratch| {
                #[target_feature(enable = $features)]
                fn compiled(p: &Params, out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
                    multiply::multiply($carryless, p, out, a, b, scratch);
                }
                simd!(compiled(p, out, a, b, scratch))
            },
            square: |out, a| {
                #[target_feature(enable = $features)]
                fn compiled(out: &mut [u64], a: &[u64]) {
                    pclmul::square::<__m128i>(out, a);
                }
                simd!(compiled(out, a))
            },
            k_square: |p, step, a, scratch| {
                #[target_feature(enable = $features)]
                fn compiled(p: &Params, step: &KSquare, a: &mut [u64], scratch: &mut [u64]) {
                    permute::k_square(p, step, a, scratch);
                }
                simd!(compiled(p, step, a, scratch))
            },
            set_bits: |out, indices, start| {
                #[target_feature(enable = $features)]
                fn compiled(out: &mut [u64], indices: &[u32], start: u32) {
                    words::set_bits::<$lanes, 2>(out, indices, start);
                }
                simd!(compiled(out, indices, start))
            },
            counters: |p, slices, repeated, wlist, scratch| {
                #[target_feature(enable = $features)]
                fn compiled(p: &Params, slices: &mut [u64], repeated: &[u64], wlist: &[u32], scratch: &mut [u64]) {
                    counters::counters::<$lanes>(p, slices, repeated, wlist, scratch);
                }
                simd!(compiled(p, slices, repeated, wlist, scratch))
            },
            at_least: |p, out, slices, threshold| {
                #[target_feature(enable = $features)]
                fn compiled(p: &Params, out: &mut [u64], slices: &[u64], threshold: u64) {
                    counters::at_least::<$lanes>(p, out, slices, threshold);
                }
                simd!(compiled(p, out, slices, threshold))
            },
            keccak: Some(ml_kem_768::Backend::$keccak),
        };
    };
}

kernels! {
    /// AVX2 and PCLMULQDQ.
    AVX2, "avx2,bmi1,bmi2,pclmulqdq", lanes::Lanes256, pclmul::Avx2, Avx2
}
kernels! {
    /// AVX2 with VPCLMULQDQ, which multiplies two pairs at once.
    VPCLMUL256, "avx2,bmi1,bmi2,pclmulqdq,vpclmulqdq", lanes::Lanes256, vpclmul::Vpclmul256, Avx2
}
kernels! {
    /// AVX-512 F, BW, DQ and VL, and PCLMULQDQ.
    AVX512, "avx2,bmi1,bmi2,pclmulqdq,avx512f,avx512bw,avx512dq,avx512vl", lanes::Lanes512, pclmul::Avx512, Avx512
}
kernels! {
    /// AVX-512 with VPCLMULQDQ, here on four pairs at once.
    VPCLMUL, "avx2,bmi1,bmi2,pclmulqdq,avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq", lanes::Lanes512, vpclmul::Vpclmul512, Avx512
}
