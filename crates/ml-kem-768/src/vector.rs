//! What a vector of sixteen words does, and arithmetic modulo q made of it.
//!
//! Each operation has a counterpart in AVX2, and in WebAssembly on two vectors of 128 bits. A *half*
//! is eight words, a *quad* four, a *pair* two.

use crate::{
    keccak::Lanes,
    tables::{Factor, Q, Q_INVERSE},
    words::Words,
};

/// A vector of sixteen words of 16 bits.
pub(crate) trait Vector: Copy {
    fn load(words: &Words) -> Self;
    fn store(self, words: &mut Words);
    /// Four quads.
    fn from_lanes(lanes: &Lanes) -> Self;
    fn to_lanes(self) -> [u64; 4];
    /// Two halves.
    fn from_halves(low: &[u8; 16], high: &[u8; 16]) -> Self;
    /// Sixteen times the same word.
    fn splat(word: i16) -> Self;
    /// Eight times the same pair.
    fn pairs(pair: [i16; 2]) -> Self;
    /// Four times the same quad.
    fn quads(quad: u64) -> Self;

    // Words. All but `mul_rounded` and `greater` are modulo 2^16.
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul_low(self, other: Self) -> Self;
    /// The product times 2^-15, to the nearest number, upwards if there are two.
    fn mul_rounded(self, other: Self) -> Self;
    fn abs(self) -> Self;
    /// All ones where it is greater, else zero.
    fn greater(self, other: Self) -> Self;
    /// All ones where both are equal, else zero.
    fn equal(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// Without a sign.
    fn shift_right<const BITS: i32>(self) -> Self;

    // Numbers of 32 bits, in pairs.
    /// Of each pair the sum of both products.
    fn dot(self, other: Self) -> Self;
    fn add32(self, other: Self) -> Self;
    fn sub32(self, other: Self) -> Self;
    /// The upper half of each number, with its sign.
    fn upper(self) -> Self;
    /// Of each half, the numbers of this one as words, then those of the other.
    fn narrow(self, other: Self) -> Self;

    // Numbers of 64 bits, in quads.
    fn shift_left64<const BITS: i32>(self) -> Self;
    fn shift_right64<const BITS: i32>(self) -> Self;

    // Moves. `low` and `high` say which end of each half is taken.
    fn interleave_low(self, other: Self) -> Self;
    fn interleave_high(self, other: Self) -> Self;
    fn interleave_low32(self, other: Self) -> Self;
    fn interleave_high32(self, other: Self) -> Self;
    fn interleave_low64(self, other: Self) -> Self;
    fn interleave_high64(self, other: Self) -> Self;
    fn low_halves(self, other: Self) -> Self;
    fn high_halves(self, other: Self) -> Self;
    /// The numbers of 32 bits of both halves by turns.
    fn interleave_own_halves32(self) -> Self;
    /// Of each half the bytes at these places; zero where a place is 128 or more.
    fn bytes_at(self, places: Self) -> Self;
    /// Of each half one number of 32 bits, four times.
    fn spread32<const WHICH: i32>(self) -> Self;
    /// Both numbers of each quad change places.
    fn swap32(self) -> Self;
    /// Both words of each pair change places.
    fn swap(self) -> Self;
    /// The first of each two words, and the second of the other.
    fn alternate(self, other: Self) -> Self;
    /// The first of each two numbers of 32 bits, and the second of the other.
    fn alternate32(self, other: Self) -> Self;

    // What follows is the arithmetic, which the proofs take as one step each.

    /// The same modulo q, at most 2,090 either way if `self` is within 8 q.
    #[inline(always)]
    fn barrett(self) -> Self {
        // 10 = round(2^15 / q).
        self.sub(self.mul_rounded(Self::splat(10)).mul_low(Self::splat(Q)))
    }

    /// The product with a constant modulo q, less than q either way whatever `self` is.
    ///
    /// The factor is (z, round(2^15 z / q)): what is taken off is the right multiple of q, or one next
    /// to it, and of the difference the lowest 16 bits are all.
    #[inline(always)]
    fn product(self, [z, quotient]: [Self; 2]) -> Self {
        self.mul_low(z)
            .sub(self.mul_rounded(quotient).mul_low(Self::splat(Q)))
    }

    /// Montgomery's reduction of numbers of 32 bits: times 2^-16 modulo q, in 32 bits.
    #[inline(always)]
    fn reduce(self) -> Self {
        let multiple = self.mul_low(Self::pairs([Q_INVERSE, 0]));
        self.sub32(multiple.dot(Self::pairs([Q, 0]))).upper()
    }

    /// A constant and its quotient.
    #[inline(always)]
    fn factor(factor: &Factor) -> [Self; 2] {
        [Self::load(&factor[0]), Self::load(&factor[1])]
    }

    /// All bits of its numbers, ored.
    #[inline(always)]
    fn any(self) -> u64 {
        let [a, b, c, d] = self.to_lanes();
        a | b | c | d
    }
}
