//! WebAssembly with vectors of 128 bits (simd128).
//!
//! It has no carry-less multiplication, but it has products of 32 bits by 32 that keep all 64 bits.
//! So words need no reversal here, and Karatsuba has three phases: sums of words until each factor
//! is one word, all products of words four at a time, and the sums of those. The runs that are
//! added grow as the words of a number shrink, which suits vectors.

use core::arch::wasm32::*;

use super::Kernels;
use crate::bike::{
    Params, counters,
    lanes::Lanes,
    masks::mask,
    multiply::{self, BLOCK, Carryless},
    permute, words,
};

/// Compiles a kernel of another module for vectors.
macro_rules! compiled {
    ($call:expr, $($name:ident: $type:ty),*) => {
        |$($name),*| {
            #[target_feature(enable = "simd128")]
            fn compiled($($name: $type),*) {
                $call
            }
            compiled($($name),*);
        }
    };
}

pub(crate) static SIMD128: Kernels = Kernels {
    multiply: compiled!(
        multiply::multiply(Integers, p, out, a, b, scratch),
        p: &Params, out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]
    ),
    // Vectors gain nothing here.
    square: super::portable::square,
    k_square: permute::k_square,
    set_bits: compiled!(
        words::set_bits::<Lanes128, 4>(out, indices, start),
        out: &mut [u64], indices: &[u32], start: u32
    ),
    counters: compiled!(
        counters::counters::<Lanes128>(p, slices, repeated, wlist, scratch),
        p: &Params, slices: &mut [u64], repeated: &[u64], wlist: &[u32], scratch: &mut [u64]
    ),
    at_least: compiled!(
        counters::at_least::<Lanes128>(p, out, slices, threshold),
        p: &Params, out: &mut [u64], slices: &[u64], threshold: u64
    ),
    // As in `portable`.
    keccak: None,
};

/// A vector of the decoder.
#[derive(Clone, Copy)]
struct Lanes128(v128);

/// A shift by zero or one word, as a mask, and by bits. A shift by no bits becomes a shift to the
/// left by 63 and then by 1.
#[derive(Clone, Copy)]
struct Shift128 {
    word: v128,
    right: u32,
}

