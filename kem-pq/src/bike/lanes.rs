//! The vectors of bits that a back end counts in.

use core::hint::black_box;

use super::masks::equal_mask;

/// A vector of bits.
pub(crate) trait Lanes: Copy {
    /// The number of its words.
    const WORDS: usize;
    /// The form of a shift by less than a vector.
    type Shift: Copy;

    /// Loads the first of `words`.
    fn load(words: &[u64]) -> Self;
    fn store(self, words: &mut [u64]);
    fn splat(word: u64) -> Self;
    fn xor(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    /// Returns `self` where the mask has ones, else `other`.
    fn select(self, mask: Self, other: Self) -> Self;
    /// Returns `self` if the mask is all ones, or `other` if it is all zeros.
    #[inline(always)]
    fn choose(self, mask: Self, other: Self) -> Self {
        self.select(mask, other)
    }
    /// Returns all ones in each word that is equal, else zero. Words are below 2^63.
    fn equal(self, other: Self) -> Self;
    /// Makes the shift by the lowest bits of a secret number.
    fn shift(amount: u32) -> Self::Shift;
    /// Returns the bits of `self || next` from the shift on.
    fn funnel(self, next: Self, shift: Self::Shift) -> Self;

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }

    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        c.select(self.xor(b), b)
    }
}

/// A word as a vector: the definition.
impl Lanes for u64 {
    const WORDS: usize = 1;
    type Shift = u32;

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        words[0]
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words[0] = self;
    }
    #[inline(always)]
    fn splat(word: u64) -> Self {
        word
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn select(self, mask: Self, other: Self) -> Self {
        other ^ (mask & (self ^ other))
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        black_box(equal_mask(self, other))
    }
    #[inline(always)]
    fn shift(amount: u32) -> u32 {
        amount & 63
    }
    #[inline(always)]
    fn funnel(self, next: Self, shift: u32) -> Self {
        (self >> shift) | (next << 1 << (63 - shift))
    }
}
