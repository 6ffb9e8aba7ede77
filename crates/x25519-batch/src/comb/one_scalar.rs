//! One scalar with one or several points: four positions of a table in four lanes.
//!
//! Each lane adds the multiples of every fourth position. Then the lanes are added to one another.
//! This takes 16 additions, four doublings and two additions, all in four lanes, where a scalar in
//! each lane takes 64 additions. The quotients u of several points share one division, with one
//! point per lane.

use zeroize::Zeroizing;

use super::{
    choice::RowChoice,
    digits::{Digit, RowDigits},
    point::{self, Affine, Point, Scratch},
    table::{LANES, Table as Multiples, twice_d},
};
use crate::{
    division::{Fraction, divide},
    encoding,
    field::{Table, kernels::Kernels},
};

/// Computes `out[i] = X25519(scalar, point i)`, for the points of at most four tables.
pub(crate) fn x25519<K: RowChoice>(tables: &[&Multiples], scalar: &[u8; 32], out: &mut [[u8; 32]]) {
    let digits = Zeroizing::new(RowDigits::of(scalar));
    let mut quotients = Zeroizing::new([Fraction::ZERO]);
    for (lane, multiples) in tables.iter().enumerate().take(LANES) {
        let u = multiply::<K>(multiples, &digits);
        set_lane(&mut quotients[0].x, lane, &u.x);
        set_lane(&mut quotients[0].z, lane, &u.z);
    }
    quotients_to_bytes::<K>(&mut quotients, out);
}

/// Writes the quotient of each lane, up to the number of outputs.
pub(crate) fn quotients_to_bytes<K: Kernels<LANES>>(
    quotients: &mut [Fraction<LANES>; 1],
    out: &mut [[u8; 32]],
) {
    divide::<K, LANES>(quotients);
    let Fraction { x, z, .. } = &mut quotients[0];
    K::to_integers(z, x);
    encoding::encode(z, out);
}

/// Copies one lane of `of` to the same lane of `element`.
pub(crate) fn set_lane(element: &mut Table<LANES>, lane: usize, of: &Table<LANES>) {
    for (limb, of) in element.0.iter_mut().zip(&of.0) {
        limb[lane] = of[lane];
    }
}

/// Computes u of the multiple in every lane: (1 + y) / (1 - y), with y = Y / Z.
pub(crate) fn multiply<K: RowChoice>(
    multiples: &Multiples,
    digits: &RowDigits,
) -> Zeroizing<Fraction<LANES>> {
    let mut sum = Zeroizing::new(Point::<LANES>::identity::<K>());
    let mut scratch = Zeroizing::new(Scratch::<LANES>::ZERO);
    add_rows::<K>(&mut sum, multiples, &digits.0[1], &mut scratch);
    for _ in 0..4 {
        point::double::<K, LANES>(&mut sum, &mut scratch);
    }
    add_rows::<K>(&mut sum, multiples, &digits.0[0], &mut scratch);
    let twice_d = twice_d::<K, LANES>();
    let mut others = Zeroizing::new(Point::identity::<K>());
    for bit in [2, 1] {
        turn(&mut others, &sum, bit);
        point::add_point::<K, LANES>(&mut sum, &others, &twice_d, &mut scratch);
    }
    let mut u = Zeroizing::new(Fraction::ZERO);
    let Fraction { x, z, .. } = &mut *u;
    K::sum_and_difference(x, z, &sum.z, &sum.y);
    u
}

/// Adds the multiples for each row's digits.
fn add_rows<K: RowChoice>(
    sum: &mut Point<LANES>,
    multiples: &Multiples,
    digits: &[Digit<LANES>],
    scratch: &mut Scratch<LANES>,
) {
    let mut chosen = Zeroizing::new(Affine::<LANES>::ZERO);
    for (row, digit) in multiples.0.iter().zip(digits) {
        K::choose_row(&mut chosen, row, digit);
        point::add::<K, LANES>(sum, &chosen, scratch);
    }
}

/// Sets each lane to the lane of the other point whose index differs in this bit.
fn turn<const N: usize>(point: &mut Point<N>, of: &Point<N>, bit: usize) {
    point.x.turn(&of.x, bit);
    point.y.turn(&of.y, bit);
    point.z.turn(&of.z, bit);
    point.t.turn(&of.t, bit);
}
