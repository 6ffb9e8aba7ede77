//! The Montgomery ladder (RFC 7748, section 5) on all lanes, and one inversion for many results.

use alloc::vec::Vec;

use zeroize::{Zeroize, Zeroizing};

use crate::{encoding, field::Table};

/// The field arithmetic, each operation compiled as one function for the instructions of a back
/// end.
pub(crate) trait Kernels<const N: usize> {
    /// The number one.
    const ONE: Table<N>;
    /// `out = f`, of integers with no more than their bits.
    fn from_integers(out: &mut Table<N>, f: &Table<N>);
    /// `out = f`, as integers below 2^52.
    fn to_integers(out: &mut Table<N>, f: &Table<N>);
    /// `out = f g`.
    fn mul(out: &mut Table<N>, f: &Table<N>, g: &Table<N>);
    /// `out = f^(2^times)`.
    fn squares(out: &mut Table<N>, f: &Table<N>, times: u32);
    /// `out = (f + g)^2`.
    fn square_sum(out: &mut Table<N>, f: &Table<N>, g: &Table<N>);
    /// `out = (f - g)^2`.
    fn square_difference(out: &mut Table<N>, f: &Table<N>, g: &Table<N>);
    /// `out = f^2` where `mask` is zero, `g^2` where it is all ones.
    fn square_either(out: &mut Table<N>, mask: u64, f: &Table<N>, g: &Table<N>);
    /// `(plus, minus) = (f + g, f - g)`.
    fn sum_and_difference(plus: &mut Table<N>, minus: &mut Table<N>, f: &Table<N>, g: &Table<N>);
    /// `out = e (aa + 121665 e)` with `e = aa - bb`.
    fn double_z(out: &mut Table<N>, aa: &Table<N>, bb: &Table<N>);
}

/// Gives a macro of the back ends the list of the kernels, after what else it takes. `N` is a
/// constant where it is used.
macro_rules! each_kernel {
    ($implement:ident $($with:tt)*) => {
        $implement! {
            $($with)*
            from_integers(out: &mut Table<N>, f: &Table<N>);
            to_integers(out: &mut Table<N>, f: &Table<N>);
            mul(out: &mut Table<N>, f: &Table<N>, g: &Table<N>);
            squares(out: &mut Table<N>, f: &Table<N>, times: u32);
            square_sum(out: &mut Table<N>, f: &Table<N>, g: &Table<N>);
            square_difference(out: &mut Table<N>, f: &Table<N>, g: &Table<N>);
            square_either(out: &mut Table<N>, mask: u64, f: &Table<N>, g: &Table<N>);
            sum_and_difference(plus: &mut Table<N>, minus: &mut Table<N>, f: &Table<N>, g: &Table<N>);
            double_z(out: &mut Table<N>, aa: &Table<N>, bb: &Table<N>);
        }
    };
}
pub(crate) use each_kernel;

/// How many groups of `N` points share an inversion: it costs a twelfth of a ladder, so the rest is
/// below one in a hundred.
const GROUPS: usize = 16;

/// `out[i] = X25519(scalar, points[i])`.
pub(crate) fn x25519<K: Kernels<N>, const N: usize>(
    scalar: &[u8; 32],
    points: &[[u8; 32]],
    out: &mut [[u8; 32]],
) {
    let scalar = clamped(scalar);
    let mut fractions = Zeroizing::new(Vec::with_capacity(GROUPS.min(points.len().div_ceil(N))));
    for (points, out) in points.chunks(GROUPS * N).zip(out.chunks_mut(GROUPS * N)) {
        fractions.clear();
        // Two groups in lockstep: the arithmetic of one runs while the other waits for its carries.
        let mut pairs = points.chunks_exact(2 * N);
        for pair in pairs.by_ref() {
            let (first, second) = pair.split_at(N);
            ladder::<K, N, 2>(&scalar, [first, second], &mut fractions);
        }
        for group in pairs.remainder().chunks(N) {
            ladder::<K, N, 1>(&scalar, [group], &mut fractions);
        }
        divide::<K, N>(&mut fractions);
        for (fraction, out) in fractions.iter_mut().zip(out.chunks_mut(N)) {
            K::to_integers(&mut fraction.z, &fraction.x);
            encoding::encode(&fraction.z, out);
        }
    }
}

