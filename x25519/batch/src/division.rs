//! One inversion for many fractions.

use zeroize::{Zeroize, Zeroizing};

use crate::{
    encoding,
    field::{Table, kernels::Kernels},
};

/// `x / z`, and what the shared inversion keeps beside it.
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

/// Leaves `x / z` in each `x`, and zero where `z` is zero, by one inversion for all (Montgomery's
/// trick).
pub(crate) fn divide<K: Kernels<N>, const N: usize>(fractions: &mut [Fraction<N>]) {
    let mut scratch = Zeroizing::new([K::ONE; 3]);
    let [product, next, inverse] = &mut *scratch;
    // before_i = z_0 z_1 ... z_(i-1).
    for fraction in &mut *fractions {
        without_zero::<K, N>(fraction);
        fraction.before = *product;
        K::mul(next, product, &fraction.z);
        *product = *next;
    }
    invert::<K, N>(inverse, product);
    // From the last to the first, inverse = 1 / (z_0 ... z_i): times before_i it is 1 / z_i, times z_i
    // it is that of the one before.
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
    // z^(2^250 - 1), five squarings and z^11: (2^250 - 1) 2^5 + 11 = 2^255 - 21.
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
