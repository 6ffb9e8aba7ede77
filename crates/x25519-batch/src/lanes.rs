//! The vector operations of the field arithmetic: on `N` words of 64 bits at once.

/// A vector of `N` words of 64 bits, one per lane.
pub(crate) trait Lanes<const N: usize>: Copy {
    /// Copies a word to every lane.
    fn splat(word: u64) -> Self;
    /// Loads from memory.
    fn load(words: &[u64; N]) -> Self;
    /// Stores to memory.
    fn store(self, words: &mut [u64; N]);
    /// Adds modulo 2^64.
    fn add(self, other: Self) -> Self;
    /// Subtracts modulo 2^64.
    fn sub(self, other: Self) -> Self;
    /// Computes the bitwise and.
    fn and(self, other: Self) -> Self;
    /// Shifts right by `BITS`, which is less than 64.
    fn shift_right<const BITS: u32>(self) -> Self;
    /// Selects `ones` where `self` is all ones, `zeros` where it is zero.
    fn select(self, ones: Self, zeros: Self) -> Self;
}

/// The additional operations of AVX-512 IFMA: `self` plus a half of the product of the low 52 bits
/// of two others.
pub(crate) trait MulAdd52<const N: usize>: Lanes<N> {
    /// Adds the low 52 bits.
    fn add_low(self, f: Self, g: Self) -> Self;
    /// Adds the high 52 bits.
    fn add_high(self, f: Self, g: Self) -> Self;
    /// Multiplies by 19, modulo 2^64.
    fn times_19(self) -> Self;
}

/// Words that are also floating-point numbers: `f64` by its bits (IEEE 754, binary64), rounded to
/// nearest, which the caller must ensure. No number is subnormal. The integer operations used with
/// doubles are also here.
pub(crate) trait Doubles<const N: usize>: Lanes<N> {
    /// Adds numbers.
    fn plus(self, other: Self) -> Self;
    /// Subtracts numbers.
    fn minus(self, other: Self) -> Self;
    /// Computes `self + f g` of numbers, rounded once.
    fn mul_add(self, f: Self, g: Self) -> Self;
    /// Multiplies the low 32 bits of both, as integers.
    fn mul(self, other: Self) -> Self;
    /// Shifts integers left by `bits`, which is less than 64.
    fn shift_left(self, bits: u32) -> Self;
}

/// Four lanes that can be exchanged.
pub(crate) trait Quad: Lanes<4> {
    /// Returns lanes 1, 0, 3, 2.
    fn swap_pairs(self) -> Self;
    /// Returns lanes 2, 3, 0, 1.
    fn swap_halves(self) -> Self;
    /// Takes the lanes of `other` whose bits are set in `LANES`, lane 0 the lowest, and the other
    /// lanes of `self`.
    fn replace<const LANES: i32>(self, other: Self) -> Self;
}

/// The additional operations of AVX-512 VL on four lanes.
pub(crate) trait Permute: Quad {
    /// Returns the lanes that `places` names.
    fn permuted(self, places: Self) -> Self;
    /// Takes `f - g` in the lanes whose bits are set in `lanes`, and the other lanes of `self`. One
    /// instruction if `lanes` is unknown to the compiler.
    fn replace_difference(self, lanes: u8, f: Self, g: Self) -> Self;
}
