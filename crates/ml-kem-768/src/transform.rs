//! NTT and its inverse (FIPS 203, section 4.3) of four polynomials at once.
//!
//! Each quad of a vector has one coefficient of four polynomials: v, u0, u1, u2. *In time*, quad k
//! of vector 4 i + j has coefficient 16 i + 4 k + j. Layers of distance 128 to 16 are between
//! vectors, with one factor for all words. Then the quads of four vectors are transposed, so that
//! the layers of distance 8, 4 and 2 are also between vectors, with a factor for each quad.
//! *Transformed*, quad k of vector 16 t + 4 r + j has coefficient 64 t + 16 k + 4 r + j.

use crate::{
    tables::{INVERSES, ROOTS},
    vector::Vector,
    words::Words,
};

/// Four polynomials.
pub(crate) type Poly = [Words; 64];

/// Computes the butterfly of Cooley and Tukey.
#[inline(always)]
fn forth<V: Vector>(x: &mut [V; 8], i: usize, j: usize, factor: [V; 2]) {
    let product = x[j].product(factor);
    x[j] = x[i].sub(product);
    x[i] = x[i].add(product);
}

/// Computes the butterfly of Gentleman and Sande.
#[inline(always)]
fn back<V: Vector>(x: &mut [V; 8], i: usize, j: usize, factor: [V; 2]) {
    let difference = x[i].sub(x[j]);
    x[i] = x[i].add(x[j]);
    x[j] = difference.product(factor);
}

/// Computes butterflies of these pairs of vectors. They are written out, since a loop would keep
/// the vectors in memory where the compiler does not unroll it early.
macro_rules! layer {
    ($butterfly:ident, $x:ident, $($factor:expr => $(($i:literal $j:literal))*),*) => {
        $(
            let factor = $factor;
            $($butterfly(&mut $x, $i, $j, factor);)*
        )*
    };
}

/// Transposes the quads of four vectors: `first` and every second one after it.
#[inline(always)]
fn transpose<V: Vector>(x: &mut [V; 8], first: usize) {
    let n = first;
    let (a, b) = (
        x[n].interleave_low64(x[n + 2]),
        x[n].interleave_high64(x[n + 2]),
    );
    let (c, d) = (
        x[n + 4].interleave_low64(x[n + 6]),
        x[n + 4].interleave_high64(x[n + 6]),
    );
    x[n] = a.low_halves(c);
    x[n + 2] = b.low_halves(d);
    x[n + 4] = a.high_halves(c);
    x[n + 6] = b.high_halves(d);
}

/// Loads eight vectors, from `first` on and `step` apart. Written out, since a loop would keep them
/// in memory where the compiler does not unroll it.
#[inline(always)]
fn load<V: Vector>(p: &Poly, first: usize, step: usize) -> [V; 8] {
    [
        V::load(&p[first]),
        V::load(&p[first + step]),
        V::load(&p[first + 2 * step]),
        V::load(&p[first + 3 * step]),
        V::load(&p[first + 4 * step]),
        V::load(&p[first + 5 * step]),
        V::load(&p[first + 6 * step]),
        V::load(&p[first + 7 * step]),
    ]
}

#[inline(always)]
fn store<V: Vector>([a, b, c, d, e, f, g, h]: [V; 8], p: &mut Poly, first: usize, step: usize) {
    a.store(&mut p[first]);
    b.store(&mut p[first + step]);
    c.store(&mut p[first + 2 * step]);
    d.store(&mut p[first + 3 * step]);
    e.store(&mut p[first + 4 * step]);
    f.store(&mut p[first + 5 * step]);
    g.store(&mut p[first + 6 * step]);
    h.store(&mut p[first + 7 * step]);
}

#[inline(always)]
fn all<V: Vector>([z, quotient]: [i16; 2]) -> [V; 2] {
    [V::splat(z), V::splat(quotient)]
}

