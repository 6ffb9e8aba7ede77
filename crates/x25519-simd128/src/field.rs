//! Arithmetic modulo p = 2^255 - 19 on four elements at once.
//!
//! An element is twenty limbs of 13 bits, of either sign; limb `i` has weight `2^(13 i)`.
//! WebAssembly has a product of 16 bits by 16 that adds two neighbours: `i32x4.dot_i16x8`. It is
//! one instruction on x86-64, where products of 32 bits by 32 are three. So a vector holds two
//! limbs of four elements, and bits beyond limb 19 are folded 608 times, since 2^260 is 608 modulo
//! p.
//!
//! Limits of limbs in absolute value:
//!
//! | name | limit | comes from |
//! |---|---|---|
//! | carried | 2^12 + 32 | [`products`], `carried` of [`row`](crate::row) |
//! | sum | 2^13 + 64 | sums and differences of two carried |
//! | decoded | 2^13 | bytes |
//!
//! Products take sums, which include decoded limbs, and return carried limbs. See [`BOUNDS`].

use crate::arch::{
    i16x8_shuffle, i16x8_splat, i16x8_sub, i32x4, i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane,
    i32x4_mul, i32x4_shl, i32x4_shr, i32x4_splat, v128, v128_and,
};

pub(crate) const LIMBS: usize = 20;
/// The number of vectors of an element, each of two limbs.
pub(crate) const PAIRS: usize = LIMBS / 2;
/// The number of bits of a limb.
pub(crate) const BITS: u32 = 13;
/// The value of 2^260 modulo p.
pub(crate) const FOLD: i32 = 608;
/// Half a limb. Added before a carry and then subtracted again, it makes the rest lie between -2^12
/// and 2^12 - 1.
pub(crate) const HALF: i16 = 1 << (BITS - 1);

pub(crate) const CARRIED: i64 = (1 << 12) + 32;
pub(crate) const SUM: i64 = 2 * CARRIED;

/// Four elements: vector `n` has limbs `2 n` and `2 n + 1` of element `i` as the low and the high
/// half of its word `i`.
#[derive(Clone, Copy)]
pub(crate) struct Four(pub(crate) [v128; PAIRS]);

/// The bounds that the comments rely on.
const BOUNDS: () = {
    // A factor has 16 bits, a column 32: twenty products, the carry of a column that is not twice
    // as large, and the folded columns from 20 on.
    assert!(SUM < 1 << 15 && 1 << BITS <= SUM);
    let column = LIMBS as i64 * SUM * SUM;
    let carry = (2 * column) >> BITS;
    // Column 39 is the carry of column 38, which is one product and a carry.
    let last = ((SUM * SUM + carry) >> BITS) + 1;
    let folded = FOLD as i64 * if last > 1 << BITS { last } else { 1 << BITS };
    assert!(column + carry + folded + (HALF as i64) < 1 << 31);
    // At the end the carry of column 19 is added to limb 0, then carried to limbs 1 and 2.
    let first = (((1 << BITS) + FOLD as i64 * carry) >> BITS) + 1;
    assert!(FOLD as i64 * carry < 1 << 30 && (((1 << BITS) + first) >> BITS) < 32);
};

/// Runs the body for each number of the list: `I` is a constant in it.
macro_rules! each {
    ($i:ident in [$($n:literal)*] => $body:block) => { $({ const $i: usize = $n; $body })* };
}
/// Runs the body for each vector of an element.
macro_rules! each_pair {
    ($i:ident => $body:block) => { $crate::field::each!($i in [0 1 2 3 4 5 6 7 8 9] => $body) };
}
pub(crate) use {each, each_pair};

/// Makes four elements from these limbs.
#[expect(clippy::cast_possible_truncation, reason = "limbs have 16 bits")]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn of(elements: [&[i64; LIMBS]; 4]) -> Four {
    let mut vectors = [i32x4_splat(0); PAIRS];
    for (n, vector) in vectors.iter_mut().enumerate() {
        let [a, b, c, d] =
            elements.map(|limbs| (limbs[2 * n] & 0xffff | limbs[2 * n + 1] << 16) as i32);
        *vector = i32x4(a, b, c, d);
    }
    Four(vectors)
}

