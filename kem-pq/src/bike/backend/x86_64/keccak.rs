//! Words of two Keccak states, in vectors of 128 bits.

use core::arch::x86_64::*;

use super::simd;
use crate::bike::keccak::{Lane, LanePair};

/// With AVX2, which has no rotation.
#[derive(Clone, Copy)]
pub(super) struct Shifted(__m128i);

/// With AVX-512 F and VL: rotations and functions of three operands.
#[derive(Clone, Copy)]
pub(super) struct Rotated(Shifted);

impl LanePair for Shifted {
    #[inline(always)]
    fn join([low, high]: [u64; 2]) -> Self {
        let (low, high) = (low.cast_signed(), high.cast_signed());
        Self(simd!(_mm_set_epi64x(high, low)))
    }
    #[inline(always)]
    fn split(self) -> [u64; 2] {
        let low = simd!(_mm_cvtsi128_si64(self.0));
        let high = simd!(_mm_extract_epi64::<1>(self.0));
        [low.cast_unsigned(), high.cast_unsigned()]
    }
}

impl Lane for Shifted {
    #[inline(always)]
    fn splat(word: u64) -> Self {
        Self(simd!(_mm_set1_epi64x(word.cast_signed())))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(simd!(_mm_xor_si128(self.0, other.0)))
    }
    /// A shift by 64 gives zero, as it must for no bits.
    #[inline(always)]
    fn rotate(self, bits: u32) -> Self {
        let (left, right) = (i64::from(bits), 64 - i64::from(bits));
        Self(simd!(_mm_or_si128(
            _mm_sllv_epi64(self.0, _mm_set1_epi64x(left)),
            _mm_srlv_epi64(self.0, _mm_set1_epi64x(right))
        )))
    }
    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        Self(simd!(_mm_xor_si128(self.0, _mm_andnot_si128(b.0, c.0))))
    }
}

impl LanePair for Rotated {
    #[inline(always)]
    fn join(words: [u64; 2]) -> Self {
        Self(Shifted::join(words))
    }
    #[inline(always)]
    fn split(self) -> [u64; 2] {
        self.0.split()
    }
}

impl Lane for Rotated {
    #[inline(always)]
    fn splat(word: u64) -> Self {
        Self(Shifted::splat(word))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0.xor(other.0))
    }
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.ternary::<{ A ^ B ^ C }>(b, c)
    }
    #[inline(always)]
    fn rotate(self, bits: u32) -> Self {
        let bits = simd!(_mm_set1_epi64x(bits.into()));
        Self(Shifted(simd!(_mm_rolv_epi64(self.0.0, bits))))
    }
    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        self.ternary::<{ A ^ (!B & C) }>(b, c)
    }
}

/// The tables of functions of three bits that are one of them: bit 4 a + 2 b + c is the value.
const A: i32 = 0xf0;
const B: i32 = 0xcc;
const C: i32 = 0xaa;

impl Rotated {
    /// The function of three bits with this table.
    #[inline(always)]
    fn ternary<const TABLE: i32>(self, b: Self, c: Self) -> Self {
        let (a, b, c) = (self.0.0, b.0.0, c.0.0);
        Self(Shifted(simd!(_mm_ternarylogic_epi64::<TABLE>(a, b, c))))
    }
}
