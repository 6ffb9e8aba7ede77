//! Products by VPCLMULQDQ, four at once: the four quarters of a block lie in the four lanes of a vector.

use core::arch::x86_64::*;

use super::{
    pclmul::{self, Pairs, four_pairs},
    simd,
};
use crate::bike::multiply::{BLOCK, Carryless, accumulate};

impl Pairs for __m512i {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        simd!(_mm512_xor_si512(self, other))
    }
    #[inline(always)]
    fn clmul<const WORDS: i32>(self, other: Self) -> Self {
        simd!(_mm512_clmulepi64_epi128::<WORDS>(self, other))
    }
    #[inline(always)]
    fn join(self, next: Self) -> Self {
        simd!(_mm512_alignr_epi8::<8>(next, self))
    }
    #[inline(always)]
    fn zero() -> Self {
        simd!(_mm512_setzero_si512())
    }
}

/// With VPCLMULQDQ.
#[derive(Clone, Copy)]
pub(super) struct Vpclmul;

impl Carryless for Vpclmul {
    #[inline(always)]
    fn block(self, out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
        simd!(block(out, a, b, scratch));
    }
    #[inline(always)]
    fn add_row(self, out: &mut [u64], x: u64, a: &[u64]) {
        pclmul::add_row(out, x, a);
    }
}

/// The words of a quarter.
const QUARTER: usize = BLOCK / 4;

/// Two levels of Karatsuba over the quarters: nine products, in the lanes of three.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq")]
fn block(out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
    let (products, _) = scratch.split_at_mut(12 * 2 * QUARTER);
    let (a, b) = (quarters(a), quarters(b));
    let (pairs_a, pairs_b) = (pair_sums(a), pair_sums(b));
    let lanes = products.chunks_exact_mut(4 * 2 * QUARTER);
    let factors = [(a, b), (pairs_a, pairs_b), (total(pairs_a), total(pairs_b))];
    for (lanes, (a, b)) in lanes.zip(&factors) {
        sixteen(lanes, a, b);
    }
    // Each product and the coefficients, of x^(64 QUARTER), that it is part of.
    let places: [&[usize]; 9] =
        [&[0, 1, 2, 3], &[1, 2, 3, 4], &[2, 3, 4, 5], &[3, 4, 5, 6], &[1, 3], &[3, 5], &[2, 3], &[3, 4], &[3]];
    out.fill(0);
    for (part, places) in products.chunks_exact(2 * QUARTER).zip(places) {
        for place in places {
            accumulate(&mut out[place * QUARTER..], part);
        }
    }
}

/// Vector i has the i-th pair of words of each quarter.
#[inline(always)]
fn quarters(a: &[u64]) -> [__m512i; 8] {
    let mut out = [__m512i::zero(); 8];
    for (i, out) in out.iter_mut().enumerate() {
        let pairs = [pair(a, 0, i), pair(a, 1, i), pair(a, 2, i), pair(a, 3, i)];
        let low = simd!(_mm512_inserti64x2::<1>(_mm512_castsi128_si512(pairs[0]), pairs[1]));
        *out = simd!(_mm512_inserti64x2::<3>(_mm512_inserti64x2::<2>(low, pairs[2]), pairs[3]));
    }
    out
}

#[inline(always)]
fn pair(a: &[u64], quarter: usize, i: usize) -> __m128i {
    let words: &[u64; 2] = a[quarter * QUARTER + 2 * i..].first_chunk().expect("two words");
    simd!(_mm_loadu_si128(words.as_ptr().cast()))
}

/// The sums 0 + 1, 2 + 3, 0 + 2, 1 + 3 of the lanes.
#[inline(always)]
fn pair_sums(mut quarters: [__m512i; 8]) -> [__m512i; 8] {
    for q in &mut quarters {
        let first = simd!(_mm512_shuffle_i64x2::<0b01_00_10_00>(*q, *q));
        *q = first.xor(simd!(_mm512_shuffle_i64x2::<0b11_10_11_01>(*q, *q)));
    }
    quarters
}

/// The sum of all quarters, in the first lane.
#[inline(always)]
fn total(mut pair_sums: [__m512i; 8]) -> [__m512i; 8] {
    for q in &mut pair_sums {
        *q = q.xor(simd!(_mm512_shuffle_i64x2::<0b00_00_00_01>(*q, *q)));
    }
    pair_sums
}

/// Sixteen words by sixteen in each lane, by Karatsuba; the products of the lanes one after the other.
#[inline(always)]
fn sixteen(out: &mut [u64], a: &[__m512i; 8], b: &[__m512i; 8]) {
    let (a0, a1, sum_a) = halves(*a);
    let (b0, b1, sum_b) = halves(*b);
    let (low, high, middle) = (four_pairs(a0, b0), four_pairs(a1, b1), four_pairs(sum_a, sum_b));
    for i in 0..4 {
        let inner = low[4 + i].xor(high[i]);
        scatter(out, i, low[i]);
        scatter(out, 4 + i, inner.xor(middle[i]).xor(low[i]));
        scatter(out, 8 + i, inner.xor(middle[4 + i]).xor(high[4 + i]));
        scatter(out, 12 + i, high[4 + i]);
    }
}

/// The lower four, the upper four, and their sums.
#[inline(always)]
fn halves([a, b, c, d, e, f, g, h]: [__m512i; 8]) -> ([__m512i; 4], [__m512i; 4], [__m512i; 4]) {
    ([a, b, c, d], [e, f, g, h], [a.xor(e), b.xor(f), c.xor(g), d.xor(h)])
}

/// Stores each lane as the i-th pair of words of its product.
#[inline(always)]
fn scatter(out: &mut [u64], i: usize, v: __m512i) {
    put(out, 0, i, simd!(_mm512_castsi512_si128(v)));
    put(out, 1, i, simd!(_mm512_extracti64x2_epi64::<1>(v)));
    put(out, 2, i, simd!(_mm512_extracti64x2_epi64::<2>(v)));
    put(out, 3, i, simd!(_mm512_extracti64x2_epi64::<3>(v)));
}

#[inline(always)]
fn put(out: &mut [u64], lane: usize, i: usize, pair: __m128i) {
    let words: &mut [u64; 2] = out[lane * 2 * QUARTER + 2 * i..].first_chunk_mut().expect("two words");
    simd!(_mm_storeu_si128(words.as_mut_ptr().cast(), pair));
}
