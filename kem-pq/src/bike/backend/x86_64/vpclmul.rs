//! Products with VPCLMULQDQ, two or four at once: each lane of a vector computes a separate
//! product.

use core::arch::x86_64::*;

use super::{
    pclmul::{self, Pair, Pairs, four_pairs},
    simd,
};
use crate::bike::multiply::{BLOCK, Carryless, Word, accumulate, add};

/// Vectors of several pairs of words.
pub(super) trait Wide: Pairs {
    /// The number of pairs.
    const LANES: usize;
    /// Gathers the pair at the same place of each number. A number has [`QUARTER`] words.
    fn gather(numbers: &[Self::Word], place: usize) -> Self;
    /// Scatters the pairs into products, which have twice the words.
    fn scatter(self, products: &mut [Self::Word], place: usize);
}

impl Pairs for __m256i {
    type Word = u64;

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        simd!(_mm256_xor_si256(self, other))
    }
    #[inline(always)]
    fn clmul<const WORDS: i32>(self, other: Self) -> Self {
        simd!(_mm256_clmulepi64_epi128::<WORDS>(self, other))
    }
    #[inline(always)]
    fn join(self, next: Self) -> Self {
        simd!(_mm256_alignr_epi8::<8>(next, self))
    }
    #[inline(always)]
    fn zero() -> Self {
        simd!(_mm256_setzero_si256())
    }
}

impl Wide for __m256i {
    const LANES: usize = 2;

    #[inline(always)]
    fn gather(numbers: &[u64], place: usize) -> Self {
        simd!(_mm256_set_m128i(
            pair(numbers, QUARTER + place),
            pair(numbers, place)
        ))
    }
    #[inline(always)]
    fn scatter(self, products: &mut [u64], place: usize) {
        put(products, place, simd!(_mm256_castsi256_si128(self)));
        put(
            products,
            2 * QUARTER + place,
            simd!(_mm256_extracti128_si256::<1>(self)),
        );
    }
}

impl Pairs for __m512i {
    type Word = u64;

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

impl Wide for __m512i {
    const LANES: usize = 4;