/// Transforms. Numbers of at most q in absolute value become numbers of at most 18,294.
#[inline(always)]
pub(crate) fn forward<V: Vector>(p: &mut Poly) {
    let roots = &ROOTS;
    for i in 0..8 {
        let mut x = load::<V>(p, i, 8);
        layer!(forth, x, all(roots.whole[1]) => (0 4) (1 5) (2 6) (3 7));
        layer!(forth, x, all(roots.whole[2]) => (0 2) (1 3), all(roots.whole[3]) => (4 6) (5 7));
        layer!(
            forth, x,
            all(roots.whole[4]) => (0 1), all(roots.whole[5]) => (2 3),
            all(roots.whole[6]) => (4 5), all(roots.whole[7]) => (6 7)
        );
        store(x, p, i, 8);
    }
    for t in 0..4 {
        for parity in 0..2 {
            let at = 16 * t + parity;
            let mut x = load::<V>(p, at, 2);
            layer!(forth, x, all(roots.whole[8 + 2 * t]) => (0 2) (1 3), all(roots.whole[9 + 2 * t]) => (4 6) (5 7));
            transpose(&mut x, 0);
            transpose(&mut x, 1);
            layer!(forth, x, V::factor(&roots.eight[t]) => (0 4) (1 5) (2 6) (3 7));
            layer!(forth, x, V::factor(&roots.four[t][0]) => (0 2) (1 3), V::factor(&roots.four[t][1]) => (4 6) (5 7));
            layer!(
                forth, x,
                V::factor(&roots.two[t][0]) => (0 1), V::factor(&roots.two[t][1]) => (2 3),
                V::factor(&roots.two[t][2]) => (4 5), V::factor(&roots.two[t][3]) => (6 7)
            );
            store(x, p, at, 2);
        }
    }
}

/// Computes the first layer of the inverse, of distance 2: group `g` of four vectors from the words
/// `even` of its first two and `odd` of the others.
#[inline(always)]
pub(crate) fn first_inverse_layer<V: Vector>(even: [V; 2], odd: [V; 2], g: usize, out: &mut Poly) {
    let factor = V::factor(&INVERSES.two[g / 4][g % 4]);
    for c in 0..2 {
        even[c].add(odd[c]).barrett().store(&mut out[4 * g + c]);
        let difference = even[c].sub(odd[c]);
        difference.product(factor).store(&mut out[4 * g + 2 + c]);
    }
}

/// Computes the other six layers, without the division by 128.
#[inline(always)]
pub(crate) fn inverse<V: Vector>(p: &mut Poly) {
    let roots = &INVERSES;
    for t in 0..4 {
        for parity in 0..2 {
            let at = 16 * t + parity;
            let mut x = load::<V>(p, at, 2);
            layer!(back, x, V::factor(&roots.four[t][0]) => (0 2) (1 3), V::factor(&roots.four[t][1]) => (4 6) (5 7));
            layer!(back, x, V::factor(&roots.eight[t]) => (0 4) (1 5) (2 6) (3 7));
            transpose(&mut x, 0);
            transpose(&mut x, 1);
            layer!(back, x, all(roots.whole[8 + 2 * t]) => (0 2) (1 3), all(roots.whole[9 + 2 * t]) => (4 6) (5 7));
            let [a, b, c, d, e, f, g, h] = x;
            let x = [
                a.barrett(),
                b.barrett(),
                c,
                d,
                e.barrett(),
                f.barrett(),
                g,
                h,
            ];
            store(x, p, at, 2);
        }
    }
    for i in 0..8 {
        let mut x = load::<V>(p, i, 8);
        layer!(
            back, x,
            all(roots.whole[4]) => (0 1), all(roots.whole[5]) => (2 3),
            all(roots.whole[6]) => (4 5), all(roots.whole[7]) => (6 7)
        );
        layer!(back, x, all(roots.whole[2]) => (0 2) (1 3), all(roots.whole[3]) => (4 6) (5 7));
        layer!(back, x, all(roots.whole[1]) => (0 4) (1 5) (2 6) (3 7));
        store(x, p, i, 8);
    }
}