impl Four {
    /// Returns the limbs of element `I`.
    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    pub(crate) fn limbs<const I: usize>(&self) -> [i64; LIMBS] {
        let mut limbs = [0; LIMBS];
        for (limbs, vector) in limbs.chunks_exact_mut(2).zip(self.0) {
            let pair = i32x4_extract_lane::<I>(vector);
            (limbs[0], limbs[1]) = (i64::from(pair << 16 >> 16), i64::from(pair >> 16));
        }
        limbs
    }

    /// Applies an operation to the vectors of both, one pair of limbs after the other.
    #[inline]
    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    pub(crate) fn zip(&self, other: &Self, operation: impl Fn(v128, v128) -> v128) -> Self {
        let mut result = *self;
        each_pair!(N => { result.0[N] = operation(self.0[N], other.0[N]); });
        result
    }
}

/// Computes all four products.
///
/// Columns from 20 on come first, each with the carry of the previous one. Their lowest 13 bits are
/// added to columns 0 to 19, 608 times.
#[inline(never)]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn products(f: &Four, g: &Four) -> Four {
    const { BOUNDS };
    let (f, g) = (f.0, descending(g));
    /// The products of column `K`, added to the start.
    macro_rules! column {
        ($k:ident, $start:expr) => {{
            let mut h = $start;
            each_pair!(M => {
                const OTHER: Option<usize> = $k.checked_sub(2 * M);
                if let Some(other) = OTHER && other <= LIMBS {
                    h = i32x4_add(h, i32x4_dot_i16x8(f[M], g[other]));
                }
            });
            h
        }};
    }
    let mut h = [i32x4_splat(0); LIMBS];
    let mut carry = i32x4_splat(0);
    each!(K in [20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38] => {
        let column = column!(K, carry);
        h[K - LIMBS] = i32x4_dot_i16x8(low(column), i32x4_splat(FOLD));
        carry = high(column);
    });
    h[LIMBS - 1] = i32x4_mul(carry, i32x4_splat(FOLD));
    carry = i32x4_splat(0);
    each!(K in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19] => {
        let column = i32x4_add(i32x4_add(column!(K, h[K]), carry), i32x4_splat(i32::from(HALF)));
        h[K] = low(column);
        carry = high(column);
    });
    h[0] = i32x4_add(h[0], i32x4_mul(carry, i32x4_splat(FOLD)));
    each!(K in [0 1] => {
        carry = high(h[K]);
        h[K] = low(h[K]);
        h[K + 1] = i32x4_add(h[K + 1], carry);
    });
    packed(&h)
}

/// Returns vectors in which vector `c` has limb `c` and, as its other half, limb `c - 1`. Column
/// `k` pairs it with limbs `m` and `m + 1`, where `c = k - m`.
#[inline]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
fn descending(Four(g): &Four) -> [v128; LIMBS + 1] {
    let zero = i32x4_splat(0);
    let mut limbs = [zero; LIMBS + 1];
    limbs[0] = halves(g[0], zero);
    limbs[LIMBS] = halves(zero, g[PAIRS - 1]);
    each_pair!(N => {
        limbs[2 * N + 1] = i16x8_shuffle::<1, 0, 3, 2, 5, 4, 7, 6>(g[N], g[N]);
        if N + 1 < PAIRS {
            limbs[2 * N + 2] = halves(g[(N + 1) % PAIRS], g[N]);
        }
    });
    limbs
}

/// Packs limbs to which [`HALF`] was added.
#[inline]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
fn packed(limbs: &[v128; LIMBS]) -> Four {
    let mut pairs = [i32x4_splat(0); PAIRS];
    each_pair!(N => {
        let pair = halves(limbs[2 * N], i32x4_shl(limbs[2 * N + 1], 16));
        pairs[N] = i16x8_sub(pair, i16x8_splat(HALF));
    });
    Four(pairs)
}

/// Combines the low halves of the first and the high ones of the second.
#[inline]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
fn halves(a: v128, b: v128) -> v128 {
    i16x8_shuffle::<0, 9, 2, 11, 4, 13, 6, 15>(a, b)
}

/// Returns the bits that remain in a limb.
#[inline]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn low(column: v128) -> v128 {
    v128_and(column, i32x4_splat((1 << BITS) - 1))
}

/// Returns the carry to the next limb.
#[inline]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn high(column: v128) -> v128 {
    i32x4_shr(column, BITS)
}
