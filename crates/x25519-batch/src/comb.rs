//! Many scalars and one point: the sum of multiples from a table, on the Edwards form of the curve,
//! one scalar per lane.
//!
//! Curve25519 is -x^2 + y^2 = 1 + d x^2 y^2 with u = (1 + y) / (1 - y) (RFC 7748, section 4.1). A
//! scalar is 64 digits from -8 to 8 ([`digits`]), the sum of digit i times 16^i. The table
//! ([`table`]) has the multiples 1 to 8 of 256^j P for j from 0 to 31. So the digits at odd places
//! are added first, the sum is multiplied by 16, and then those at even places are added: 64
//! additions and four doublings, where a ladder takes 255 of each. For a single scalar, four lanes
//! hold four positions of the table ([`one_scalar`]).
//!
//! The addition is complete (Bernstein, Birkner, Joye, Lange and Peters 2008, section 6): d is not
//! a square and -1 is one, so no point is an exception. The scalar is not reduced modulo the
//! group's order, so a low-order component is lost as in the ladder.

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

/// The number of groups of `N` scalars that share an inverse.
const GROUPS: usize = 16;

/// Computes `out[i] = X25519(scalars[i], point)`, for the point of the table.
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

/// Computes u of at most `N` multiples: (1 + y) / (1 - y), with y = Y / Z.
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

/// Adds the multiples for the digits at even places, or at odd ones if `odd` is 1.
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
