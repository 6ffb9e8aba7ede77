//! X25519 by a ladder on four elements at a time (RFC 7748, section 5).

use x25519_inverse::{from_bytes, inverse, to_bytes};

use crate::{
    arch::{
        i8x16_swizzle, i16x8_add, i16x8_sub, i32x4_shuffle, u8x16, u8x16_splat, v128, v128_xor,
    },
    field::{self, BITS, Four, LIMBS, each_pair, products},
    row::{self, Factor},
};

/// Computes `X25519(k, u)`.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn multiply(k: &[u8; 32], u: &[u8; 32]) -> [u8; 32] {
    let mut scalar = *k;
    scalar[0] &= 248;
    scalar[31] = scalar[31] & 127 | 64;
    let points = ladder(&scalar, &from_bytes(u, BITS as usize));
    quotient(
        &points.limbs::<3>(),
        &to_bytes(points.limbs::<0>(), BITS as usize),
    )
}

/// Computes `x / z`, or 0 if `z` is 0.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn quotient(x: &[i64; LIMBS], z: &[u8; 32]) -> [u8; 32] {
    let inverse = from_bytes(&inverse(z), BITS as usize);
    let x = field::of([x, x, x, x]);
    to_bytes(
        row::product::<3>(&x, &factor(&inverse)).limbs::<0>(),
        BITS as usize,
    )
}

#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn factor(limbs: &[i64; LIMBS]) -> Factor {
    row::factor(&field::of([limbs, limbs, limbs, limbs]))
}

/// Computes z2, x3, z3 and x2 of RFC 7748. The scalar's last three bits are zero, so the points
/// end unswapped.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn ladder(scalar: &[u8; 32], u: &[i64; LIMBS]) -> Four {
    let x1 = factor(u);
    let zero = [0; LIMBS];
    let mut one = zero;
    one[0] = 1;
    let mut points = field::of([&zero, u, &one, &one]);
    let mut swapped = 0;
    for position in (0..255).rev() {
        let bit = scalar[position / 8] >> (position % 8) & 1;
        points = step(&points, &x1, bit ^ swapped);
        swapped = bit;
    }
    points
}

/// Computes a step. The names are those of RFC 7748. A point's two coordinates are one pair of
/// opposite words, so swapping the points means swapping the halves.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn step(points: &Four, x1: &Factor, swap: u8) -> Four {
    let places = u8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let places = v128_xor(places, u8x16_splat(swap << 3));
    let (mut f, mut g, mut e) = (*points, *points, *points);
    each_pair!(N => {
        let zxzx = i8x16_swizzle(points.0[N], places);
        let xzxz = opposite(zxzx);
        let (sums, differences) = (i16x8_add(zxzx, xzxz), i16x8_sub(xzxz, zxzx));
        // x + z and x - z of both points. a, c, d and -b times a, -b, a and -b.
        f.0[N] = i32x4_shuffle::<0, 1, 6, 7>(sums, differences);
        g.0[N] = i32x4_shuffle::<0, 3, 0, 3>(f.0[N], f.0[N]);
    });
    // aa, -cb, da and bb.
    let round = products(&f, &g);
    each_pair!(N => {
        let (squares, turned) = (round.0[N], opposite(round.0[N]));
        let (sums, differences) = (i16x8_add(squares, turned), i16x8_sub(squares, turned));
        e.0[N] = differences;
        // e, -(da + cb) and da - cb, and then aa times bb.
        let factors = i32x4_shuffle::<0, 1, 6, 7>(differences, sums);
        f.0[N] = i32x4_shuffle::<0, 1, 2, 7>(factors, turned);
        g.0[N] = i32x4_shuffle::<0, 1, 2, 7>(factors, squares);
    });
    // aa + a24 e, times e.
    let g = row::plus_a24(&round, &e).zip(&g, |sum, g| i32x4_shuffle::<0, 5, 6, 7>(sum, g));
    // z2, x3, (da - cb)^2 and x2.
    let round = products(&f, &g);
    // z3 = x1 (da - cb)^2.
    row::product::<2>(&round, x1).zip(&round, |z3, round| i32x4_shuffle::<4, 5, 2, 7>(z3, round))
}

/// Reverses the words.
#[inline]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
fn opposite(words: v128) -> v128 {
    i32x4_shuffle::<3, 2, 1, 0>(words, words)
}
