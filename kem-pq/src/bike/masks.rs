//! Masks of whole words, made without a branch.

use core::hint::black_box;

/// Returns all ones for 1, zero for 0.
///
/// The compiler must not know that there are only two masks: it would branch on them, or make a
/// separate loop for each (seen by memcheck). So a mask that applies to more than a word passes a
/// `black_box`.
pub(crate) fn mask(bit: u64) -> u64 {
    black_box(bit.wrapping_neg())
}

/// Returns all ones if `a == b`, else zero, for numbers below 2^63.
pub(crate) const fn equal_mask(a: u64, b: u64) -> u64 {
    ((a ^ b).wrapping_sub(1) as i64 >> 63) as u64
}
