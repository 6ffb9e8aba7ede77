//! The kernels, for each instruction set.
//!
//! Contract of all kernels except `keccak`: operands are [`Params::words`](super::Params) long and
//! have no bit set from r on; `scratch` is as long as the module of the kernel says, and its
//! initial content does not matter. No kernel branches on a value or uses one as an address.

mod portable;
#[cfg(target_arch = "wasm32")]
#[allow(
    unsafe_code,
    reason = "loads and stores of vectors, at references to as many words"
)]
mod wasm;
#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    reason = "vector instructions; the module says what it must keep to"
)]
mod x86_64;

use super::{Params, chain::KSquare};
use crate::Backend;

/// `(p, out, a, b, scratch)`.
type Multiply = fn(&Params, &mut [u64], &[u64], &[u64], &mut [u64]);
/// `(p, slices, repeated, wlist, scratch)`.
type Counters = fn(&Params, &mut [u64], &[u64], &[u32], &mut [u64]);

/// The kernels of one back end.
pub(crate) struct Kernels {
    /// Computes `out = a * b`, not reduced, in twice the words. See [`super::multiply::multiply`].
    pub(crate) multiply: Multiply,
    /// Computes `out = a^2`, not reduced: `(out, a)`.
    pub(crate) square: fn(&mut [u64], &[u64]),
    /// Computes `a = a^(2^k)` in the ring: `(p, step, a, scratch)`.
    pub(crate) k_square: fn(&Params, &KSquare, &mut [u64], &mut [u64]),
    /// See [`super::words::set_bits`].
    pub(crate) set_bits: fn(&mut [u64], &[u32], u32),
    /// See [`super::counters::counters`].
    pub(crate) counters: Counters,
    /// See [`super::counters::at_least`].
    pub(crate) at_least: fn(&Params, &mut [u64], &[u64], u64),
    /// The back end whose Keccak hashes; `None` where two states at once gain nothing.
    pub(crate) keccak: Option<ml_kem_768::Backend>,
}

/// Returns the kernels of a back end, or the portable ones if this machine lacks its instructions.
pub(crate) fn kernels(backend: Backend) -> &'static Kernels {
    let available = backend.is_available();
    let kernels = available.then(|| of_this_target(backend)).flatten();
    kernels.unwrap_or(&portable::PORTABLE)
}

fn of_this_target(backend: Backend) -> Option<&'static Kernels> {
    match backend {
        Backend::Portable => Some(&portable::PORTABLE),
        #[cfg(target_arch = "wasm32")]
        Backend::Simd128 => Some(&wasm::SIMD128),
        #[cfg(target_arch = "x86_64")]
        _ => x86_64::kernels(backend),
        #[cfg(not(target_arch = "x86_64"))]
        _ => None,
    }
}
