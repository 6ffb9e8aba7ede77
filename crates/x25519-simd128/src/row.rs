//! One element, its limbs side by side: the product with a constant number, and carrying.

use crate::arch::{
    i8x16, i8x16_swizzle, i16x8_narrow_i32x4, i16x8_splat, i16x8_sub, i32x4_add, i32x4_dot_i16x8,
    i32x4_extend_low_i16x8, i32x4_mul, i32x4_shuffle, i32x4_splat, i64x2_shuffle, v128,
};

use crate::field::{
    BITS, CARRIED, FOLD, Four, HALF, LIMBS, PAIRS, SUM, each, each_pair, high, low,
};

/// The limbs or columns of an element, four per vector.
pub(crate) type Row = [v128; LIMBS / 4];

/// (486662 - 2) / 4, the constant of the ladder (RFC 7748, section 5).
const A24: i32 = 121_665;

/// Runs the body for each vector of a row.
macro_rules! each_vector {
    ($i:ident => $body:block) => { each!($i in [0 1 2 3 4] => $body) };
}

/// The bounds that the comments rely on.
const BOUNDS: () = {
    // The columns that `carried` takes: of a product with decoded limbs, including the folded
    // columns from 20 on, and of `plus_a24`.
    let product = LIMBS as i64 * (CARRIED << BITS);
    let folded = FOLD as i64 * ((1 << BITS) + (product >> BITS) + 1);
    let scaled = CARRIED + A24 as i64 * SUM;
    let column = if product + folded > scaled {
        product + folded
    } else {
        scaled
    };
    let carry = (column >> BITS) + 1;
    assert!(column + FOLD as i64 * carry < 1 << 31);
    // The limbs after the first round, and the carries of the second. Limb 0 also has the carry of
    // limb 19.
    let limb = (1 << BITS) + ((column + FOLD as i64 * carry) >> BITS) + 1 + HALF as i64;
    let carry = (limb >> BITS) + 1;
    assert!(((limb + FOLD as i64 * carry) >> BITS) + 1 < CARRIED - HALF as i64);
};

/// A factor: vector `n` has the limbs from `2 n - 2` to `2 n + 1`, each with the limb below as its
/// other half.
pub(crate) struct Factor([v128; PAIRS + 2]);

/// Makes a factor from element 0 of these, with decoded limbs.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn factor(g: &Four) -> Factor {
    let limbs = |n: usize| i32x4_shuffle::<0, 4, 1, 5>(g.0[n], g.0[n + 1]);
    let eight = |n: usize| i64x2_shuffle::<0, 2>(limbs(n), limbs(n + 2));
    let zero = i32x4_splat(0);
    let last = i64x2_shuffle::<0, 2>(limbs(8), zero);
    // Of eight limbs those from -3, -1, 1 or 3 on; -1 means zero.
    let from_minus_3 = i8x16(-1, -1, -1, -1, -1, -1, -1, -1, 0, 1, -1, -1, 2, 3, 0, 1);
    let from_minus_1 = i8x16(0, 1, -1, -1, 2, 3, 0, 1, 4, 5, 2, 3, 6, 7, 4, 5);
    let from_1 = i8x16(4, 5, 2, 3, 6, 7, 4, 5, 8, 9, 6, 7, 10, 11, 8, 9);
    let from_3 = i8x16(8, 9, 6, 7, 10, 11, 8, 9, 12, 13, 10, 11, 14, 15, 12, 13);
    let mut windows = [zero; PAIRS + 2];
    windows[0] = i8x16_swizzle(eight(0), from_minus_3);
    windows[1] = i8x16_swizzle(eight(0), from_minus_1);
    for (n, limbs) in [eight(0), eight(2), eight(4), eight(6), last]
        .into_iter()
        .enumerate()
    {
        windows[2 * n + 2] = i8x16_swizzle(limbs, from_1);
        windows[2 * n + 3] = i8x16_swizzle(limbs, from_3);
    }
    Factor(windows)
}

