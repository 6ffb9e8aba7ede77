//! Proofs on the portable back end: products of words by integer multiplications, Karatsuba over
//! them, and squares.

use core::ops::{BitAnd, BitOr, Shl};

use super::{
    super::super::proofs::formal::{self, Formal},
    Integers, Reversible, low_product, spread,
};

impl Reversible for Formal {
    fn reversed(self) -> Self {
        self.map(formal::reversed)
    }
    fn low_product(self, other: Self) -> Self {
        self.times(other, formal::low)
    }
    fn high_half(self) -> Self {
        self.map(formal::high)
    }
}

#[test]
fn karatsuba_multiplies() {
    formal::assert_back_end(Integers);
}

/// Checks that no digit of a product overflows. A factor has a bit in every fourth place, so its
/// product is a number of hexadecimal digits: digit k counts the pairs of bits that meet there.
/// Even if all bits are set, no digit exceeds 15 except the last, whose carry is past bit 63. So
/// the lowest bit of each digit is the sum over GF(2).
#[test]
fn no_carry_reaches_a_bit_that_is_kept() {
    const BITS: u128 = 0x1111_1111_1111_1111;
    for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
        let whole = (BITS << i) * (BITS << j);
        let kept = (0..16).map(|k| 4 * k + i + j).filter(|place| *place < 64);
        for (pairs, place) in (1..).zip(kept) {
            // Sixteen pairs meet in the last digit below 2^64 only: the carry is past it.
            let carried = whole - pairs_below(place, i, j);
            assert_eq!(carried >> place & 15, pairs & 15);
            assert!(pairs <= 15 || place + 4 >= 64);
        }
    }
}

/// Returns the sum of the digits below this place.
fn pairs_below(place: u32, i: u32, j: u32) -> u128 {
    let digits = (1..).zip((i + j..place).step_by(4));
    digits
        .map(|(pairs, place): (u128, u32)| pairs << place)
        .sum()
}

/// Checks `low_product` at all pairs of single bits, which determine it since it is bilinear. The
/// product of the reversed words gives the high half.
#[test]
fn products_of_single_bits() {
    for (i, j) in (0..64).flat_map(|i| (0..64).map(move |j| (i, j))) {
        let (x, y, product) = (1_u64 << i, 1_u64 << j, 1_u128 << (i + j));
        assert_eq!(
            u128::from(low_product(x, y)),
            product & u128::from(u64::MAX)
        );
        let high = low_product(x.reversed(), y.reversed()).high_half();
        assert_eq!(u128::from(high), product >> 64);
    }
}

/// A word whose bits are sums over GF(2) of bits of the input, for code that takes words apart.
/// Place k holds the set of input bits whose sum is bit k, or `None` if it is unknown: addition of
/// integers and `|` are not linear, so where two different sums meet, the bit must be masked away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bits([Option<u64>; 64]);

impl Bits {
    /// Returns the first `len` bits of the input, with zeros above.
    fn input(len: usize) -> Self {
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
        Self(core::array::from_fn(|k| {
            k.checked_sub(bits as usize).map_or(Some(0), |k| self.0[k])
        }))
    }
}

#[test]
fn squares_have_a_zero_after_each_bit() {
    let Bits(bits) = spread(Bits::input(32));
    for (k, bit) in bits.iter().enumerate() {
        let expected = if k % 2 == 0 { 1 << (k / 2) } else { 0 };
        assert_eq!(*bit, Some(expected), "bit {k}");
    }
}