/// RFC 7748, section 5: a multiple of 8 whose highest bit is bit 254.
pub(crate) fn clamped(scalar: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    let mut scalar = Zeroizing::new(*scalar);
    scalar[0] &= 248;
    scalar[31] = scalar[31] & 127 | 64;
    scalar
}

/// `x / z`, and what the shared inversion keeps beside it.
#[derive(Clone)]
pub(crate) struct Fraction<const N: usize> {
    pub(crate) x: Table<N>,
    pub(crate) z: Table<N>,
    /// The product of the denominators before this one.
    before: Table<N>,
}

impl<const N: usize> Fraction<N> {
    pub(crate) const fn new(x: Table<N>, z: Table<N>) -> Self {
        Self {
            x,
            z,
            before: Table::ZERO,
        }
    }
}

impl<const N: usize> Zeroize for Fraction<N> {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.z.zeroize();
        self.before.zeroize();
    }
}

/// One group of points on its way, with the names of RFC 7748.
pub(crate) struct Step<const N: usize> {
    pub(crate) x1: Table<N>,
    pub(crate) x2: Table<N>,
    pub(crate) z2: Table<N>,
    pub(crate) x3: Table<N>,
    pub(crate) z3: Table<N>,
    a: Table<N>,
    b: Table<N>,
    c: Table<N>,
    d: Table<N>,
    aa: Table<N>,
    bb: Table<N>,
    da: Table<N>,
    cb: Table<N>,
    /// `(da - cb)^2`.
    square: Table<N>,
}

impl<const N: usize> Step<N> {
    pub(crate) fn new<K: Kernels<N>>(points: &[[u8; 32]]) -> Self {
        let (zero, one) = (Table::ZERO, K::ONE);
        let mut x1 = zero;
        K::from_integers(&mut x1, &encoding::decode(points));
        Self {
            x1,
            x2: one,
            z2: zero,
            x3: x1,
            z3: one,
            a: zero,
            b: zero,
            c: zero,
            d: zero,
            aa: zero,
            bb: zero,
            da: zero,
            cb: zero,
            square: zero,
        }
    }
}

impl<const N: usize> Drop for Step<N> {
    fn drop(&mut self) {
        let Self {
            x1,
            x2,
            z2,
            x3,
            z3,
            a,
            b,
            c,
            d,
            aa,
            bb,
            da,
            cb,
            square,
        } = self;
        for element in [x1, x2, z2, x3, z3, a, b, c, d, aa, bb, da, cb, square] {
            element.zeroize();
        }
    }
}

/// One bit after the other, the same in every lane. The first three bits are zero, so the points
/// end unswapped.
///
/// A swap of the two points leaves their sum as it is, because it only changes the sign of `da -
/// cb`. What has to be chosen is which of the two is doubled.
fn ladder<K: Kernels<N>, const N: usize, const G: usize>(
    scalar: &[u8; 32],
    points: [&[[u8; 32]]; G],
    fractions: &mut Vec<Fraction<N>>,
) {
    let mut steps = points.map(Step::new::<K>);
    let mut swapped = 0;
    for position in (0..255).rev() {
        let bit = u64::from(scalar[position / 8] >> (position % 8) & 1);
        let swap = (bit ^ swapped).wrapping_neg();
        swapped = bit;
        step::<K, N>(&mut steps, swap);
    }
    for s in &steps {
        fractions.push(Fraction::new(s.x2, s.z2));
    }
}

