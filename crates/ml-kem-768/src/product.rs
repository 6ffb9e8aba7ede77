//! Sums of products of transformed polynomials (FIPS 203, algorithms 11 and 12).
//!
//! A product of two pairs, (a0 + a1 X) (y0 + y1 X), has the coefficients (y0, y1) (a0, a1 z) and
//! (y0, y1) (a1, a0), where z is the root of the pair. A key holds both pairs, scaled, so each
//! coefficient is one [`Vector::dot`].

use crate::{
    tables::{SCALE_FACTOR, SCALES, TIMES_128},
    transform::{Poly, first_inverse_layer},
    vector::Vector,
    words::Words,
};

/// Four polynomials to multiply by. Vector 8 g + 4 b + 2 c + e belongs to half b of group g of four
/// vectors, gives coefficient c, and is for the low (0) or high (1) end e of each half.
pub(crate) type Table = [Words; 128];

/// Coefficients in their order.
pub(crate) type Plain = [i16; 256];

/// Returns the pairs of two vectors, side by side: of the low ends of both halves, then of the high
/// ends.
#[inline(always)]
fn pairs<V: Vector>(y: &Poly, at: usize) -> [V; 2] {
    let (even, odd) = (V::load(&y[at]), V::load(&y[at + 1]));
    [even.interleave_low(odd), even.interleave_high(odd)]
}

/// Sums products with a table over the four polynomials. Returns both coefficients of each quad's
/// pair, in 32 bits each, reduced.
#[inline(always)]
fn sums<V: Vector>(table: &Table, at: usize, [low, high]: [V; 2]) -> V {
    let first = sum(table, at, low, high);
    let second = sum(table, at + 2, low, high);
    first.alternate32(second).reduce()
}

/// Returns one of the two coefficients, not yet reduced.
#[inline(always)]
fn sum<V: Vector>(table: &Table, at: usize, low: V, high: V) -> V {
    let low = low.dot(V::load(&table[at]));
    let high = high.dot(V::load(&table[at + 1]));
    let sum = low
        .interleave_low64(high)
        .add32(low.interleave_high64(high));
    sum.add32(sum.swap32())
}

/// Computes s u and the first layer of its inverse transform, in v's words. `u` is transformed.
#[inline(always)]
pub(crate) fn secret_product<V: Vector>(s: &Table, u: &Poly, out: &mut Poly) {
    for g in 0..16 {
        let even = sums(s, 8 * g, pairs::<V>(u, 4 * g));
        let odd = sums(s, 8 * g + 4, pairs::<V>(u, 4 * g + 2));
        first_inverse_layer(
            [even, even.shift_right64::<32>()],
            [odd, odd.shift_right64::<32>()],
            g,
            out,
        );
    }
}

/// Computes A y and t y and the first layer of their inverse transform. `y` is transformed.
#[inline(always)]
pub(crate) fn matrix_product<V: Vector>(a: &[Table; 3], y: &Poly, out: &mut Poly) {
    for g in 0..16 {
        let mut halves = [[V::splat(0); 2]; 2];
        for (b, half) in halves.iter_mut().enumerate() {
            *half = each_product(a, 8 * g + 4 * b, pairs::<V>(y, 4 * g + 2 * b));
        }
        let [even, odd] = halves;
        first_inverse_layer(even, odd, g, out);
    }
}

/// Returns both coefficients of each of the four polynomials.
#[inline(always)]
fn each_product<V: Vector>(a: &[Table; 3], at: usize, [low, high]: [V; 2]) -> [V; 2] {
    let low = both(a, at, spread(low));
    let high = both(a, at + 1, spread(high));
    [low[0].narrow(high[0]), low[1].narrow(high[1])]
}

/// Returns the same of the low ends of both halves, or of the high ones.
#[inline(always)]
fn both<V: Vector>(a: &[Table; 3], at: usize, y: [V; 3]) -> [V; 2] {
    [of_all(a, at, y), of_all(a, at + 2, y)]
}

