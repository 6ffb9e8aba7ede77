//! The table of a point: the multiples 1 to 8 of 256^j P, for j from 0 to 31. 30 kB.
//!
//! The point is public, and so is everything computed here.

use alloc::{boxed::Box, vec, vec::Vec};

use curve25519_dalek::{constants::EIGHT_TORSION, montgomery::MontgomeryPoint};

use super::point::{Affine, Point, Scratch, add, double};
use crate::{
    division::{Fraction, divide},
    encoding,
    field::{self, LIMBS, kernels::Kernels},
};

pub(crate) const POSITIONS: usize = 32;
pub(crate) const MULTIPLES: usize = 8;

/// The number of positions per row, one per lane: position j is lane j modulo 4 of row j / 4.
pub(crate) const LANES: usize = 4;

/// The values y + x, y - x and 2 d x y of a point in each lane, as carried limbs of the back end's
/// radix.
pub(crate) type Entry = [[[u64; LANES]; LIMBS]; 3];

/// The multiples 1 to 8 of some positions.
pub(crate) type Row = [Entry; MULTIPLES];

/// A table, aligned to cache lines, so that no vector straddles two.
#[repr(C, align(64))]
pub(crate) struct Table(pub(crate) [Row; POSITIONS / LANES]);

/// Makes the table of a point by its u. Returns `None` for a point of the curve's twist. Either of
/// the two points with that u works, since their multiples have the same u.
pub(crate) fn table<K: Kernels<LANES>>(u: &[u8; 32]) -> Option<Box<Table>> {
    let mut bases = bases::<K, LANES>(&affine(u)?);
    let bases = affines::<K, LANES>(&mut bases);
    let mut table = Box::new(Table(
        [[[[[0; LANES]; LIMBS]; 3]; MULTIPLES]; POSITIONS / LANES],
    ));
    for (base, row) in bases.iter().zip(&mut table.0) {
        let mut multiples = multiples::<K, LANES>(base);
        for (entry, of) in row.iter_mut().zip(affines::<K, LANES>(&mut multiples)) {
            *entry = [of.plus.0, of.minus.0, of.product.0];
        }
    }
    Some(table)
}

/// -sqrt(-1), and 2 d with d = -121665 / 121666 (RFC 7748, section 4.1): least byte first.
const MINUS_I: [u8; 32] = *b"\x3d\x5f\xf1\xb5\xd8\xe4\x11\x3b\x87\x1b\xd0\x52\xf9\xe7\xbc\xd0\x58\x28\x04\xc2\x66\xff\xb2\xd4\xf4\x20\x3e\xb0\x7f\xdb\x7c\x54";
const TWICE_D: [u8; 32] = *b"\x59\xf1\xb2\x26\x94\x9b\xd6\xeb\x56\xb1\x83\x82\x9a\x14\xe0\x00\x30\xd1\xf3\xee\xf2\x80\x8e\x19\xe7\xfc\xdf\x56\xdc\xd9\x06\x24";

/// Returns y of the point, and y of its sum with (i, 0), which is i x, since the library does not
/// return x.
fn affine(u: &[u8; 32]) -> Option<[[u8; 32]; 2]> {
    let point = MontgomeryPoint(*u).to_edwards(0)?;
    let turned = point + EIGHT_TORSION[2];
    Some([point, turned].map(|point| {
        let mut y = point.compress().to_bytes();
        y[31] &= 127;
        y
    }))
}

/// Returns 2 d in every lane.
pub(crate) fn twice_d<K: Kernels<N>, const N: usize>() -> field::Table<N> {
    everywhere::<K, N>(&TWICE_D)
}

/// Returns a number in every lane.
fn everywhere<K: Kernels<N>, const N: usize>(bytes: &[u8; 32]) -> field::Table<N> {
    let mut element = field::Table::ZERO;
    K::from_integers(&mut element, &encoding::decode(&[*bytes; N]));
    element
}

/// Computes 256^j P, in groups of `N`, one per lane.
fn bases<K: Kernels<N>, const N: usize>([y, turned]: &[[u8; 32]; 2]) -> Vec<Point<N>> {
    let mut power = Point::<N>::identity::<K>();
    power.y = everywhere::<K, N>(y);
    K::mul(
        &mut power.x,
        &everywhere::<K, N>(turned),
        &everywhere::<K, N>(&MINUS_I),
    );
    K::mul(&mut power.t, &power.x, &power.y);
    let mut bases = vec![power.clone(); POSITIONS / N];
    let mut scratch = Scratch::ZERO;
    for position in 0..POSITIONS {
        set_lane(&mut bases[position / N], position % N, &power);
        for _ in 0..8 {
            double::<K, N>(&mut power, &mut scratch);
        }
    }
    bases
}

fn set_lane<const N: usize>(point: &mut Point<N>, lane: usize, of: &Point<N>) {
    let places = [&mut point.x, &mut point.y, &mut point.z, &mut point.t];
    for (place, element) in places.into_iter().zip([&of.x, &of.y, &of.z, &of.t]) {
        for (limb, other) in place.0.iter_mut().zip(&element.0) {
            limb[lane] = other[lane];
        }
    }
}

/// Computes 1 to 8 times a point.
fn multiples<K: Kernels<N>, const N: usize>(base: &Affine<N>) -> Vec<Point<N>> {
    let (mut sum, mut scratch) = (Point::identity::<K>(), Scratch::ZERO);
    (0..MULTIPLES)
        .map(|_| {
            add::<K, N>(&mut sum, base, &mut scratch);
            sum.clone()
        })
        .collect()
}

/// Converts points to affine form with one inverse. No denominator is zero, since the addition is
/// complete.
fn affines<K: Kernels<N>, const N: usize>(points: &mut [Point<N>]) -> Vec<Affine<N>> {
    let mut inverses: Vec<_> = points
        .iter()
        .map(|point| {
            let mut fraction = Fraction::ZERO;
            (fraction.x, fraction.z) = (K::ONE, point.z);
            fraction
        })
        .collect();
    divide::<K, N>(&mut inverses);
    let twice_d = twice_d::<K, N>();
    let affine = |(point, inverse): (&Point<N>, &Fraction<N>)| {
        let mut affine = Affine::ZERO;
        let (mut x, mut y) = (field::Table::ZERO, field::Table::ZERO);
        K::mul(&mut x, &point.x, &inverse.x);
        K::mul(&mut y, &point.y, &inverse.x);
        K::sum_and_difference(&mut affine.plus, &mut affine.minus, &y, &x);
        let mut product = field::Table::ZERO;
        K::mul(&mut product, &x, &y);
        K::mul(&mut affine.product, &product, &twice_d);
        affine
    };
    points.iter().zip(&inverses).map(affine).collect()
}
