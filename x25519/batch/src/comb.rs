//! Many scalars and one point: the sum of multiples from a table, on the Edwards form of the curve,
//! one scalar a lane.
//!
//! Curve25519 is -x^2 + y^2 = 1 + d x^2 y^2 by u = (1 + y) / (1 - y) (RFC 7748, section 4.1). A scalar
//! is 64 digits from -8 to 8 ([`digits`]), the sum of digit i times 16^i. The table ([`table`]) has the
//! multiples 1 to 8 of 256^j P for j from 0 to 31, so the digits of odd places are added up first,
//! multiplied by 16, and then those of even places are added: 64 additions and four doublings, where a
//! ladder takes 255 of each. One scalar alone has four positions of the table in four lanes
//! ([`one_scalar`]).
//!
//! The addition is complete (Bernstein, Birkner, Joye, Lange and Peters 2008, section 6): d is no
//! square and -1 is, so no point is an exception. The scalar is not reduced modulo the group's order,
//! so a part of low order is lost as in the ladder.

pub(crate) mod choice;
pub(crate) mod digits;
pub(crate) mod one_scalar;
pub(crate) mod point;
pub(crate) mod table;

use zeroize::Zeroizing;

use self::{
    choice::Choice,
    digits::Digits,
    point::{Affine, Point, Scratch},
    table::{LANES, POSITIONS, Table as Multiples},
};
use crate::{
    division::{Fraction, divide},
    encoding,
};

/// How many groups of `N` scalars share an inverse.
const GROUPS: usize = 16;

/// `out[i] = X25519(scalars[i], point)`, of the point of the table.
pub(crate) fn x25519<K: Choice<N>, const N: usize>(
    multiples: &Multiples,
    scalars: &[[u8; 32]],
    out: &mut [[u8; 32]],
) {
    let mut fractions = Zeroizing::new([const { Fraction::<N>::ZERO }; GROUPS]);
    for (scalars, out) in scalars.chunks(GROUPS * N).zip(out.chunks_mut(GROUPS * N)) {
        let fractions = &mut fractions[..scalars.len().div_ceil(N)];
        for (scalars, fraction) in scalars.chunks(N).zip(&mut *fractions) {
            multiply::<K, N>(multiples, scalars, fraction);
        }
        divide::<K, N>(fractions);
        for (fraction, out) in fractions.iter_mut().zip(out.chunks_mut(N)) {
            K::to_integers(&mut fraction.z, &fraction.x);
            encoding::encode(&fraction.z, out);
        }
    }
}

/// u of at most `N` multiples: (1 + y) / (1 - y), with y = Y / Z.
fn multiply<K: Choice<N>, const N: usize>(
    multiples: &Multiples,
    scalars: &[[u8; 32]],
    u: &mut Fraction<N>,
) {
    let digits = Zeroizing::new(Digits::<N>::of(scalars));
    let mut sum = Zeroizing::new(Point::<N>::identity::<K>());
    let mut scratch = Zeroizing::new(Scratch::<N>::ZERO);
    add_places::<K, N>(&mut sum, multiples, &digits, 1, &mut scratch);
    for _ in 0..4 {
        point::double::<K, N>(&mut sum, &mut scratch);
    }
    add_places::<K, N>(&mut sum, multiples, &digits, 0, &mut scratch);
    K::sum_and_difference(&mut u.x, &mut u.z, &sum.z, &sum.y);
}

/// Adds what the digits of even places say, or those of odd ones, where `odd` is 1.
fn add_places<K: Choice<N>, const N: usize>(
    sum: &mut Point<N>,
    multiples: &Multiples,
    digits: &Digits<N>,
    odd: usize,
    scratch: &mut Scratch<N>,
) {
    let mut chosen = Zeroizing::new(Affine::<N>::ZERO);
    for position in 0..POSITIONS {
        K::choose(
            &mut chosen,
            &multiples.0[position / LANES],
            position % LANES,
            &digits.0[2 * position + odd],
        );
        point::add::<K, N>(sum, &chosen, scratch);
    }
}