    #[inline(always)]
    fn gather(numbers: &[u64], place: usize) -> Self {
        let pairs = [0, 1, 2, 3].map(|lane| pair(numbers, lane * QUARTER + place));
        let low = simd!(_mm512_inserti64x2::<1>(
            _mm512_castsi128_si512(pairs[0]),
            pairs[1]
        ));
        simd!(_mm512_inserti64x2::<3>(
            _mm512_inserti64x2::<2>(low, pairs[2]),
            pairs[3]
        ))
    }
    #[inline(always)]
    fn scatter(self, products: &mut [u64], place: usize) {
        put(products, place, simd!(_mm512_castsi512_si128(self)));
        put(
            products,
            2 * QUARTER + place,
            simd!(_mm512_extracti64x2_epi64::<1>(self)),
        );
        put(
            products,
            4 * QUARTER + place,
            simd!(_mm512_extracti64x2_epi64::<2>(self)),
        );
        put(
            products,
            6 * QUARTER + place,
            simd!(_mm512_extracti64x2_epi64::<3>(self)),
        );
    }
}

#[inline(always)]
fn pair(words: &[u64], place: usize) -> __m128i {
    Pair::load(&words[place..])
}

#[inline(always)]
fn put(words: &mut [u64], place: usize, pair: __m128i) {
    pair.store(&mut words[place..]);
}

/// Defines a way to multiply: its vectors, and the instructions that they need.
macro_rules! carryless {
    ($(#[$doc:meta])* $name:ident, $vector:ty, $features:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name;

        impl Carryless for $name {
            #[inline(always)]
            fn block(self, out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
                #[target_feature(enable = $features)]
                fn compiled(out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
                    block::<$vector>(out, a, b, scratch);
                }
                simd!(compiled(out, a, b, scratch));
            }
            #[inline(always)]
            fn add_row(self, out: &mut [u64], x: u64, a: &[u64]) {
                pclmul::add_row::<__m128i>(out, x, a);
            }
        }
    };
}

carryless! {
    /// VPCLMULQDQ in the encoding of AVX2: two products at once.
    Vpclmul256, __m256i, "avx2,bmi1,bmi2,pclmulqdq,vpclmulqdq"
}
carryless! {
    /// VPCLMULQDQ with AVX-512: four products at once.
    Vpclmul512, __m512i, "avx2,bmi1,bmi2,pclmulqdq,avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq"
}

/// The words of a quarter of a block, and of each factor of its nine products.
pub(super) const QUARTER: usize = BLOCK / 4;
/// The number of factors, with room for the lanes that stay empty.
const FACTORS: usize = 12;

/// Multiplies blocks by two levels of Karatsuba over the quarters: nine products, several per
/// vector.
#[inline(always)]
pub(super) fn block<V: Wide>(
    out: &mut [V::Word],
    a: &[V::Word],
    b: &[V::Word],
    scratch: &mut [V::Word],
) {
    let (products, rest) = scratch.split_at_mut(FACTORS * 2 * QUARTER);
    let (factors_a, rest) = rest.split_at_mut(FACTORS * QUARTER);
    let (factors_b, _) = rest.split_at_mut(FACTORS * QUARTER);
    factors(factors_a, a);
    factors(factors_b, b);
    let (a, b) = (&*factors_a, &*factors_b);
    let lanes = a
        .chunks_exact(V::LANES * QUARTER)
        .zip(b.chunks_exact(V::LANES * QUARTER));
    for (products, (a, b)) in products
        .chunks_exact_mut(V::LANES * 2 * QUARTER)
        .zip(lanes)
        .take(9usize.div_ceil(V::LANES))
    {
        sixteen::<V>(products, a, b);
    }
    // For each product, the coefficients of x^(64 QUARTER) that it is added to.
    let places: [&[usize]; 9] = [
        &[0, 1, 2, 3],
        &[1, 2, 3, 4],
        &[2, 3, 4, 5],
        &[3, 4, 5, 6],
        &[1, 3],
        &[3, 5],
        &[2, 3],
        &[3, 4],
        &[3],
    ];
    out.fill(V::Word::ZERO);
    for (part, places) in products.chunks_exact(2 * QUARTER).zip(places) {
        for place in places {
            accumulate(&mut out[place * QUARTER..], part);
        }
    }
}

/// Computes the quarters, the sums 0 + 1, 2 + 3, 0 + 2, 1 + 3, and the sum of all; then zeros.
#[inline(always)]
fn factors<W: Word>(out: &mut [W], a: &[W]) {
    out[..BLOCK].copy_from_slice(a);
    for (to, one, other) in [(4, 0, 1), (5, 2, 3), (6, 0, 2), (7, 1, 3), (8, 4, 5)] {
        let (factors, sum) = out.split_at_mut(to * QUARTER);
        add(
            &mut sum[..QUARTER],
            &factors[one * QUARTER..][..QUARTER],
            &factors[other * QUARTER..][..QUARTER],
        );
    }
    out[9 * QUARTER..].fill(W::ZERO);
}

/// Multiplies sixteen words by sixteen in each lane, by Karatsuba.
#[inline(always)]
fn sixteen<V: Wide>(out: &mut [V::Word], a: &[V::Word], b: &[V::Word]) {
    let (low_a, high_a, sum_a) = halves::<V>(a);
    let (low_b, high_b, sum_b) = halves::<V>(b);
    let (low, high, middle) = (
        four_pairs(low_a, low_b),
        four_pairs(high_a, high_b),
        four_pairs(sum_a, sum_b),
    );
    for i in 0..4 {
        let inner = low[4 + i].xor(high[i]);
        low[i].scatter(out, 2 * i);
        inner.xor(middle[i]).xor(low[i]).scatter(out, 8 + 2 * i);
        inner
            .xor(middle[4 + i])
            .xor(high[4 + i])
            .scatter(out, 16 + 2 * i);
        high[4 + i].scatter(out, 24 + 2 * i);
    }
}

/// Returns the lower eight words of each number, the upper eight, and their sums.
#[inline(always)]
fn halves<V: Wide>(numbers: &[V::Word]) -> ([V; 4], [V; 4], [V; 4]) {
    let (mut low, mut high, mut sum) = ([V::zero(); 4], [V::zero(); 4], [V::zero(); 4]);
    for i in 0..4 {
        low[i] = V::gather(numbers, 2 * i);
        high[i] = V::gather(numbers, QUARTER / 2 + 2 * i);
        sum[i] = low[i].xor(high[i]);
    }
    (low, high, sum)
}
