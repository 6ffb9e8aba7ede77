//! The portable lanes, which the vectors must match.

use crate::lanes::{Doubles, Lanes, MulAdd52, Permute, Quad};

/// Lanes in plain Rust. `WRAP` permits sums beyond 2^64, as those of doubles' bits; otherwise
/// overflow is detected.
#[derive(Clone, Copy)]
pub(super) struct Words<const N: usize, const WRAP: bool>([u64; N]);

impl<const N: usize, const WRAP: bool> Words<N, WRAP> {
    fn zip(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        Self(core::array::from_fn(|lane| {
            operation(self.0[lane], other.0[lane])
        }))
    }
}

impl<const N: usize, const WRAP: bool> Lanes<N> for Words<N, WRAP> {
    fn splat(word: u64) -> Self {
        Self([word; N])
    }
    fn load(words: &[u64; N]) -> Self {
        Self(*words)
    }
    fn store(self, words: &mut [u64; N]) {
        *words = self.0;
    }
    /// The bounds of the field arithmetic say that no lane overflows: where overflow is checked, it
    /// is checked here.
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| if WRAP { a.wrapping_add(b) } else { a + b })
    }
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| if WRAP { a.wrapping_sub(b) } else { a - b })
    }
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
    fn shift_right<const BITS: u32>(self) -> Self {
        Self(self.0.map(|word| word >> BITS))
    }
    fn select(self, ones: Self, zeros: Self) -> Self {
        Self(core::array::from_fn(|lane| {
            self.0[lane] & ones.0[lane] | !self.0[lane] & zeros.0[lane]
        }))
    }
}

impl<const N: usize> MulAdd52<N> for Words<N, false> {
    fn add_low(self, f: Self, g: Self) -> Self {
        let half = |f, g| product_52(f, g) & ((1 << 52) - 1);
        self.add(f.zip(g, |f, g| half(f, g).try_into().unwrap()))
    }
    fn add_high(self, f: Self, g: Self) -> Self {
        self.add(f.zip(g, |f, g| (product_52(f, g) >> 52).try_into().unwrap()))
    }
    fn times_19(self) -> Self {
        Self(self.0.map(|word| 19 * word))
    }
}

fn product_52(f: u64, g: u64) -> u128 {
    debug_assert!((f | g) >> 52 == 0, "a factor of more than 52 bits");
    u128::from(f) * u128::from(g)
}

impl<const N: usize> Words<N, true> {
    fn zip_doubles(self, other: Self, operation: impl Fn(f64, f64) -> f64) -> Self {
        self.zip(other, |f, g| {
            operation(f64::from_bits(f), f64::from_bits(g)).to_bits()
        })
    }
}

impl<const N: usize> Doubles<N> for Words<N, true> {
    fn plus(self, other: Self) -> Self {
        self.zip_doubles(other, |f, g| f + g)
    }
    fn minus(self, other: Self) -> Self {
        self.zip_doubles(other, |f, g| f - g)
    }
    fn mul_add(self, f: Self, g: Self) -> Self {
        let number = |words: &Self, lane: usize| f64::from_bits(words.0[lane]);
        Self(core::array::from_fn(|lane| {
            number(&f, lane)
                .mul_add(number(&g, lane), number(&self, lane))
                .to_bits()
        }))
    }
    fn mul(self, other: Self) -> Self {
        debug_assert!(
            self.0.iter().chain(&other.0).all(|word| word >> 32 == 0),
            "a factor of more than 32 bits"
        );
        self.zip(other, |a, b| {
            (a & u64::from(u32::MAX)) * (b & u64::from(u32::MAX))
        })
    }
    fn shift_left(self, bits: u32) -> Self {
        Self(self.0.map(|word| word << bits))
    }
}

impl<const WRAP: bool> Quad for Words<4, WRAP> {
    fn swap_pairs(self) -> Self {
        Self([1, 0, 3, 2].map(|lane| self.0[lane]))
    }
    fn swap_halves(self) -> Self {
        Self([2, 3, 0, 1].map(|lane| self.0[lane]))
    }
    fn replace<const LANES: i32>(self, other: Self) -> Self {
        Self(core::array::from_fn(|lane| {
            if LANES >> lane & 1 == 1 {
                other.0[lane]
            } else {
                self.0[lane]
            }
        }))
    }
}

impl Permute for Words<4, false> {
    fn permuted(self, places: Self) -> Self {
        Self(places.0.map(|lane| self.0[usize::try_from(lane).unwrap()]))
    }
    fn replace_difference(self, lanes: u8, f: Self, g: Self) -> Self {
        Self(core::array::from_fn(|lane| {
            if lanes >> lane & 1 == 1 {
                f.0[lane] - g.0[lane]
            } else {
                self.0[lane]
            }
        }))
    }
}
