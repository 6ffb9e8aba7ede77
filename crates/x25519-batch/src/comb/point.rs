//! Points of the Edwards form in each lane, and the two operations on them (Hisil, Wong, Carter and
//! Dawson 2008, sections 3.1 to 3.3, for a = -1). `proofs/edwards.rs` has their theorems.

use zeroize::{Zeroize, Zeroizing};

use crate::field::{Table, kernels::Kernels};

/// A point with x = X / Z, y = Y / Z and x y = T / Z.
#[derive(Clone)]
pub(crate) struct Point<const N: usize> {
    pub(crate) x: Table<N>,
    pub(crate) y: Table<N>,
    pub(crate) z: Table<N>,
    pub(crate) t: Table<N>,
}

impl<const N: usize> Point<N> {
    /// Returns the identity (0, 1).
    pub(crate) fn identity<K: Kernels<N>>() -> Self {
        Self {
            x: Table::ZERO,
            y: K::ONE,
            z: K::ONE,
            t: Table::ZERO,
        }
    }
}

impl<const N: usize> Zeroize for Point<N> {
    fn zeroize(&mut self) {
        let Self { x, y, z, t } = self;
        [x, y, z, t].into_iter().for_each(Zeroize::zeroize);
    }
}

/// The second point of an addition, in affine coordinates.
#[derive(Clone)]
pub(crate) struct Affine<const N: usize> {
    /// y + x.
    pub(crate) plus: Table<N>,
    /// y - x.
    pub(crate) minus: Table<N>,
    /// 2 d x y.
    pub(crate) product: Table<N>,
}

impl<const N: usize> Affine<N> {
    pub(crate) const ZERO: Self = Self {
        plus: Table::ZERO,
        minus: Table::ZERO,
        product: Table::ZERO,
    };
}

impl<const N: usize> Zeroize for Affine<N> {
    fn zeroize(&mut self) {
        let Self {
            plus,
            minus,
            product,
        } = self;
        [plus, minus, product]
            .into_iter()
            .for_each(Zeroize::zeroize);
    }
}

/// Scratch memory, with the names of the paper.
pub(crate) struct Scratch<const N: usize> {
    a: Table<N>,
    b: Table<N>,
    c: Table<N>,
    d: Table<N>,
    e: Table<N>,
    f: Table<N>,
    g: Table<N>,
    h: Table<N>,
}

impl<const N: usize> Scratch<N> {
    pub(crate) const ZERO: Self = Self {
        a: Table::ZERO,
        b: Table::ZERO,
        c: Table::ZERO,
        d: Table::ZERO,
        e: Table::ZERO,
        f: Table::ZERO,
        g: Table::ZERO,
        h: Table::ZERO,
    };

    /// Computes X = E F, Y = G H, Z = F G and T = E H.
    fn products<K: Kernels<N>>(&self, out: &mut Point<N>) {
        K::mul(&mut out.x, &self.e, &self.f);
        K::mul(&mut out.y, &self.g, &self.h);
        K::mul(&mut out.z, &self.f, &self.g);
        K::mul(&mut out.t, &self.e, &self.h);
    }
}

impl<const N: usize> Zeroize for Scratch<N> {
    fn zeroize(&mut self) {
        let Self {
            a,
            b,
            c,
            d,
            e,
            f,
            g,
            h,
        } = self;
        [a, b, c, d, e, f, g, h]
            .into_iter()
            .for_each(Zeroize::zeroize);
    }
}

/// Computes `p = p + q`.
pub(crate) fn add<K: Kernels<N>, const N: usize>(
    p: &mut Point<N>,
    q: &Affine<N>,
    s: &mut Scratch<N>,
) {
    // A = (Y - X) (y - x), B = (Y + X) (y + x), C = 2 d T x y, D = 2 Z.
    K::sum_and_difference(&mut s.e, &mut s.f, &p.y, &p.x);
    K::mul(&mut s.a, &s.f, &q.minus);
    K::mul(&mut s.b, &s.e, &q.plus);
    K::mul(&mut s.c, &p.t, &q.product);
    K::sum_and_difference(&mut s.d, &mut s.e, &p.z, &p.z);
    // E = B - A, F = D - C, G = D + C, H = B + A.
    K::sum_and_difference(&mut s.h, &mut s.e, &s.b, &s.a);
    K::sum_and_difference(&mut s.g, &mut s.f, &s.d, &s.c);
    s.products::<K>(p);
}

/// Computes `p = p + q`, for any two points: an addition of (Y + X, Y - X, 2 d T) of `q`, with the
/// product of both Z instead of the Z of `p`.
pub(crate) fn add_point<K: Kernels<N>, const N: usize>(
    p: &mut Point<N>,
    q: &Point<N>,
    twice_d: &Table<N>,
    s: &mut Scratch<N>,
) {
    let mut of_q = Zeroizing::new(Affine::<N>::ZERO);
    let Affine {
        plus,
        minus,
        product,
    } = &mut *of_q;
    K::sum_and_difference(plus, minus, &q.y, &q.x);
    K::mul(product, &q.t, twice_d);
    K::mul(&mut s.a, &p.z, &q.z);
    p.z = s.a;
    add::<K, N>(p, &of_q, s);
}

/// Computes `p = 2 p`.
pub(crate) fn double<K: Kernels<N>, const N: usize>(p: &mut Point<N>, s: &mut Scratch<N>) {
    // A = X^2, B = Y^2, C = 2 Z^2, D = (X + Y)^2.
    K::square(&mut s.a, &p.x);
    K::square(&mut s.b, &p.y);
    K::square(&mut s.f, &p.z);
    K::sum_and_difference(&mut s.c, &mut s.g, &s.f, &s.f);
    K::sum_and_difference(&mut s.f, &mut s.g, &p.x, &p.y);
    K::square(&mut s.d, &s.f);
    // H = B + A, G = B - A, E = D - H, F = C - G: those of the paper, except for the signs of F and
    // H.
    K::sum_and_difference(&mut s.h, &mut s.g, &s.b, &s.a);
    K::sum_and_difference(&mut s.a, &mut s.e, &s.d, &s.h);
    K::sum_and_difference(&mut s.b, &mut s.f, &s.c, &s.g);
    s.products::<K>(p);
}
