//! Products and squares with PCLMULQDQ.

use core::arch::x86_64::*;

use super::simd;
use crate::bike::multiply::{BLOCK, Carryless, Word, accumulate, add};

/// A vector of one or more pairs of words, of 128 bits each. In products, `WORDS` selects a word of
/// each pair (0x00 the low ones, 0x11 the high ones).
pub(super) trait Pairs: Copy {
    type Word: Word;
    fn xor(self, other: Self) -> Self;
    fn clmul<const WORDS: i32>(self, other: Self) -> Self;
    /// Joins the high word of `self` and the low word of `next`.
    fn join(self, next: Self) -> Self;
    /// Swaps the two words.
    #[inline(always)]
    fn swap(self) -> Self {
        self.join(self)
    }
    fn zero() -> Self;
}

/// A vector of one pair.
pub(super) trait Pair: Pairs {
    /// Loads the first two words.
    fn load(words: &[Self::Word]) -> Self;
    fn store(self, words: &mut [Self::Word]);
}

impl Pairs for __m128i {
    type Word = u64;

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        simd!(_mm_xor_si128(self, other))
    }
    #[inline(always)]
    fn clmul<const WORDS: i32>(self, other: Self) -> Self {
        simd!(_mm_clmulepi64_si128::<WORDS>(self, other))
    }
    #[inline(always)]
    fn join(self, next: Self) -> Self {
        simd!(_mm_alignr_epi8::<8>(next, self))
    }
    #[inline(always)]
    fn zero() -> Self {
        simd!(_mm_setzero_si128())
    }
}

impl Pair for __m128i {
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words: &[u64; 2] = words.first_chunk().expect("two words");
        simd!(_mm_loadu_si128(words.as_ptr().cast()))
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words: &mut [u64; 2] = words.first_chunk_mut().expect("two words");
        simd!(_mm_storeu_si128(words.as_mut_ptr().cast(), self));
    }
}

/// Multiplies four pairs of words by four. With `a = a_even(x^128) + x^64 a_odd(x^128)` this takes
/// the products of the even words, of the odd words, and of their sums, nine each.
#[inline(always)]
pub(super) fn four_pairs<V: Pairs>(a: [V; 4], b: [V; 4]) -> [V; 8] {
    let both = four_by_four::<V, 0x00>(&nine_sums(sums_of_words(a)), &nine_sums(sums_of_words(b)));
    let (a, b) = (nine_sums(a), nine_sums(b));
    let (even, odd) = (
        four_by_four::<V, 0x00>(&a, &b),
        four_by_four::<V, 0x11>(&a, &b),
    );
    // out[i] = even[i] + odd[i - 1] + the middle, whose coefficients belong to x^(128 i + 64).
    let mut out = [V::zero(); 8];
    let mut before = V::zero();
    for i in 0..7 {
        let middle = both[i].xor(even[i]).xor(odd[i]);
        out[i] = out[i].xor(even[i]).xor(before.join(middle));
        out[i + 1] = odd[i];
        before = middle;
    }
    out[7] = out[7].xor(before.join(V::zero()));
    out
}

/// Replaces both words of each pair by their sum.
#[inline(always)]
fn sums_of_words<V: Pairs>([a, b, c, d]: [V; 4]) -> [V; 4] {
    [
        a.xor(a.swap()),
        b.xor(b.swap()),
        c.xor(c.swap()),
        d.xor(d.swap()),
    ]
}

/// Returns the sums that Karatsuba's two levels multiply: 0, 1, 2, 3, 01, 23, 02, 13, 0123.
#[inline(always)]
fn nine_sums<V: Pairs>([a, b, c, d]: [V; 4]) -> [V; 9] {
    let (ab, cd) = (a.xor(b), c.xor(d));
    [a, b, c, d, ab, cd, a.xor(c), b.xor(d), ab.xor(cd)]
}

/// Multiplies one word of each pair, four by four, with nine products.
#[inline(always)]
fn four_by_four<V: Pairs, const WORDS: i32>(a: &[V; 9], b: &[V; 9]) -> [V; 7] {
    let mut p = [V::zero(); 9];
    for i in 0..9 {
        p[i] = a[i].clmul::<WORDS>(b[i]);
    }
    let (low, high) = (p[4].xor(p[0]).xor(p[1]), p[5].xor(p[2]).xor(p[3]));
    let (middle, inner) = (p[8].xor(p[6]).xor(p[7]), p[1].xor(p[2]));
    [
        p[0],
        low,
        inner.xor(p[6]).xor(p[0]),
        middle.xor(low).xor(high),
        inner.xor(p[7]).xor(p[3]),
        high,
        p[3],
    ]
}