/// Multiplies element `I` of these, with carried limbs, by the factor. Returns the product four
/// times.
#[inline]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn product<const I: usize>(f: &Four, g: &Factor) -> Four {
    const { BOUNDS };
    let f = f.zip(f, |f, _| i32x4_shuffle::<I, I, I, I>(f, f)).0;
    let mut h = [i32x4_splat(0); PAIRS];
    // Columns 4 K to 4 K + 3.
    each_pair!(K => {
        each_pair!(M => {
            const WINDOW: Option<usize> = (2 * K + 1).checked_sub(M);
            if let Some(window) = WINDOW && window < PAIRS + 2 {
                h[K] = i32x4_add(h[K], i32x4_dot_i16x8(f[M], g.0[window]));
            }
        });
    });
    let [h0, h1, h2, h3, h4, above @ ..] = h;
    carried(plus_times([h0, h1, h2, h3, h4], to_the_next(above), FOLD))
}

/// Computes `aa + A24 e` of elements 0. Returns the sum four times.
#[inline]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn plus_a24(aa: &Four, e: &Four) -> Four {
    carried(plus_times(row(aa), row(e), A24))
}

/// Returns the limbs of element 0.
#[inline]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
fn row(Four(pairs): &Four) -> Row {
    let mut row = [i32x4_splat(0); LIMBS / 4];
    each_vector!(N => {
        row[N] = i32x4_extend_low_i16x8(i32x4_shuffle::<0, 4, 1, 5>(pairs[2 * N], pairs[2 * N + 1]));
    });
    row
}

/// Computes `f + times * g`.
#[inline]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
fn plus_times(mut f: Row, g: Row, times: i32) -> Row {
    each_vector!(N => { f[N] = i32x4_add(f[N], i32x4_mul(g[N], i32x4_splat(times))); });
    f
}

/// Carries columns to an element. Returns it four times.
#[inline]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
fn carried(columns: Row) -> Four {
    let mut h = to_the_next(folded(columns));
    each_vector!(N => { h[N] = i32x4_add(h[N], i32x4_splat(i32::from(HALF))); });
    let [h0, h1, h2, h3, h4] = to_the_next(folded(h));
    let eight = |a, b| i16x8_sub(i16x8_narrow_i32x4(a, b), i16x8_splat(HALF));
    let [a, b, c] = [eight(h0, h1), eight(h2, h3), eight(h4, h4)];
    let everywhere = |pairs| {
        [
            i32x4_shuffle::<0, 0, 0, 0>(pairs, pairs),
            i32x4_shuffle::<1, 1, 1, 1>(pairs, pairs),
            i32x4_shuffle::<2, 2, 2, 2>(pairs, pairs),
            i32x4_shuffle::<3, 3, 3, 3>(pairs, pairs),
        ]
    };
    let ([p0, p1, p2, p3], [p4, p5, p6, p7], [p8, p9, ..]) =
        (everywhere(a), everywhere(b), everywhere(c));
    Four([p0, p1, p2, p3, p4, p5, p6, p7, p8, p9])
}

/// Adds the carry of column 19 to column 0.
#[inline]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
fn folded(mut h: Row) -> Row {
    let carry = i32x4_shuffle::<3, 4, 5, 6>(high(h[4]), i32x4_splat(0));
    h[0] = i32x4_add(h[0], i32x4_mul(carry, i32x4_splat(FOLD)));
    h
}

/// Carries once from each column to the one after it.
#[inline]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
fn to_the_next(mut h: Row) -> Row {
    let mut carries = [i32x4_splat(0); LIMBS / 4 + 1];
    each_vector!(N => {
        carries[N + 1] = high(h[N]);
        h[N] = i32x4_add(low(h[N]), i32x4_shuffle::<3, 4, 5, 6>(carries[N], carries[N + 1]));
    });
    h
}
