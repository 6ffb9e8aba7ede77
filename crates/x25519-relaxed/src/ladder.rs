//! The Montgomery ladder of RFC 7748, section 5, two elements at a time.
//!
//! With A = x2 + z2, B = x2 - z2, C = x3 + z3 and D = x3 - z3, the points are two pairs, (C, A) and
//! (D, B). A step is five products of pairs: D A and A^2, C B and B^2; then both new x, (D A - C
//! B)^2 and a24 E; and from these and the point, both new z. Choosing A or C, and B or D, in the
//! second places determines which point is doubled.

use x25519_inverse::{from_bytes, to_bytes};

use crate::{
    arch::{
        f64x2, f64x2_sub, i8x16, i8x16_relaxed_swizzle, i64x2, i64x2_add, i64x2_shuffle, i64x2_sub,
        v128, v128_and, v128_andnot, v128_or, v128_xor,
    },
    field::{BITS, Constants, LIMBS, Pair},
};

/// Computes the numerator and the denominator of `X25519(k, u)`.
pub(crate) fn fraction(mut k: [u8; 32], u: &[u8; 32]) -> [[u8; 32]; 2] {
    k[0] &= 248;
    k[31] = k[31] & 127 | 64;
    let points = ladder(Constants::get(), &k, &from_bytes(u, BITS as usize));
    // Twice x2 and twice z2.
    let (sum, difference) = (points.sums.second(), points.differences.second());
    let [x, z] =
        [1, -1].map(|sign| core::array::from_fn::<_, LIMBS, _>(|i| sum[i] + sign * difference[i]));
    [x, z].map(|element| to_bytes(element, BITS as usize))
}

/// The pairs (x3 + z3, x2 + z2) and (x3 - z3, x2 - z2).
pub(crate) struct Points {
    pub(crate) sums: Pair,
    pub(crate) differences: Pair,
}

/// Runs the ladder. The scalar's last three bits are zero, so the points end unswapped.
fn ladder(constants: &Constants, scalar: &[u8; 32], u: &[i64; LIMBS]) -> Points {
    let one = [1, 0, 0, 0, 0];
    let [mut above, mut below] = [*u; 2];
    above[0] += 1;
    below[0] -= 1;
    let mut points = Points {
        sums: Pair::of(constants, [&above, &one]),
        differences: Pair::of(constants, [&below, &one]),
    };
    let x1 = Pair::of(constants, [u, u]);
    let mut swapped = 0;
    for position in (0..255).rev() {
        let bit = scalar[position / 8] >> (position % 8) & 1;
        points = step(constants, &points, &x1, bit ^ swapped);
        swapped = bit;
    }
    points
}

/// Computes a step. The names are those of RFC 7748, and `s` and `d` are sum and difference of DA
/// and CB.
#[inline(always)]
pub(crate) fn step(
    k: &Constants,
    Points { sums, differences }: &Points,
    x1: &Pair,
    swap: u8,
) -> Points {
    let [first, a24] = [i64x2(-1, 0), f64x2(0.0, 121_665.0)];
    // The second, and the first if the points are swapped.
    let places = i8x16(8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
    let places = v128_xor(places, i64x2(0, i64::from(swap) * 0x0808_0808_0808_0808));
    let chosen = |points: &Pair| Pair(points.0.map(|limb| i8x16_relaxed_swizzle(limb, places)));
    // (A, A) or (A, C), and (B, B) or (B, D): the first is always for DA and CB.
    let (a, b) = (chosen(sums), chosen(differences));
    // (D A, A^2) and (C B, B^2); with C^2 and D^2 if the points are swapped.
    let (da_aa, cb_bb) = (
        k.product(&differences.zip(&a, ends), &a),
        k.product(&sums.zip(&b, ends), &b),
    );
    // s = DA + CB and AA; d = DA - CB and E = AA - BB.
    let s_aa = k.carried(&da_aa.zip(&cb_bb, |x, y| i64x2_add(x, v128_and(y, first))));
    let d_e = k.carried(&da_aa.zip(&cb_bb, |x, y| i64x2_sub(x, y)));

    // BB = AA - E.
    let s_bb = s_aa.zip(&d_e, |x, y| ends(x, f64x2_sub(x, y)));
    let mut d_a24 = Pair(d_e.0.map(|d| v128_and(d, first)));
    d_a24.0[0] = v128_or(d_a24.0[0], a24);
    // x3 = s^2 and x2 = AA BB.
    let x = k.product(&s_aa, &s_bb);
    // d^2 and AA + a24 E.
    let dd_sum = k.product(&d_e, &d_a24).zip(&da_aa, |product, aa| {
        i64x2_add(product, v128_andnot(aa, first))
    });

    // z3 = x1 d^2 and z2 = E (AA + a24 E).
    let z = k.product(&x1.zip(&d_e, ends), &k.carried(&dd_sum));
    Points {
        sums: k.carried(&x.zip(&z, |x, z| i64x2_add(x, z))),
        differences: k.carried(&x.zip(&z, |x, z| i64x2_sub(x, z))),
    }
}

/// Returns the first of `a` and the second of `b`.
#[inline(always)]
fn ends(a: v128, b: v128) -> v128 {
    i64x2_shuffle::<0, 3>(a, b)
}
