//! Overwriting secrets in a way that the compiler must keep.

use core::hint::black_box;

/// By zeros: all at once, where `zeroize` would write word by word.
#[inline(always)]
pub(crate) fn wipe<T: Copy>(secret: &mut T, zero: T) {
    *secret = zero;
    black_box(secret);
}

/// What kernels and permutations take of the stack, at most, in bytes. A test measures it.
pub(crate) const STACK: usize = 4096;

/// Overwrites the stack below the caller, where the compiler keeps what it has no registers for.
#[inline(never)]
pub(crate) fn wipe_stack() {
    black_box(&mut [0_u64; STACK / 8]);
}
