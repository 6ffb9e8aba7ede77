//! What the field arithmetic asks of a vector: `N` words of 64 bits, and a few operations on all of
//! them at once.

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
    /// Bits of both.
    fn and(self, other: Self) -> Self;
    /// Shifted right by `BITS`, which are fewer than 64.
    fn shift_right<const BITS: u32>(self) -> Self;
    /// `ones` where `self` has all ones, `zeros` where it is zero.
    fn select(self, ones: Self, zeros: Self) -> Self;
}

/// What AVX-512 IFMA has as well: `self` and a half of the product of the low 52 bits of two others.
pub(crate) trait MulAdd52<const N: usize>: Lanes<N> {
    /// The low 52 bits.
    fn add_low(self, f: Self, g: Self) -> Self;
    /// The high 52 bits.
    fn add_high(self, f: Self, g: Self) -> Self;
    /// 19 times as much, modulo 2^64.
    fn times_19(self) -> Self;
}

/// Words that are floating-point numbers too: `f64` by its bits (IEEE 754, binary64), rounded to
/// nearest, which is for the caller to see to. No number is subnormal. What doubles take of integers
/// as well is here too.
pub(crate) trait Doubles<const N: usize>: Lanes<N> {
    /// Sum of numbers.
    fn plus(self, other: Self) -> Self;
    /// Difference of numbers.
    fn minus(self, other: Self) -> Self;
    /// `self + f g` of numbers, rounded once.
    fn mul_add(self, f: Self, g: Self) -> Self;
    /// Product of the low 32 bits of both, as integers.
    fn mul(self, other: Self) -> Self;
    /// Integers, shifted left by `bits`, which are fewer than 64.
    fn shift_left(self, bits: u32) -> Self;
}

/// Four lanes that can change places.
pub(crate) trait Quad: Lanes<4> {
    /// Lanes 1, 0, 3, 2.
    fn swap_pairs(self) -> Self;
    /// Lanes 2, 3, 0, 1.
    fn swap_halves(self) -> Self;
    /// The lanes of `other` whose bits are set in `LANES`, lane 0 the lowest, and the others of
    /// `self`.
    fn replace<const LANES: i32>(self, other: Self) -> Self;
}

/// What AVX-512 VL has for them as well.
pub(crate) trait Permute: Quad {
    /// The lanes that `places` names.
    fn permuted(self, places: Self) -> Self;
    /// `f - g` in the lanes whose bits are set in `lanes`, and the others of `self`. One instruction
    /// if the compiler does not know `lanes`.
    fn replace_difference(self, lanes: u8, f: Self, g: Self) -> Self;
}
