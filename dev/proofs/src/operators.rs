//! Words by the operators of Rust's own integers, for code that is generic over these.

use std::ops::{Add, BitAnd, Mul, Shr};

use crate::words;

/// As `u64`, of which no operation may overflow.
#[derive(Clone, Copy, Debug)]
pub struct Unsigned(pub u64);

impl From<u64> for Unsigned {
    fn from(constant: u64) -> Self {
        Self(constant)
    }
}

impl Add for Unsigned {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let [a, b] = [self, other].map(|Self(word)| words::bounds(word)[1]);
        assert!(a.checked_add(b).is_some(), "a sum of more than 64 bits");
        Self(words::add(self.0, other.0))
    }
}

impl Mul for Unsigned {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self(words::mul(self.0, other.0))
    }
}

impl Shr<u32> for Unsigned {
    type Output = Self;
    fn shr(self, bits: u32) -> Self {
        Self(words::shift_right(self.0, bits))
    }
}

impl BitAnd for Unsigned {
    type Output = Self;
    fn bitand(self, mask: Self) -> Self {
        Self(words::and(self.0, mask.0))
    }
}
