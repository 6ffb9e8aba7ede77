//! `1 / z` modulo p = 2^255 - 19 by division steps (Bernstein and Yang, "Fast constant-time gcd
//! computation and modular inversion", 2019), which are far fewer instructions than the 254
//! squarings of `z^(p - 2)`.
//!
//! A step takes (f, g) with f odd to (f, g / 2), (f, (g + f) / 2) or (g, (g - f) / 2), as delta and
//! the lowest bit of g say, until f is the greatest common divisor, 1 or -1, and g is 0. 590 steps
//! suffice below 2^256 if delta starts from one half (Wuille, in libsecp256k1's documentation of
//! the method). What 30 steps do depends on the lowest 30 bits and on delta alone, and is a matrix
//! of numbers up to 2^30; the same matrices take (0, 1) to (d, e) with f = d z and g = e z modulo
//! p.

use crate::encoding::{from_bytes, to_bytes};

/// Steps in a batch, and bits in a limb.
pub(crate) const STEPS: usize = 30;
pub(crate) const BATCHES: usize = 20;
const LIMBS: usize = 9;
const MASK: i64 = (1 << STEPS) - 1;

/// Each limb is from 0 to 2^30 - 1, but the last has the sign.
type Limbs = [i64; LIMBS];

/// p without carries: -19 + 2^15 * 2^240.
const P_LOW: i64 = -19;
const P_HIGH: i64 = 1 << 15;

/// 1 / 19 modulo 2^30.
const NINETEENTH: i64 = {
    let mut inverse = 19_i64;
    let mut bits = 3;
    while bits < STEPS {
        inverse = (inverse * ((2 - 19 * inverse) & MASK)) & MASK;
        bits *= 2;
    }
    inverse
};

const BOUNDS: () = {
    assert!(BATCHES * STEPS >= 590);
    assert!((NINETEENTH * 19) & MASK == 1);
    // A batch adds p at most to d and to e, and the last limbs are small: sums of products stay
    // within 63 bits, and the result within what `to_bytes` takes.
    assert!(BATCHES < 1 << 5);
    assert!(
        (1_i128 << STEPS) * (1 << STEPS) + (1 << STEPS) * (P_HIGH as i128 + 19) + (1 << 34)
            < 1 << 63
    );
};

/// `1 / z` of a number below p, or 0 if it is 0.
pub(crate) fn inverse(z: &[u8; 32]) -> [u8; 32] {
    const { BOUNDS };
    let mut f = [MASK; LIMBS];
    (f[0], f[LIMBS - 1]) = (MASK + 1 + P_LOW, P_HIGH - 1);
    let mut g: Limbs = from_bytes(z, STEPS);
    let (mut d, mut e) = ([0; LIMBS], [0; LIMBS]);
    e[0] = 1;
    let mut zeta = -1;
    for _ in 0..BATCHES {
        let [first, second] = steps(&mut zeta, f[0], g[0]);
        (d, e) = (
            combined_modulo_p(first, &d, &e),
            combined_modulo_p(second, &d, &e),
        );
        (f, g) = (combined(first, &f, &g, 0), combined(second, &f, &g, 0));
    }
    let sign = f[LIMBS - 1] >> 63;
    to_bytes(d.map(|limb| (limb ^ sign) - sign), STEPS)
}

/// The rows [u, v] and [q, r] of the matrix of a batch: f becomes (u f + v g) / 2^30, and g becomes
/// (q f + r g) / 2^30. Zeta is -delta - 1/2.
///
/// Both numbers of a row are in one word while they change, the second 2^32 times.
pub(crate) fn steps(zeta: &mut i64, mut f: i64, mut g: i64) -> [[i64; 2]; 2] {
    let (mut first, mut second) = (1_i64, 1_i64 << 32);
    for _ in 0..STEPS {
        let positive = *zeta >> 63;
        let odd = -(g & 1);
        // g plus or minus f, if g is odd.
        g += ((f ^ positive) - positive) & odd;
        second += ((first ^ positive) - positive) & odd;
        // f is the former g, if both hold: f + (g - f).
        let exchange = positive & odd;
        *zeta = (*zeta ^ exchange) - 1;
        f += g & exchange;
        first += second & exchange;
        g >>= 1;
        first <<= 1;
    }
    [first, second].map(|row| {
        let low = row << 32 >> 32;
        [low, (row - low) >> 32]
    })
}

/// `(u a + v b) / 2^30` modulo p: a multiple of p makes the lowest 30 bits zero.
fn combined_modulo_p([u, v]: [i64; 2], a: &Limbs, b: &Limbs) -> Limbs {
    let multiple = (((u * a[0] + v * b[0]) & MASK) * NINETEENTH) & MASK;
    combined([u, v], a, b, multiple)
}

/// `(u a + v b + multiple * p) / 2^30`, which is whole.
fn combined([u, v]: [i64; 2], a: &Limbs, b: &Limbs, multiple: i64) -> Limbs {
    let mut sum = u * a[0] + v * b[0] + multiple * P_LOW;
    let mut limbs = [0; LIMBS];
    for i in 1..LIMBS {
        sum = (sum >> STEPS) + u * a[i] + v * b[i];
        if i == LIMBS - 1 {
            sum += multiple * P_HIGH;
        }
        limbs[i - 1] = sum & MASK;
    }
    limbs[LIMBS - 1] = sum >> STEPS;
    limbs
}
