//! One point: four lanes hold the four products of a ladder step (RFC 7748, section 5), not four
//! points.
//!
//! | lane | 0 | 1 | 2 | 3 |
//! |---|---|---|---|---|
//! | between steps | C | D | A | B |
//! | first products | DA | CB | AA | BB |
//! | factors of the second | DA + CB | DA - CB | AA and BB | E and a24 |
//! | second products | x3 | (DA - CB)^2 | x2 | a24 E |
//! | third products | | z3 | | z2 |
//!
//! Sums and differences of products are computed on their columns, before carrying.

use zeroize::Zeroizing;

use crate::{
    field::{
        A24, Limbs, Table,
        doubles::{Rows, carried, double, product},
        load, store,
    },
    ladder::swap,
    lanes::{Doubles, Quad},
};

/// Implements [`OnePoint::ladder`](super::OnePoint::ladder) on lanes.
#[inline(always)]
pub(crate) fn ladder<L: Quad + Doubles<4>>(scalar: &[u8; 32], x1: &Table<4>, last: &mut Table<4>) {
    let (mut left, mut done) = (Zeroizing::new(Table::ZERO), Zeroizing::new(Rows::ZERO));
    let x1 = load(x1);
    let mut points = start::<L>(x1);
    for position in (0..255).rev() {
        let swap = L::splat(swap(scalar, position));
        points = step(points, x1, swap, (&mut left, &mut done));
    }
    store(last, points);
}

/// Computes the lanes for x2 = 1, z2 = 0, x3 = x1 and z3 = 1.
#[inline(always)]
pub(crate) fn start<L: Quad + Doubles<4>>(x1: Limbs<L>) -> Limbs<L> {
    let (zero, one) = (L::splat(0), double::<L, 4>(1.0));
    let mut points = each(x1, |limb| limb.replace::<0b1100>(zero));
    points[0] = x1[0]
        .plus(one)
        .replace::<0b0010>(x1[0].minus(one))
        .replace::<0b1100>(one);
    points
}

/// Processes one bit. The doubled point is P / Q, which is A / B, or C / D if `swap` is all ones.
#[inline(always)]
pub(crate) fn step<L: Quad + Doubles<4>>(
    points: Limbs<L>,
    x1: Limbs<L>,
    swap: L,
    (left, done): (&mut Table<4>, &mut Rows<4>),
) -> Limbs<L> {
    // D, C, P, Q times A, B, P, Q.
    let turned = each(points, L::swap_halves);
    let doubled = both(points, turned, |points, turned| swap.select(turned, points));
    store(
        left,
        both(points, doubled, |points, doubled| {
            points.swap_pairs().replace::<0b1100>(doubled)
        }),
    );
    // DA, CB, PP, QQ.
    let first = product(left, both(turned, doubled, L::replace::<0b1100>), done);

    let other = each(first, L::swap_pairs);
    // DA + CB, DA - CB, AA, BB.
    let sums = carried(both(
        sums_and_differences(first),
        first,
        L::replace::<0b1100>,
    ));
    let turned = each(sums, L::swap_pairs);
    // DA + CB, DA - CB, AA, E times DA + CB, DA - CB, BB, a24.
    let left_factors = both(sums, turned, |sums, turned| {
        sums.replace::<0b1000>(turned.minus(sums))
    });
    store(left, left_factors);
    let mut right = both(sums, turned, |sums, turned| {
        sums.replace::<0b0100>(turned)
            .replace::<0b1000>(L::splat(0))
    });
    right[0] = right[0].replace::<0b1000>(double(A24_DOUBLE));
    // x3 = (DA + CB)^2, (DA - CB)^2, x2 = AA BB, a24 E.
    let second = product(left, right, done);

    // x1 times (DA - CB)^2, E times AA + a24 E.
    store(left, both(x1, left_factors, L::replace::<0b1000>));
    let zero = L::splat(0);
    let right = both(second, other, |second, other| {
        second.add(zero.replace::<0b1000>(other))
    });
    // z3 = x1 (DA - CB)^2 in lane 1, z2 = E (AA + a24 E) in lane 3.
    let third = product(left, carried(right), done);
    carried(sums_and_differences(both(
        second,
        third,
        L::replace::<0b1010>,
    )))
}

/// Computes, in each pair of lanes, the sum of both columns in the first and their difference in
/// the second.
#[inline(always)]
fn sums_and_differences<L: Quad>(columns: Limbs<L>) -> Limbs<L> {
    each(columns, |columns| {
        let other = columns.swap_pairs();
        other.add(columns).replace::<0b1010>(other.sub(columns))
    })
}

#[allow(clippy::cast_precision_loss, reason = "of 17 bits")]
const A24_DOUBLE: f64 = A24 as f64;

/// Applies an operation limb by limb, in a loop: closures passed to an array's own `map` may be
/// compiled separately, without the vector instructions.
#[inline(always)]
fn each<L: Quad>(f: Limbs<L>, operation: impl Fn(L) -> L) -> Limbs<L> {
    both(f, f, |f, _| operation(f))
}

/// Applies an operation to two elements limb by limb.
#[inline(always)]
fn both<L: Quad>(f: Limbs<L>, g: Limbs<L>, operation: impl Fn(L, L) -> L) -> Limbs<L> {
    let mut h = f;
    for (h, g) in h.iter_mut().zip(g) {
        *h = operation(*h, g);
    }
    h
}
