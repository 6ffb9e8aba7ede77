//! The word type of encoding and division.

use core::ops::{Add, BitAnd, BitXor, Mul, Neg, Shl, Shr, Sub};

/// A signed word of 64 bits: `i64`, or a symbol in proofs.
pub(crate) trait Word:
    Copy
    + From<i64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<Output = Self>
    + BitAnd<Output = Self>
    + BitXor<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
}

impl Word for i64 {}
