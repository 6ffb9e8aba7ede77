//! One point: four lanes hold the four products of a ladder step (RFC 7748, section 5), not four
//! points. A table in each module shows the contents of the lanes.

pub(crate) mod doubles;
pub(crate) mod integers;

use zeroize::Zeroizing;

use crate::{
    comb::{
        choice::RowChoice,
        digits::RowDigits,
        one_scalar::{self, quotients_to_bytes, set_lane},
        table::Table as Multiples,
    },
    division::Fraction,
    encoding,
    field::{Table, kernels::Kernels},
    ladder::clamped,
};

/// A back end's ladder of one point.
pub(crate) trait OnePoint: Kernels<4> {
    /// Computes C, D, A and B in the lanes of `last` after all bits of a clamped scalar, from the
    /// carried point in every lane of `x1`. A and B are x2 + z2 and x2 - z2, or the same multiple
    /// of both.
    fn ladder(scalar: &[u8; 32], x1: &Table<4>, last: &mut Table<4>);
}

/// Computes `X25519(scalar, point)`.
pub(crate) fn x25519<K: OnePoint>(scalar: &[u8; 32], point: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    let mut quotient = Zeroizing::new([Fraction::ZERO]);
    multiply::<K>(scalar, point, &mut quotient[0]);
    let mut out = Zeroizing::new([[0; 32]]);
    quotients_to_bytes::<K>(&mut quotient, &mut *out);
    Zeroizing::new(out[0])
}

/// Computes X25519 of the base point, with its table, and of another point, with one division for
/// both.
pub(crate) fn agree<K: OnePoint + RowChoice>(
    base: &Multiples,
    scalar: &[u8; 32],
    point: &[u8; 32],
    out: &mut [[u8; 32]; 2],
) {
    let mut quotients = Zeroizing::new([Fraction::ZERO]);
    multiply::<K>(scalar, point, &mut quotients[0]);
    let digits = Zeroizing::new(RowDigits::of(scalar));
    let of_base = one_scalar::multiply::<K>(base, &digits);
    set_lane(&mut quotients[0].x, 0, &of_base.x);
    set_lane(&mut quotients[0].z, 0, &of_base.z);
    quotients_to_bytes::<K>(&mut quotients, out);
}

/// Computes x2 and z2 in every lane, both twice.
fn multiply<K: OnePoint>(scalar: &[u8; 32], point: &[u8; 32], quotient: &mut Fraction<4>) {
    let (mut x1, mut last) = (Table::ZERO, Zeroizing::new(Table::ZERO));
    K::from_integers(&mut x1, &encoding::decode(&[*point; 4]));
    K::ladder(&clamped(scalar), &x1, &mut last);
    let [a, b] = [2, 3].map(|lane| Zeroizing::new(Table(last.0.map(|limb| [limb[lane]; 4]))));
    K::sum_and_difference(&mut quotient.x, &mut quotient.z, &a, &b);
}