/// Computes `out = a * b` for 8 words.
#[inline(always)]
pub(super) fn eight<V: Pair>(out: &mut [V::Word], a: &[V::Word], b: &[V::Word]) {
    for (out, part) in out
        .chunks_exact_mut(2)
        .zip(four_pairs(load_four::<V>(a), load_four::<V>(b)))
    {
        part.store(out);
    }
}

#[inline(always)]
fn load_four<V: Pair>(words: &[V::Word]) -> [V; 4] {
    [
        V::load(words),
        V::load(&words[2..]),
        V::load(&words[4..]),
        V::load(&words[6..]),
    ]
}

/// Computes `out += x * a`, where `out` has one word more.
#[inline(always)]
pub(super) fn add_row<V: Pair>(out: &mut [V::Word], x: V::Word, a: &[V::Word]) {
    let x = V::load(&[x, V::Word::ZERO]);
    let mut carry = V::zero();
    let (words, last) = a.as_chunks::<2>();
    for (out, a) in out.chunks_exact_mut(2).zip(words) {
        let a = V::load(a);
        let (low, high) = (a.clmul::<0x00>(x), a.clmul::<0x01>(x));
        let sum = V::load(out).xor(low).xor(carry).xor(V::zero().join(high));
        sum.store(out);
        carry = high.join(V::zero());
    }
    let mut rest = [V::Word::ZERO; 2];
    last.first()
        .map_or(carry, |a| {
            V::load(&[*a, V::Word::ZERO]).clmul::<0x00>(x).xor(carry)
        })
        .store(&mut rest);
    accumulate(&mut out[2 * words.len()..], &rest);
}

/// Computes `out = a^2`.
#[inline(always)]
pub(super) fn square<V: Pair>(out: &mut [V::Word], a: &[V::Word]) {
    for (out, a) in out.chunks_exact_mut(4).zip(a.chunks_exact(2)) {
        let a = V::load(a);
        a.clmul::<0x00>(a).store(out);
        a.clmul::<0x11>(a).store(&mut out[2..]);
    }
}

/// Defines Karatsuba from 8 words to [`BLOCK`]. Each level is a separate function, so that its code
/// exists once.
macro_rules! carryless {
    ($(#[$doc:meta])* $name:ident, $module:ident, $features:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name;

        impl Carryless for $name {
            #[inline(always)]
            fn block(self, out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
                simd!($module::block(out, a, b, scratch));
            }
            #[inline(always)]
            fn add_row(self, out: &mut [u64], x: u64, a: &[u64]) {
                add_row::<__m128i>(out, x, a);
            }
        }

        mod $module {
            use super::*;

            #[target_feature(enable = $features)]
            pub(super) fn block(out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
                two_way::<{ BLOCK / 2 }, u64>(out, a, b, scratch, |out, a, b, s| thirty_two(out, a, b, s));
            }
            #[target_feature(enable = $features)]
            fn thirty_two(out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
                two_way::<16, u64>(out, a, b, scratch, |out, a, b, s| sixteen(out, a, b, s));
            }
            #[target_feature(enable = $features)]
            fn sixteen(out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
                two_way::<8, u64>(out, a, b, scratch, |out, a, b, _| eight::<__m128i>(out, a, b));
            }
        }
    };
}

carryless! {
    /// PCLMULQDQ, with AVX2 for the sums.
    Avx2, avx2, "avx2,bmi1,bmi2,pclmulqdq"
}
carryless! {
    /// PCLMULQDQ, with AVX-512 for the sums.
    Avx512, avx512, "avx2,bmi1,bmi2,pclmulqdq,avx512f,avx512bw,avx512dq,avx512vl"
}

/// Runs Karatsuba on halves of `N` words.
#[inline(always)]
pub(super) fn two_way<const N: usize, W: Word>(
    out: &mut [W],
    a: &[W],
    b: &[W],
    scratch: &mut [W],
    multiply: impl Fn(&mut [W], &[W], &[W], &mut [W]),
) {
    let ((a0, a1), (b0, b1)) = (a[..2 * N].split_at(N), b[..2 * N].split_at(N));
    let (sums, rest) = scratch.split_at_mut(2 * N);
    let (middle, rest) = rest.split_at_mut(2 * N);
    let (sum_a, sum_b) = sums.split_at_mut(N);
    add(sum_a, a0, a1);
    add(sum_b, b0, b1);
    multiply(middle, sum_a, sum_b, rest);
    let (low, high) = out[..4 * N].split_at_mut(2 * N);
    multiply(low, a0, b0, rest);
    multiply(high, a1, b1, rest);
    let ((low0, low1), (high0, high1)) = (low.split_at_mut(N), high.split_at_mut(N));
    for i in 0..N {
        let inner = low1[i] ^ high0[i];
        low1[i] = inner ^ middle[i] ^ low0[i];
        high0[i] = inner ^ middle[N + i] ^ high1[i];
    }
}
