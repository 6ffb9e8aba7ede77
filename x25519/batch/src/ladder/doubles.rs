//! The ladder of a batch by kernels, a step's operations one after the other.

use zeroize::Zeroize;

use super::swap;
use crate::{
    division::Fraction,
    field::{Table, kernels::StepKernels},
};

/// [`Ladder::ladder`](super::Ladder::ladder) by kernels.
#[inline(always)]
pub(crate) fn ladder<K: StepKernels<N>, const N: usize, const GROUPS: usize>(
    scalar: &[u8; 32],
    x1: &[Table<N>; GROUPS],
    fractions: &mut [Fraction<N>; GROUPS],
) {
    let mut steps = x1.map(Step::new::<K>);
    for position in (0..255).rev() {
        step::<K, N>(&mut steps, swap(scalar, position));
    }
    for (step, fraction) in steps.iter().zip(fractions) {
        (fraction.x, fraction.z) = (step.x2, step.z2);
    }
}

/// One bit. The second point is doubled if `swap` has all ones, the first if it is zero.
#[inline(always)]
pub(crate) fn step<K: StepKernels<N>, const N: usize>(steps: &mut [Step<N>], swap: u64) {
    // A = x2 + z2, B = x2 - z2, C = x3 + z3, D = x3 - z3.
    for s in &mut *steps {
        K::sum_and_difference(&mut s.a, &mut s.b, &s.x2, &s.z2);
        K::sum_and_difference(&mut s.c, &mut s.d, &s.x3, &s.z3);
    }
    // DA, CB, AA = A^2 and BB = B^2; C^2 and D^2 if the second point is doubled.
    for s in &mut *steps {
        K::mul(&mut s.da, &s.d, &s.a);
        K::mul(&mut s.cb, &s.c, &s.b);
        K::square_either(&mut s.aa, swap, &s.a, &s.c);
        K::square_either(&mut s.bb, swap, &s.b, &s.d);
    }
    // x3 = (DA + CB)^2, z3 = x1 (DA - CB)^2, x2 = AA BB, z2 = E (AA + a24 E) with E = AA - BB.
    for s in &mut *steps {
        K::square_difference(&mut s.square, &s.da, &s.cb);
        K::square_sum(&mut s.x3, &s.da, &s.cb);
        K::mul(&mut s.x2, &s.aa, &s.bb);
        K::double_z(&mut s.z2, &s.aa, &s.bb);
        K::mul(&mut s.z3, &s.square, &s.x1);
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
    pub(crate) fn new<K: StepKernels<N>>(x1: Table<N>) -> Self {
        let (zero, one) = (Table::ZERO, K::ONE);
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
