//! The portable lanes, of which the vectors are to be copies.

use crate::lanes::{Lanes, MulAdd52};

/// Lanes in plain Rust, which overflow visibly.
#[derive(Clone, Copy)]
pub(super) struct Words<const N: usize>([u64; N]);

impl<const N: usize> Words<N> {
    fn zip(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        Self(core::array::from_fn(|lane| operation(self.0[lane], other.0[lane])))
    }
}

impl<const N: usize> Lanes<N> for Words<N> {
    fn splat(word: u64) -> Self {
        Self([word; N])
    }
    fn load(words: &[u64; N]) -> Self {
        Self(*words)
    }
    fn store(self, words: &mut [u64; N]) {
        *words = self.0;
    }
    /// The bounds of the field arithmetic say that no lane overflows: where overflow is checked, it is checked here.
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    fn mul(self, other: Self) -> Self {
        debug_assert!(self.0.iter().chain(&other.0).all(|word| word >> 32 == 0), "a factor of more than 32 bits");
        self.zip(other, |a, b| (a & u64::from(u32::MAX)) * (b & u64::from(u32::MAX)))
    }
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
    fn shift_right<const BITS: u32>(self) -> Self {
        Self(self.0.map(|word| word >> BITS))
    }
    fn shift_left<const BITS: u32>(self) -> Self {
        debug_assert!(self.0.iter().all(|word| word.leading_zeros() >= BITS), "a shift that loses bits");
        Self(self.0.map(|word| word << BITS))
    }
    fn select(self, ones: Self, zeros: Self) -> Self {
        Self(core::array::from_fn(|lane| self.0[lane] & ones.0[lane] | !self.0[lane] & zeros.0[lane]))
    }
}

impl<const N: usize> MulAdd52<N> for Words<N> {
    fn add_low(self, f: Self, g: Self) -> Self {
        let half = |f, g| product_52(f, g) & ((1 << 52) - 1);
        self.add(f.zip(g, |f, g| half(f, g).try_into().unwrap()))
    }
    fn add_high(self, f: Self, g: Self) -> Self {
        self.add(f.zip(g, |f, g| (product_52(f, g) >> 52).try_into().unwrap()))
    }
}

fn product_52(f: u64, g: u64) -> u128 {
    debug_assert!((f | g) >> 52 == 0, "a factor of more than 52 bits");
    u128::from(f) * u128::from(g)
}
