//! Many points, one per lane.

use alloc::vec;

use zeroize::Zeroizing;

use crate::{
    division::{Fraction, divide},
    encoding,
    field::Table,
    ladder::{Ladder, clamped},
};

/// The number of groups of `N` points that share an inverse. An inverse takes less than a tenth
/// of a ladder, so its share is below one in a hundred.
const GROUPS: usize = 16;

/// Computes `out[i] = X25519(scalar, points[i])`.
pub(crate) fn x25519<K: Ladder<N>, const N: usize>(
    scalar: &[u8; 32],
    points: &[[u8; 32]],
    out: &mut [[u8; 32]],
) {
    let scalar = clamped(scalar);
    let groups = GROUPS.min(points.len().div_ceil(N));
    let mut fractions = Zeroizing::new(vec![Fraction::ZERO; groups]);
    for (points, out) in points.chunks(GROUPS * N).zip(out.chunks_mut(GROUPS * N)) {
        let fractions = &mut fractions[..points.len().div_ceil(N)];
        let in_pairs = points.len() / (2 * N) * 2;
        let (pairs, rest) = fractions.split_at_mut(in_pairs);
        let (points, rest_of_points) = points.split_at(in_pairs * N);
        for (points, pair) in points.chunks(2 * N).zip(pairs.as_chunks_mut().0) {
            ladder::<K, N, 2>(&scalar, points, pair);
        }
        for (points, group) in rest_of_points.chunks(N).zip(rest.as_chunks_mut().0) {
            ladder::<K, N, 1>(&scalar, points, group);
        }
        quotients::<K, N>(fractions, out);
    }
}

/// Computes the same for at most `N` points.
pub(crate) fn x25519_of_one_vector<K: Ladder<N>, const N: usize>(
    scalar: &[u8; 32],
    points: &[[u8; 32]],
    out: &mut [[u8; 32]],
) {
    let mut fractions = Zeroizing::new([Fraction::ZERO]);
    ladder::<K, N, 1>(&clamped(scalar), points, &mut fractions);
    quotients::<K, N>(&mut *fractions, out);
}

/// Runs the ladder on at most `G` groups of points. The last may be incomplete.
fn ladder<K: Ladder<N>, const N: usize, const G: usize>(
    scalar: &[u8; 32],
    points: &[[u8; 32]],
    fractions: &mut [Fraction<N>; G],
) {
    let mut x1 = [Table::ZERO; G];
    for (x1, points) in x1.iter_mut().zip(points.chunks(N)) {
        K::from_integers(x1, &encoding::decode(points));
    }
    K::ladder(scalar, &x1, fractions);
}

/// Writes the quotients, and overwrites all fractions.
fn quotients<K: Ladder<N>, const N: usize>(fractions: &mut [Fraction<N>], out: &mut [[u8; 32]]) {
    divide::<K, N>(fractions);
    for (fraction, out) in fractions.iter_mut().zip(out.chunks_mut(N)) {
        K::to_integers(&mut fraction.z, &fraction.x);
        encoding::encode(&fraction.z, out);
    }
}