impl Lanes for Lanes128 {
    const WORDS: usize = 2;
    type Shift = Shift128;

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words: &[u64; 2] = words.first_chunk().expect("a vector");
        // SAFETY: there are two words to load from, and a load may be unaligned.
        Self(unsafe { v128_load(words.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words: &mut [u64; 2] = words.first_chunk_mut().expect("a vector");
        // SAFETY: there are two words to store to, and a store may be unaligned.
        unsafe { v128_store(words.as_mut_ptr().cast(), self.0) };
    }
    #[inline(always)]
    fn splat(word: u64) -> Self {
        Self(u64x2_splat(word))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(v128_xor(self.0, other.0))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(v128_and(self.0, other.0))
    }
    #[inline(always)]
    fn select(self, mask: Self, other: Self) -> Self {
        Self(v128_bitselect(self.0, other.0, mask.0))
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        Self(i64x2_eq(self.0, other.0))
    }
    #[inline(always)]
    fn shift(amount: u32) -> Shift128 {
        Shift128 {
            word: u64x2_splat(mask(u64::from(amount >> 6 & 1))),
            right: amount & 63,
        }
    }
    #[inline(always)]
    fn funnel(self, next: Self, shift: Shift128) -> Self {
        let across = i64x2_shuffle::<1, 2>(self.0, next.0);
        let low = v128_bitselect(across, self.0, shift.word);
        let high = v128_bitselect(next.0, across, shift.word);
        Self(v128_or(
            u64x2_shr(low, shift.right),
            u64x2_shl(u64x2_shl(high, 1), 63 - shift.right),
        ))
    }
}

/// Carry-less products from integer multiplications, as in `portable`, but of 32 bits by 32.
#[derive(Clone, Copy)]
struct Integers;

impl Carryless for Integers {
    #[inline(always)]
    fn block(self, out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
        block(out, a, b, scratch);
    }

    #[inline(always)]
    fn add_row(self, out: &mut [u64], x: u64, a: &[u64]) {
        add_row(out, x, a);
    }
}

/// The levels of Karatsuba in a block, and the products of words that result. One more product, of
/// zeros, completes the last vector.
const LEVELS: u32 = BLOCK.ilog2();
const PRODUCTS: usize = 3usize.pow(LEVELS) + 1;

/// The space that [`block`] needs: the factors of both numbers, the products' low and high words,
/// and room for all levels except the last.
const _: () = assert!(multiply::BLOCK_SCRATCH >= 6 * PRODUCTS);

#[inline(never)]
#[target_feature(enable = "simd128")]
fn block(out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
    let (factors_a, rest) = scratch.split_at_mut(PRODUCTS);
    let (factors_b, rest) = rest.split_at_mut(PRODUCTS);
    let (products, rest) = rest.split_at_mut(2 * PRODUCTS);
    factors(factors_a, a, rest);
    factors(factors_b, b, rest);
    let (low, high) = products.split_at_mut(PRODUCTS);
    let factors = factors_a.chunks_exact(2).zip(factors_b.chunks_exact(2));
    for ((low, high), (a, b)) in low
        .chunks_exact_mut(2)
        .zip(high.chunks_exact_mut(2))
        .zip(factors)
    {
        let product = two_products(Lanes128::load(a).0, Lanes128::load(b).0);
        Lanes128(product.0).store(low);
        Lanes128(product.1).store(high);
    }
    sum_products(out, products, rest);
}

/// Computes the factors of the products of words. Each level halves `runs` numbers, whose words
/// with the same index are side by side: first all lower halves, then all upper ones, then their
/// sums.
#[inline(always)]
fn factors(out: &mut [u64], a: &[u64], scratch: &mut [u64]) {
    let (mut from, mut to) = (out, scratch);
    from[..BLOCK].copy_from_slice(a);
    for level in 0..LEVELS {
        let (runs, half) = (3usize.pow(level), BLOCK >> (level + 1));
        let (lower, upper) = from.split_at(half * runs);
        let numbers = lower.chunks_exact(runs).zip(upper.chunks_exact(runs));
        for (to, (lower, upper)) in to.chunks_exact_mut(3 * runs).zip(numbers) {
            let (halves, sum) = to.split_at_mut(2 * runs);
            halves[..runs].copy_from_slice(lower);
            halves[runs..].copy_from_slice(upper);
            multiply::add(sum, lower, upper);
        }
        (from, to) = (to, from);
    }
    // With an even number of levels the factors end up in `out`.
    const { assert!(LEVELS.is_multiple_of(2)) };
    from[PRODUCTS - 1] = 0;
}

/// Reverses `factors` for products, which have twice the words.
#[inline(always)]
fn sum_products(out: &mut [u64], products: &mut [u64], scratch: &mut [u64]) {
    let (mut from, mut to, mut stride) = (products, scratch, PRODUCTS);
    for level in (0..LEVELS).rev() {
        let (runs, half) = (3usize.pow(level), BLOCK >> (level + 1));
        for i in 0..half {
            let (first, second) = (
                &from[i * stride..][..3 * runs],
                &from[(i + half) * stride..][..3 * runs],
            );
            sum_run(&mut to[i * runs..], half * runs, first, second, runs);
        }
        (from, to, stride) = (to, from, runs);
    }
    out.copy_from_slice(&from[..2 * BLOCK]);
}

/// Computes Karatsuba's sums for one word of the lower half of products and the same word of the
/// upper half.
#[inline(always)]
fn sum_run(to: &mut [u64], quarter: usize, first: &[u64], second: &[u64], runs: usize) {
    let (to0, rest) = to.split_at_mut(quarter);
    let (to1, rest) = rest.split_at_mut(quarter);
    let (to2, to3) = rest.split_at_mut(quarter);
    let (to0, to1, to2, to3) = (
        &mut to0[..runs],
        &mut to1[..runs],
        &mut to2[..runs],
        &mut to3[..runs],
    );
    let ([low0, high0, sum0], [low1, high1, sum1]) = (thirds(first, runs), thirds(second, runs));
    for i in 0..runs {
        let inner = low1[i] ^ high0[i];
        to0[i] = low0[i];
        to1[i] = inner ^ low0[i] ^ sum0[i];
        to2[i] = inner ^ high1[i] ^ sum1[i];
        to3[i] = high1[i];
    }
}

#[inline(always)]
fn thirds(words: &[u64], n: usize) -> [&[u64]; 3] {
    [&words[..n], &words[n..2 * n], &words[2 * n..3 * n]]
}

/// Computes `out += x * a`, where `out` has one word more.
#[inline(never)]
#[target_feature(enable = "simd128")]
fn add_row(out: &mut [u64], x: u64, a: &[u64]) {
    for (i, a) in a.chunks(2).enumerate() {
        let (low, high) = two_products(u64x2_splat(x), u64x2(a[0], a.get(1).copied().unwrap_or(0)));
        let middle = u64x2_extract_lane::<1>(low) ^ u64x2_extract_lane::<0>(high);
        let words = [
            u64x2_extract_lane::<0>(low),
            middle,
            u64x2_extract_lane::<1>(high),
        ];
        out[2 * i..]
            .iter_mut()
            .zip(words)
            .for_each(|(out, word)| *out ^= word);
    }
}

/// Multiplies two words by two, and returns the low and the high words of the products. Each word
/// is cut in halves, for three products by Karatsuba.
#[inline(always)]
fn two_products(a: v128, b: v128) -> (v128, v128) {
    let (sum_a, sum_b) = (v128_xor(a, u64x2_shr(a, 32)), v128_xor(b, u64x2_shr(b, 32)));
    // The sums of both words side by side.
    let (sum_a, sum_b) = (
        i32x4_shuffle::<0, 2, 0, 2>(sum_a, sum_a),
        i32x4_shuffle::<0, 2, 0, 2>(sum_b, sum_b),
    );
    let [first, second] = products_of_halves(a, b);
    let [sums, _] = products_of_halves(sum_a, sum_b);
    let (low, high) = (
        i64x2_shuffle::<0, 2>(first, second),
        i64x2_shuffle::<1, 3>(first, second),
    );
    let middle = v128_xor(sums, v128_xor(low, high));
    (
        v128_xor(low, u64x2_shl(middle, 32)),
        v128_xor(high, u64x2_shr(middle, 32)),
    )
}

/// Multiplies each 32 bits of one vector by those of another: the first two, and the last two.
///
/// With three zeros between the bits of a factor, at most 8 ones meet in a place, so no carry
/// reaches the next bit that is kept.
#[inline(always)]
fn products_of_halves(a: v128, b: v128) -> [v128; 2] {
    let (a, b) = (every_fourth_bit(a), every_fourth_bit(b));
    /// Computes every fourth bit of the products from bit `$k` on, with one instruction per
    /// product.
    macro_rules! kept {
        ($product:ident, $k:literal: $($i:literal $j:literal),*) => {{
            let mut sum = u64x2_splat(0);
            $(sum = v128_xor(sum, $product(a[$i], b[$j]));)*
            v128_and(sum, u64x2_splat(0x1111_1111_1111_1111 << $k))
        }};
    }
    macro_rules! all {
        ($product:ident) => {
            v128_or(
                v128_or(kept!($product, 0: 0 0, 1 3, 2 2, 3 1), kept!($product, 1: 0 1, 1 0, 2 3, 3 2)),
                v128_or(kept!($product, 2: 0 2, 1 1, 2 0, 3 3), kept!($product, 3: 0 3, 1 2, 2 1, 3 0)),
            )
        };
    }
    [all!(u64x2_extmul_low_u32x4), all!(u64x2_extmul_high_u32x4)]
}

/// Returns every fourth bit, starting at bits 0, 1, 2 and 3.
#[inline(always)]
fn every_fourth_bit(a: v128) -> [v128; 4] {
    [
        v128_and(a, u32x4_splat(0x1111_1111)),
        v128_and(a, u32x4_splat(0x2222_2222)),
        v128_and(a, u32x4_splat(0x4444_4444)),
        v128_and(a, u32x4_splat(0x8888_8888)),
    ]
}
