//! A shared inverse for many fractions.

use core::slice;

use x25519_inverse::inverse;
use zeroize::{Zeroize, Zeroizing};

use crate::{
    encoding,
    field::{Table, kernels::Kernels},
};

/// The fraction `x / z`, with an intermediate value of the shared inverse.
#[derive(Clone)]
pub(crate) struct Fraction<const N: usize> {
    pub(crate) x: Table<N>,
    pub(crate) z: Table<N>,
    /// The product of the denominators before this one.
    before: Table<N>,
}

impl<const N: usize> Fraction<N> {
    pub(crate) const ZERO: Self = Self {
        x: Table::ZERO,
        z: Table::ZERO,
        before: Table::ZERO,
    };
}

impl<const N: usize> Zeroize for Fraction<N> {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.z.zeroize();
        self.before.zeroize();
    }
}

/// Replaces each `x` by `x / z`, or by zero if `z` is zero, with one inverse for all (Montgomery's
/// trick).
pub(crate) fn divide<K: Kernels<N>, const N: usize>(fractions: &mut [Fraction<N>]) {
    divide_by::<K, N>(fractions, |out, z| {
        invert_by::<K, N>(out, z, inverse_of_first::<K, N>);
    });
}

/// Divides with `invert`, which inverts each lane; none of them is zero.
pub(crate) fn divide_by<K: Kernels<N>, const N: usize>(
    fractions: &mut [Fraction<N>],
    invert: impl FnOnce(&mut Table<N>, &Table<N>),
) {
    let mut scratch = Zeroizing::new([K::ONE; 3]);
    let [product, next, inverse] = &mut *scratch;
    // before_i = z_0 z_1 ... z_(i-1).
    for fraction in &mut *fractions {
        without_zero::<K, N>(fraction);
        fraction.before = *product;
        K::mul(next, product, &fraction.z);
        *product = *next;
    }
    invert(inverse, product);
    // From the last to the first, inverse = 1 / (z_0 ... z_i): times before_i it is 1 / z_i, times
    // z_i it is the previous inverse.
    for fraction in fractions.iter_mut().rev() {
        K::mul(next, inverse, &fraction.before);
        K::mul(product, &fraction.x, next);
        fraction.x = *product;
        K::mul(next, inverse, &fraction.z);
        *inverse = *next;
    }
}

/// Replaces a lane whose denominator is zero by 0 / 1, since it would make the product of all zero.
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

/// Computes `out = 1 / z` in each lane, where no `z` is zero. `inverse` sets every lane to the
/// inverse of the product of all lanes; times the product of the others this is the inverse of the
/// lane itself.
pub(crate) fn invert_by<K: Kernels<N>, const N: usize>(
    out: &mut Table<N>,
    z: &Table<N>,
    inverse: impl FnOnce(&mut Table<N>, &Table<N>),
) {
    let mut scratch = Zeroizing::new([*z, K::ONE, Table::ZERO, Table::ZERO]);
    let [all, others, turned, next] = &mut *scratch;
    let mut bit = 1;
    while bit < N {
        turned.turn(all, bit);
        K::mul(next, others, turned);
        *others = *next;
        K::mul(next, all, turned);
        *all = *next;
        bit *= 2;
    }
    inverse(next, all);
    K::mul(out, next, others);
}

/// Sets every lane to the inverse of the first.
fn inverse_of_first<K: Kernels<N>, const N: usize>(out: &mut Table<N>, z: &Table<N>) {
    K::to_integers(out, z);
    let mut bytes = Zeroizing::new([[0; 32]]);
    encoding::encode(out, &mut *bytes);
    let inverse = inverse(&bytes[0]);
    let first = Zeroizing::new(encoding::decode::<1>(slice::from_ref(&*inverse)));
    let mut integers = Zeroizing::new(Table::ZERO);
    for (limb, [word]) in integers.0.iter_mut().zip(&first.0) {
        *limb = [*word; N];
    }
    K::from_integers(out, &integers);
}
