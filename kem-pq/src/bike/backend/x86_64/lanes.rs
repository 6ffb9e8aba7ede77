//! The decoder's vectors: 256 and 512 bits.

use core::arch::x86_64::*;

use super::simd;
use crate::bike::{lanes::Lanes, masks::mask};

/// 256 bits.
#[derive(Clone, Copy)]
pub(super) struct Lanes256(__m256i);

/// A shift by words, as masks of its two bits; and by bits.
#[derive(Clone, Copy)]
pub(super) struct Shift256 {
    one: Lanes256,
    two: Lanes256,
    right: __m256i,
    left: __m256i,
}

impl Lanes for Lanes256 {
    const WORDS: usize = 4;
    type Shift = Shift256;

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words: &[u64; 4] = words.first_chunk().expect("a vector");
        Self(simd!(_mm256_loadu_si256(words.as_ptr().cast())))
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words: &mut [u64; 4] = words.first_chunk_mut().expect("a vector");
        simd!(_mm256_storeu_si256(words.as_mut_ptr().cast(), self.0));
    }
    #[inline(always)]
    fn splat(word: u64) -> Self {
        Self(simd!(_mm256_set1_epi64x(word.cast_signed())))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(simd!(_mm256_xor_si256(self.0, other.0)))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(simd!(_mm256_and_si256(self.0, other.0)))
    }
    #[inline(always)]
    fn select(self, mask: Self, other: Self) -> Self {
        Self(simd!(_mm256_or_si256(
            _mm256_and_si256(mask.0, self.0),
            _mm256_andnot_si256(mask.0, other.0)
        )))
    }
    #[inline(always)]
    fn choose(self, mask: Self, other: Self) -> Self {
        Self(simd!(_mm256_blendv_epi8(other.0, self.0, mask.0)))
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        Self(simd!(_mm256_cmpeq_epi64(self.0, other.0)))
    }
    #[inline(always)]
    fn shift(amount: u32) -> Shift256 {
        let (bits, mask) = (i64::from(amount & 63), |bit: u32| {
            Self::splat(mask(u64::from(amount >> bit & 1)))
        });
        Shift256 {
            one: mask(6),
            two: mask(7),
            right: simd!(_mm256_set1_epi64x(bits)),
            left: simd!(_mm256_set1_epi64x(64 - bits)),
        }
    }
    /// Joins words by two shifts. A shift by 64 gives zero, which makes a shift by no bits right.
    /// Each word is shifted by a number of its own, so that memcheck can follow it.
    #[inline(always)]
    fn funnel(self, next: Self, shift: Shift256) -> Self {
        // `even` is zero or two words on, `after` two words further. `odd` is in the middle.
        let middle = Self(simd!(_mm256_permute2x128_si256::<0x21>(self.0, next.0)));
        let (even, after) = (
            middle.choose(shift.two, self),
            next.choose(shift.two, middle),
        );
        let odd = Self(simd!(_mm256_alignr_epi8::<8>(after.0, even.0)));
        let (low, high) = (odd.choose(shift.one, even), after.choose(shift.one, odd));
        Self(simd!(_mm256_or_si256(
            _mm256_srlv_epi64(low.0, shift.right),
            _mm256_sllv_epi64(high.0, shift.left)
        )))
    }
}

/// 512 bits.
#[derive(Clone, Copy)]
pub(super) struct Lanes512(__m512i);

/// A shift by words, as the indices of a permutation of two vectors; and by bits.
#[derive(Clone, Copy)]
pub(super) struct Shift512 {
    low: __m512i,
    high: __m512i,
    right: __m512i,
    left: __m512i,
}

impl Lanes for Lanes512 {
    const WORDS: usize = 8;
    type Shift = Shift512;

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words: &[u64; 8] = words.first_chunk().expect("a vector");
        Self(simd!(_mm512_loadu_si512(words.as_ptr().cast())))
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words: &mut [u64; 8] = words.first_chunk_mut().expect("a vector");
        simd!(_mm512_storeu_si512(words.as_mut_ptr().cast(), self.0));
    }
    #[inline(always)]
    fn splat(word: u64) -> Self {
        Self(simd!(_mm512_set1_epi64(word.cast_signed())))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(simd!(_mm512_xor_si512(self.0, other.0)))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(simd!(_mm512_and_si512(self.0, other.0)))
    }
    #[inline(always)]
    fn select(self, mask: Self, other: Self) -> Self {
        Self(simd!(_mm512_ternarylogic_epi64::<0xca>(
            mask.0, self.0, other.0
        )))
    }
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        Self(simd!(_mm512_ternarylogic_epi64::<0x96>(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        Self(simd!(_mm512_ternarylogic_epi64::<0xe8>(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        let equal = simd!(_mm512_cmpeq_epi64_mask(self.0, other.0));
        Self(simd!(_mm512_movm_epi64(equal)))
    }
    #[inline(always)]
    fn shift(amount: u32) -> Shift512 {
        let (words, bits) = (i64::from(amount >> 6 & 7), i64::from(amount & 63));
        let low = simd!(_mm512_add_epi64(
            _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0),
            _mm512_set1_epi64(words)
        ));
        Shift512 {
            low,
            high: simd!(_mm512_add_epi64(low, _mm512_set1_epi64(1))),
            right: simd!(_mm512_set1_epi64(bits)),
            left: simd!(_mm512_set1_epi64(64 - bits)),
        }
    }
    /// Joins words by two shifts. A shift by 64 gives zero, which makes a shift by no bits right.
    #[inline(always)]
    fn funnel(self, next: Self, shift: Shift512) -> Self {
        let low = simd!(_mm512_permutex2var_epi64(self.0, shift.low, next.0));
        let high = simd!(_mm512_permutex2var_epi64(self.0, shift.high, next.0));
        Self(simd!(_mm512_or_si512(
            _mm512_srlv_epi64(low, shift.right),
            _mm512_sllv_epi64(high, shift.left)
        )))
    }
}
