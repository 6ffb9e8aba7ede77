//! A word whose bits are sums over GF(2) of bits of the input, for code that takes words apart.
//! Addition of integers and `|` are not linear: where two different sums meet, the bit is unknown
//! and must be masked away.

use core::ops::{BitAnd, BitOr, Shl};

/// The word: place k holds the set of input bits whose sum is bit k, or `None` if it is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bits(pub(crate) [Option<u64>; 64]);

impl Bits {
    /// Returns the first `len` bits of the input, with zeros above.
    pub(crate) fn input(len: usize) -> Self {
        Self(core::array::from_fn(|k| {
            Some(if k < len { 1 << k } else { 0 })
        }))
    }
}

impl BitAnd<u64> for Bits {
    type Output = Self;
    fn bitand(self, mask: u64) -> Self {
        Self(core::array::from_fn(|k| match mask >> k & 1 {
            1 => self.0[k],
            _ => Some(0),
        }))
    }
}

impl BitOr for Bits {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(core::array::from_fn(|k| match (self.0[k], other.0[k]) {
            (Some(0), bit) | (bit, Some(0)) => bit,
            (bit, other) if bit == other => bit,
            _ => None,
        }))
    }
}

impl Shl<u32> for Bits {
    type Output = Self;
    fn shl(self, bits: u32) -> Self {
        let from = |k: usize| k.checked_sub(bits as usize);
        Self(core::array::from_fn(|k| {
            from(k).map_or(Some(0), |k| self.0[k])
        }))
    }
}