/// One bit. The second point is doubled if `swap` has all ones, the first if it is zero.
#[inline(always)]
pub(crate) fn step<K: Kernels<N>, const N: usize>(steps: &mut [Step<N>], swap: u64) {
    for s in &mut *steps {
        K::sum_and_difference(&mut s.a, &mut s.b, &s.x2, &s.z2);
        K::sum_and_difference(&mut s.c, &mut s.d, &s.x3, &s.z3);
    }
    for s in &mut *steps {
        K::mul(&mut s.da, &s.d, &s.a);
        K::mul(&mut s.cb, &s.c, &s.b);
        K::square_either(&mut s.aa, swap, &s.a, &s.c);
        K::square_either(&mut s.bb, swap, &s.b, &s.d);
    }
    for s in &mut *steps {
        K::square_difference(&mut s.square, &s.da, &s.cb);
        K::square_sum(&mut s.x3, &s.da, &s.cb);
        K::mul(&mut s.x2, &s.aa, &s.bb);
        K::double_z(&mut s.z2, &s.aa, &s.bb);
        K::mul(&mut s.z3, &s.square, &s.x1);
    }
}

/// Leaves `x / z` in each `x`, and zero where `z` is zero, by one inversion for all (Montgomery's
/// trick).
pub(crate) fn divide<K: Kernels<N>, const N: usize>(fractions: &mut [Fraction<N>]) {
    let mut scratch = Zeroizing::new([K::ONE; 3]);
    let [product, next, inverse] = &mut *scratch;
    for fraction in &mut *fractions {
        without_zero::<K, N>(fraction);
        fraction.before = *product;
        K::mul(next, product, &fraction.z);
        *product = *next;
    }
    invert::<K, N>(inverse, product);
    for fraction in fractions.iter_mut().rev() {
        K::mul(next, inverse, &fraction.before);
        K::mul(product, &fraction.x, next);
        fraction.x = *product;
        K::mul(next, inverse, &fraction.z);
        *inverse = *next;
    }
}

/// Makes 0 / 1 of a lane whose denominator is zero, which would turn the product of all into zero.
pub(crate) fn without_zero<K: Kernels<N>, const N: usize>(fraction: &mut Fraction<N>) {
    K::to_integers(&mut fraction.before, &fraction.z);
    let zeros = encoding::zeros(&fraction.before);
    for (lane, zero) in zeros.into_iter().enumerate() {
        let keep = zero.wrapping_sub(1);
        fraction.x.0.iter_mut().for_each(|limb| limb[lane] &= keep);
        for (limb, one) in fraction.z.0.iter_mut().zip(&K::ONE.0) {
            limb[lane] = limb[lane] & keep | one[lane] & !keep;
        }
    }
}

/// `out = z^(p - 2)`, where p - 2 = 2^255 - 21.
pub(crate) fn invert<K: Kernels<N>, const N: usize>(out: &mut Table<N>, z: &Table<N>) {
    let mut scratch = Zeroizing::new([Table::<N>::ZERO; 12]);
    // `ones_n` is z to the power of n binary ones, 2^n - 1.
    let [
        t,
        z2,
        z9,
        z11,
        ones5,
        ones10,
        ones20,
        ones40,
        ones50,
        ones100,
        ones200,
        ones250,
    ] = &mut *scratch;
    let mut squares_mul = |out: &mut Table<N>, f: &Table<N>, times: u32, g: &Table<N>| {
        K::squares(t, f, times);
        K::mul(out, t, g);
    };
    K::squares(z2, z, 1);
    squares_mul(z9, z2, 2, z);
    K::mul(z11, z9, z2);
    squares_mul(ones5, z11, 1, z9);
    squares_mul(ones10, ones5, 5, ones5);
    squares_mul(ones20, ones10, 10, ones10);
    squares_mul(ones40, ones20, 20, ones20);
    squares_mul(ones50, ones40, 10, ones10);
    squares_mul(ones100, ones50, 50, ones50);
    squares_mul(ones200, ones100, 100, ones100);
    squares_mul(ones250, ones200, 50, ones50);
    squares_mul(out, ones250, 5, z11);
}
