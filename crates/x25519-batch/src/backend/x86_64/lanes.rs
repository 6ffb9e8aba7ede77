//! Vectors of 256 and 512 bits.

use core::arch::{asm, x86_64::*};

use super::simd;
use crate::lanes::{Doubles, Lanes, MulAdd52, Permute, Quad};

/// Implements the operations of one vector by its intrinsics.
macro_rules! lanes {
    ($(#[$doc:meta])* $name:ident($vector:ty), $n:literal,
     $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $and:ident, $right:ident,
     |$mask:ident, $ones:ident, $zeros:ident| $select:expr,
     $low:ident, $high:ident, $times_19:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name($vector);

        impl Lanes<$n> for $name {
            #[inline(always)]
            fn splat(word: u64) -> Self {
                Self(simd!($splat(word.cast_signed())))
            }
            #[inline(always)]
            fn load(words: &[u64; $n]) -> Self {
                Self(simd!($load(words.as_ptr().cast())))
            }
            #[inline(always)]
            fn store(self, words: &mut [u64; $n]) {
                simd!($store(words.as_mut_ptr().cast(), self.0));
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(simd!($add(self.0, other.0)))
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self(simd!($sub(self.0, other.0)))
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                Self(simd!($and(self.0, other.0)))
            }
            #[inline(always)]
            fn shift_right<const BITS: u32>(self) -> Self {
                Self(simd!($right(self.0, Self::splat(u64::from(BITS)).0)))
            }
            #[inline(always)]
            fn select(self, ones: Self, zeros: Self) -> Self {
                let ($mask, $ones, $zeros) = (self.0, ones.0, zeros.0);
                Self(simd!($select))
            }
        }

        impl MulAdd52<$n> for $name {
            #[inline(always)]
            fn add_low(self, f: Self, g: Self) -> Self {
                Self(simd!($low(self.0, f.0, g.0)))
            }
            #[inline(always)]
            fn add_high(self, f: Self, g: Self) -> Self {
                Self(simd!($high(self.0, f.0, g.0)))
            }
            #[inline(always)]
            fn times_19(self) -> Self {
                Self(simd!($times_19(self.0)))
            }
        }
    };
}

lanes! {
    /// A vector of 256 bits.
    Lanes256(__m256i), 4,
    _mm256_set1_epi64x, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi64, _mm256_sub_epi64,
    _mm256_and_si256, _mm256_srlv_epi64,
    |mask, ones, zeros| _mm256_blendv_epi8(zeros, ones, mask),
    _mm256_madd52lo_epu64, _mm256_madd52hi_epu64, product_by_19
}
lanes! {
    /// A vector of 256 bits, for processors with a slow `vpmullq`.
    Lanes256ByShifts(__m256i), 4,
    _mm256_set1_epi64x, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi64, _mm256_sub_epi64,
    _mm256_and_si256, _mm256_srlv_epi64,
    |mask, ones, zeros| _mm256_blendv_epi8(zeros, ones, mask),
    _mm256_madd52lo_epu64, _mm256_madd52hi_epu64, shifts_by_19
}
lanes! {
    /// A vector of 512 bits.
    Lanes512(__m512i), 8,
    _mm512_set1_epi64, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_add_epi64, _mm512_sub_epi64,
    _mm512_and_si512, _mm512_srlv_epi64,
    |mask, ones, zeros| _mm512_ternarylogic_epi64::<0b1100_1010>(mask, ones, zeros),
    _mm512_madd52lo_epu64, _mm512_madd52hi_epu64, wide_product_by_19
}

/// Multiplies by 19 with one instruction.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
fn product_by_19(words: __m256i) -> __m256i {
    _mm256_mullo_epi64(words, _mm256_set1_epi64x(19))
}

/// Multiplies by 19 with shifts, in assembly, since the compiler would turn shifts and additions
/// into `vpmullq`.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
fn shifts_by_19(words: __m256i) -> __m256i {
    let (mut twice, mut sixteen_times) = (words, words);
    // SAFETY: shifts of one register by constants, by an instruction that the function asks for.
    unsafe {
        asm!("vpsllq {0}, {0}, 1", inlateout(ymm_reg) twice, options(pure, nomem, nostack, preserves_flags));
        asm!("vpsllq {0}, {0}, 4", inlateout(ymm_reg) sixteen_times, options(pure, nomem, nostack, preserves_flags));
    }
    _mm256_add_epi64(sixteen_times, _mm256_add_epi64(twice, words))
}

/// Multiplies by 19 with one instruction on every processor: eight lanes are for batches, where
/// other products hide its latency.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn wide_product_by_19(words: __m512i) -> __m512i {
    _mm512_mullo_epi64(words, _mm512_set1_epi64(19))
}

impl Lanes256 {
    #[inline(always)]
    fn doubles(self) -> __m256d {
        simd!(_mm256_castsi256_pd(self.0))
    }
    #[inline(always)]
    fn from_doubles(doubles: __m256d) -> Self {
        Self(simd!(_mm256_castpd_si256(doubles)))
    }
}

impl Doubles<4> for Lanes256 {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self::from_doubles(simd!(_mm256_add_pd(self.doubles(), other.doubles())))
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self::from_doubles(simd!(_mm256_sub_pd(self.doubles(), other.doubles())))
    }
    #[inline(always)]
    fn mul_add(self, f: Self, g: Self) -> Self {
        let sum = simd!(_mm256_fmadd_pd(f.doubles(), g.doubles(), self.doubles()));
        Self::from_doubles(sum)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(simd!(_mm256_mul_epu32(self.0, other.0)))
    }
    #[inline(always)]
    fn shift_left(self, bits: u32) -> Self {
        Self(simd!(_mm256_sllv_epi64(
            self.0,
            Self::splat(u64::from(bits)).0
        )))
    }
}

/// Implements the exchange of four lanes.
macro_rules! quad {
    ($name:ident) => {
        impl Quad for $name {
            #[inline(always)]
            fn swap_pairs(self) -> Self {
                Self(simd!(_mm256_shuffle_epi32::<0b01_00_11_10>(self.0)))
            }
            #[inline(always)]
            fn swap_halves(self) -> Self {
                Self(simd!(_mm256_permute2x128_si256::<1>(self.0, self.0)))
            }
            #[inline(always)]
            fn replace<const LANES: i32>(self, other: Self) -> Self {
                let [from, to] = [self.0, other.0].map(|lanes| simd!(_mm256_castsi256_pd(lanes)));
                let chosen = simd!(_mm256_blend_pd::<LANES>(from, to));
                Self(simd!(_mm256_castpd_si256(chosen)))
            }
        }

        impl Permute for $name {
            #[inline(always)]
            fn permuted(self, places: Self) -> Self {
                Self(simd!(_mm256_permutexvar_epi64(places.0, self.0)))
            }
            #[inline(always)]
            fn replace_difference(self, lanes: u8, f: Self, g: Self) -> Self {
                Self(simd!(_mm256_mask_sub_epi64(self.0, lanes, f.0, g.0)))
            }
        }
    };
}
quad!(Lanes256);
quad!(Lanes256ByShifts);
