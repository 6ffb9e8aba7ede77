//! Whole steps in integers, of a batch and of one point, and where they start. Carried in and carried
//! out, and nothing wraps: no column falls below zero or passes 2^64, and no factor has more than 52
//! bits.

use proofs::{Expression, LadderStep, begin};

use super::{
    kernels::{DECODED_INTEGER, carried},
    symbols::{RADIX, Symbols, assert_lane, elements},
};
use crate::{
    field::{Integers51, Table, load, store},
    ladder::integers::{Group, step},
    lanes::Lanes,
    one::integers::{self as one, Places},
    tests::samples::Representation,
};

type Four = Symbols<4>;

/// That the lanes of these elements are carried limbs of these numbers.
fn assert_carried<const N: usize>(element: &Table<N>, expected: &[Expression; N]) {
    let limbs = (Integers51::KIND, carried::<Integers51>());
    for (lane, expected) in expected.iter().enumerate() {
        assert_lane(element, lane, limbs, expected);
    }
}

fn elements_of<const N: usize>(bounds: [i128; 2], which: impl Fn(usize) -> usize) -> Table<N> {
    elements(Integers51::KIND, bounds, which)
}

/// A, B, C, D and x1 are elements 0 to 4, in two groups in lockstep, of which the second has its
/// points exchanged.
#[test]
fn a_step_of_a_batch_in_integers() {
    let [a, b, c, d, x1] = [0, 1, 2, 3, 4].map(Expression::element);
    for swap in [0, u64::MAX] {
        begin(RADIX);
        let carried = carried::<Integers51>();
        let table = |which| elements_of::<1>(carried, |_| which);
        let mut groups = [[0, 1, 2, 3], [2, 3, 0, 1]].map(|points| {
            let mut group = Group::ZERO;
            let [a, b, c, d] = points.map(table);
            (group.a, group.b, group.c, group.d, group.x1) = (a, b, c, d, table(4));
            group
        });
        step::<Symbols<1>, 1>(&mut groups, swap);
        let steps = [[&a, &b, &c, &d, &x1], [&c, &d, &a, &b, &x1]];
        for (group, points) in groups.iter().zip(steps) {
            let out = LadderStep::new(points, swap != 0).sums_and_differences();
            for (place, out) in [&group.a, &group.b, &group.c, &group.d].iter().zip(out) {
                assert_carried(place, &[out]);
            }
        }
    }
}

#[test]
fn the_start_of_a_batch_in_integers() {
    begin(RADIX);
    let mut group = Group::<1>::ZERO;
    group.start::<Symbols<1>>(&elements_of(DECODED_INTEGER, |_| 0));
    let [x1, one] = [Expression::element(0), Expression::constant(1)];
    for (place, expected) in [
        (&group.x1, x1.clone()),
        (&group.a, one.clone()),
        (&group.b, one.clone()),
        (&group.c, x1.plus(&one)),
        (&group.d, x1.minus(&one)),
    ] {
        assert_carried(place, &[expected]);
    }
}

/// Lanes C, D, A and B are elements 0 to 3, and x1, in every lane, is element 4. x2 and z2 are four
/// times what RFC 7748 has.
#[test]
fn a_step_of_one_point_in_integers() {
    let [c, d, a, b, x1] = [0, 1, 2, 3, 4].map(Expression::element);
    let four = Expression::constant(4);
    for swap in [0, u64::MAX] {
        begin(RADIX);
        let points = elements_of::<4>(carried::<Integers51>(), |lane| lane);
        let x1_in_all = Table(
            elements_of::<1>(DECODED_INTEGER, |_| 4)
                .0
                .map(|[limb]| [limb; 4]),
        );
        let left = one::left_of_x1::<Four>(load(&x1_in_all));
        let after = one::step(load(&points), left, Four::splat(swap), Places::KNOWN);
        let mut out = Table::ZERO;
        store(&mut out, after);
        let mut step = LadderStep::new([&a, &b, &c, &d, &x1], swap != 0);
        (step.x2, step.z2) = (four.times(&step.x2), four.times(&step.z2));
        let [a, b, c, d] = step.sums_and_differences();
        assert_carried(&out, &[c, d, a, b]);
    }
}

#[test]
fn the_start_of_one_point_in_integers() {
    begin(RADIX);
    let x1 = elements_of::<4>(DECODED_INTEGER, |_| 0);
    let mut out = Table::ZERO;
    store(&mut out, one::start::<Four>(load(&x1)));
    let [x1, one] = [Expression::element(0), Expression::constant(1)];
    assert_carried(&out, &[x1.plus(&one), x1.minus(&one), one.clone(), one]);
}
