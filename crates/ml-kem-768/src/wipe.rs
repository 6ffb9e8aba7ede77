//! Overwriting secrets in a way that the compiler must keep.

use core::hint::black_box;

/// By zeros: all at once, where `zeroize` would write word by word.
#[inline(always)]
pub(crate) fn wipe<T: Copy>(secret: &mut T, zero: T) {
    *secret = zero;
    black_box(secret);
}

/// Overwrites so many bytes of the stack below the caller: what is in the frames of functions that have
/// returned, and where the compiler keeps what it has no registers for.
#[inline(never)]
pub(crate) fn wipe_stack<const BYTES: usize>() {
    black_box(&mut [0_u8; BYTES]);
}