/// Repeats the pairs of y0, y1 and y2 for all four polynomials.
#[inline(always)]
fn spread<V: Vector>(y: V) -> [V; 3] {
    [y.spread32::<1>(), y.spread32::<2>(), y.spread32::<3>()]
}

#[inline(always)]
fn of_all<V: Vector>(a: &[Table; 3], at: usize, [y0, y1, y2]: [V; 3]) -> V {
    let sum = y0.dot(V::load(&a[0][at])).add32(y1.dot(V::load(&a[1][at])));
    sum.add32(y2.dot(V::load(&a[2][at]))).reduce()
}

/// Computes A s for key generation, in the words of u. It stays transformed, as FIPS 203 has t. The
/// words of v are zero, as are those of `s`.
#[inline(always)]
pub(crate) fn key_product<V: Vector>(a: &[Table; 3], s: &Poly, out: &mut Poly) {
    let [z, quotient] = TIMES_128;
    let factor = [V::splat(z), V::splat(quotient)];
    for at in (0..64).step_by(2) {
        let s = pairs::<V>(s, at);
        // Each quad has one coefficient, its sign, the other, its sign.
        let t0 = sums(&a[0], 2 * at, s);
        let t1 = sums(&a[1], 2 * at, s);
        let t2 = sums(&a[2], 2 * at, s);
        join(t0, t1, t2).product(factor).store(&mut out[at]);
        let (t0, t1) = (t0.shift_right64::<32>(), t1.shift_right64::<32>());
        let second = join(t0, t1, t2.shift_right64::<32>());
        second.product(factor).store(&mut out[at + 1]);
    }
}

/// Joins the lowest words of the quads of three vectors, after a zero.
#[inline(always)]
fn join<V: Vector>(t0: V, t1: V, t2: V) -> V {
    let lowest = V::quads(0xffff);
    let t0 = t0.and(lowest).shift_left64::<16>();
    let t1 = t1.and(lowest).shift_left64::<32>();
    t0.or(t1).or(t2.shift_left64::<48>())
}

/// Makes a table of four polynomials with numbers from 0 to q - 1.
#[inline(always)]
pub(crate) fn table<V: Vector>(polys: [&Plain; 4], out: &mut Table) {
    for t in 0..4 {
        for e in 0..2 {
            for x in 0..2 {
                let at = 64 * t + 16 * e + 8 * x;
                let (v, u0) = (scaled::<V>(polys[0], at), scaled::<V>(polys[1], at));
                let (u1, u2) = (scaled::<V>(polys[2], at), scaled::<V>(polys[3], at));
                for c in 0..2 {
                    let (a, b) = (v[c].interleave_low32(u0[c]), v[c].interleave_high32(u0[c]));
                    let (d, f) = (
                        u1[c].interleave_low32(u2[c]),
                        u1[c].interleave_high32(u2[c]),
                    );
                    let four = [
                        a.interleave_low64(d),
                        a.interleave_high64(d),
                        b.interleave_low64(f),
                        b.interleave_high64(f),
                    ];
                    for (n, vector) in four.iter().enumerate() {
                        let (g, b) = (4 * t + 2 * x + n / 2, n % 2);
                        vector.store(&mut out[8 * g + 4 * b + 2 * c + e]);
                    }
                }
            }
        }
    }
}

/// Returns the pairs (a0, a1 z) and (a1, a0) of sixteen coefficients, scaled.
#[inline(always)]
fn scaled<V: Vector>(p: &Plain, at: usize) -> [V; 2] {
    let [z, quotient] = SCALE_FACTOR;
    let scale = [V::splat(z), V::splat(quotient)];
    let factor = [two_halves::<V>(&SCALES[0], at), two_halves(&SCALES[1], at)];
    let words = two_halves::<V>(p, at);
    [words.product(factor), words.product(scale).swap()]
}

/// Loads eight coefficients from `at` on, and eight from `at + 32` on.
#[inline(always)]
fn two_halves<V: Vector>(p: &Plain, at: usize) -> V {
    let mut words = Words::ZERO;
    words.0[..8].copy_from_slice(&p[at..at + 8]);
    words.0[8..].copy_from_slice(&p[at + 32..at + 40]);
    V::load(&words)
}
