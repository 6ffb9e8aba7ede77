//! One point: four lanes that hold the four products of a step of the ladder (RFC 7748, section 5),
//! not four points. A table in each form says what is where.

pub(crate) mod doubles;
pub(crate) mod integers;

use zeroize::Zeroizing;

use crate::{
    division::{Fraction, divide},
    encoding,
    field::{Table, kernels::Kernels},
    ladder::clamped,
};

/// A back end's ladder of one point.
pub(crate) trait OnePoint: Kernels<4> {
    /// C, D, A and B in the lanes of `last` after all bits of a clamped scalar, of the carried point
    /// in every lane of `x1`. A and B are x2 + z2 and x2 - z2, or the same multiple of these.
    fn ladder(scalar: &[u8; 32], x1: &Table<4>, last: &mut Table<4>);
}

/// `X25519(scalar, point)`.
pub(crate) fn x25519<K: OnePoint>(scalar: &[u8; 32], point: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    let (mut x1, mut last) = (Table::ZERO, Zeroizing::new(Table::ZERO));
    K::from_integers(&mut x1, &encoding::decode(&[*point; 4]));
    K::ladder(&clamped(scalar), &x1, &mut last);
    let [a, b] = [2, 3].map(|lane| Zeroizing::new(Table(last.0.map(|limb| [limb[lane]; 4]))));
    // x2 and z2, both twice.
    let mut fraction = Zeroizing::new([Fraction::ZERO]);
    let [Fraction { x, z, .. }] = &mut *fraction;
    K::sum_and_difference(x, z, &a, &b);
    divide::<K, 4>(&mut *fraction);
    K::to_integers(&mut last, &fraction[0].x);
    let mut out = Zeroizing::new([[0; 32]]);
    encoding::encode(&last, &mut *out);
    Zeroizing::new(out[0])
}
