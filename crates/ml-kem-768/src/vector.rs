//! The operations on a vector of sixteen words, and arithmetic modulo q built from them.
//!
//! Each operation has a counterpart in AVX2, and in WebAssembly on two vectors of 128 bits, the
//! halves. A *half* is eight words, a *quad* four, a *pair* two.

use crate::{
    keccak::Lanes,
    tables::{Factor, Q, Q_INVERSE},
    words::Words,
};

/// A vector of sixteen words of 16 bits.
pub(crate) trait Vector: Copy {
    fn load(words: &Words) -> Self;
    fn store(self, words: &mut Words);
    /// Makes a vector of four quads.
    fn from_lanes(lanes: &Lanes) -> Self;
    fn to_lanes(self) -> [u64; 4];
    /// Makes a vector of two halves.
    fn from_halves(low: &[u8; 16], high: &[u8; 16]) -> Self;
    /// Repeats a word sixteen times.
    fn splat(word: i16) -> Self;
    /// Repeats a quad four times.
    fn quads(quad: u64) -> Self;
    /// Loads a constant, both halves of which are alike.
    #[inline(always)]
    fn constant(words: &'static Words) -> Self {
        Self::load(words)
    }
    /// Returns a constant in each word.
    #[inline(always)]
    fn all<const WORD: i16>() -> Self {
        Self::constant(const { &Words([WORD; 16]) })
    }

    // Operations on words. All except `mul_rounded` and `greater` are modulo 2^16.
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul_low(self, other: Self) -> Self;
    /// Returns the product times 2^-15, rounded to the nearest number, ties upwards. Back ends
    /// differ where both words are -2^15, which no constant here is.
    fn mul_rounded(self, other: Self) -> Self;
    fn abs(self) -> Self;
    /// Returns all ones where `self` is greater, else zero.
    fn greater(self, other: Self) -> Self;
    /// Returns all ones where both are equal, else zero.
    fn equal(self, other: Self) -> Self;
    /// Returns the sign bit of each word, the first one's lowest.
    fn signs(self) -> u16;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// Shifts words as unsigned numbers.
    fn shift_right<const BITS: i32>(self) -> Self;

    // Operations on numbers of 32 bits, in pairs.
    /// Returns the sum of both products of each pair.
    fn dot(self, other: Self) -> Self;
    fn add32(self, other: Self) -> Self;
    fn sub32(self, other: Self) -> Self;
    /// Returns the upper half of each number, with its sign.
    fn upper(self) -> Self;
    /// Narrows numbers to words: in each half those of `self`, then those of `other`.
    fn narrow(self, other: Self) -> Self;

    // Operations on numbers of 64 bits, in quads.
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
    /// Interleaves the 32-bit numbers of the two halves.
    fn interleave_own_halves32(self) -> Self;
    /// Returns the bytes at these places of each half, from 0 to 15, and zero where a place is 128
    /// or more.
    fn bytes_at(self, places: Self) -> Self;
    /// Repeats one 32-bit number of each half four times.
    fn spread32<const WHICH: i32>(self) -> Self;
    /// Swaps the two numbers of each quad.
    fn swap32(self) -> Self;
    /// Swaps the two words of each pair.
    fn swap(self) -> Self;
    /// Takes the first word of each pair from `self`, and the second from `other`.
    fn alternate(self, other: Self) -> Self;
    /// Takes the first 32-bit number of each quad from `self`, and the second from `other`.
    fn alternate32(self, other: Self) -> Self;

    // The arithmetic, which the proofs take as one step each.

    /// Reduces modulo q, to at most 2,090 in absolute value if `self` is within 8 q.
    #[inline(always)]
    fn barrett(self) -> Self {
        // 10 = round(2^15 / q).
        self.sub(
            self.mul_rounded(Self::all::<10>())
                .mul_low(Self::all::<Q>()),
        )
    }

    /// Multiplies by a constant modulo q. The result is below q in absolute value for any `self`.
    ///
    /// The factor is (z, round(2^15 z / q)). The multiple of q that is subtracted is the right one
    /// or the one next to it, so the lowest 16 bits of the difference determine it.
    #[inline(always)]
    fn product(self, [z, quotient]: [Self; 2]) -> Self {
        self.mul_low(z)
            .sub(self.mul_rounded(quotient).mul_low(Self::all::<Q>()))
    }

    /// Applies Montgomery's reduction to numbers of 32 bits: times 2^-16 modulo q, in 32 bits.
    #[inline(always)]
    fn reduce(self) -> Self {
        let multiple = self.mul_low(Self::load(&Words::pairs([Q_INVERSE, 0])));
        self.sub32(multiple.dot(Self::load(&Words::pairs([Q, 0]))))
            .upper()
    }

    /// Loads a constant and its quotient.
    #[inline(always)]
    fn factor(factor: &Factor) -> [Self; 2] {
        [Self::load(&factor[0]), Self::load(&factor[1])]
    }

    /// Returns the bitwise or of its 64-bit numbers.
    #[inline(always)]
    fn any(self) -> u64 {
        let [a, b, c, d] = self.to_lanes();
        a | b | c | d
    }
}
