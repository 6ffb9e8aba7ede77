//! Overwriting of secrets, which the compiler must not remove.

use core::hint::black_box;

/// Overwrites with zeros, all at once; `zeroize` would write word by word.
#[inline(always)]
pub(crate) fn wipe<T: Copy>(secret: &mut T, zero: T) {
    *secret = zero;
    black_box(secret);
}

/// Overwrites this many bytes of the stack below the caller: the frames of functions that have
/// returned, where the compiler spills registers.
#[inline(never)]
pub(crate) fn wipe_stack<const BYTES: usize>() {
    black_box(&mut [0_u8; BYTES]);
}
