//! What the field arithmetic asks of a vector: `N` words of 64 bits, and a few operations on all of them at once.

/// A vector of `N` words of 64 bits, one a lane.
pub(crate) trait Lanes<const N: usize>: Copy {
    /// The same word in every lane.
    fn splat(word: u64) -> Self;
    /// From memory.
    fn load(words: &[u64; N]) -> Self;
    /// To memory.
    fn store(self, words: &mut [u64; N]);
    /// Sum modulo 2^64.
    fn add(self, other: Self) -> Self;
    /// Difference modulo 2^64.
    fn sub(self, other: Self) -> Self;
    /// Product of the low 32 bits of both.
    fn mul(self, other: Self) -> Self;
    /// Bits of both.
    fn and(self, other: Self) -> Self;
    /// Shifted right by `BITS`, which are fewer than 64.
    fn shift_right<const BITS: u32>(self) -> Self;
    /// Shifted left by `BITS`, which are fewer than 64.
    fn shift_left<const BITS: u32>(self) -> Self;
    /// `ones` where `self` has all ones, `zeros` where it is zero.
    fn select(self, ones: Self, zeros: Self) -> Self;
}

/// What AVX-512 IFMA has beside: `self` and a half of the product of the low 52 bits of two others.
pub(crate) trait MulAdd52<const N: usize>: Lanes<N> {
    /// The low 52 bits.
    fn add_low(self, f: Self, g: Self) -> Self;
    /// The high 52 bits.
    fn add_high(self, f: Self, g: Self) -> Self;
}
