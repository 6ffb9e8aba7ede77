//! A whole step of one point, and its start. Lanes C, D, A and B of the points are elements 0 to 3,
//! and x1, in every lane, is element 4. Inputs and outputs are carried, and nothing wraps: no
//! column of integers falls below zero or exceeds 2^64, and no factor has more than 52 bits.

use x25519_proofs::{Expression, LadderStep, begin};
use zeroize::Zeroizing;

use super::{DECODED_DOUBLE, DECODED_INTEGER, RADIX, Symbols, assert_lane, carried, elements};
use crate::{
    field::{Doubles51, Integers51, Table, doubles::Rows, load, store},
    lanes::Lanes,
    one::{
        doubles,
        integers::{self, Places},
    },
    tests::samples::Representation,
};

type Four = Symbols<4>;

/// Checks that the lanes of an element are carried limbs of these numbers.
fn assert_carried<R: Representation>(element: &Table<4>, expected: &[Expression; 4]) {
    for (lane, expected) in expected.iter().enumerate() {
        assert_lane(element, lane, (R::KIND, carried::<R>()), expected);
    }
}

#[test]
fn a_step_of_one_point() {
    let (kind, bounds) = (Doubles51::KIND, carried::<Doubles51>());
    for swap in [0, u64::MAX] {
        begin(RADIX);
        let points = elements::<4>(kind, bounds, |lane| lane);
        let x1 = elements::<4>(kind, bounds, |_| 4);
        let (mut left, mut done) = (Zeroizing::new(Table::ZERO), Zeroizing::new(Rows::ZERO));
        let memory = (&mut *left, &mut *done);
        let after = doubles::step::<Four>(load(&points), load(&x1), Four::splat(swap), memory);
        let mut out = Table::ZERO;
        store(&mut out, after);

        let [c, d, a, b, x1] = [0, 1, 2, 3, 4].map(Expression::element);
        let step = LadderStep::new([&a, &b, &c, &d, &x1], swap != 0);
        let [a, b, c, d] = step.sums_and_differences();
        assert_carried::<Doubles51>(&out, &[c, d, a, b]);
    }
}

/// Proves the start x2 = 1, z2 = 0, x3 = x1 and z3 = 1.
#[test]
fn the_start_of_one_point() {
    begin(RADIX);
    let decoded = [-DECODED_DOUBLE, DECODED_DOUBLE];
    let x1 = elements::<4>(Doubles51::KIND, decoded, |_| 0);
    let mut out = Table::ZERO;
    store(&mut out, doubles::start::<Four>(load(&x1)));
    let [x1, one] = [Expression::element(0), Expression::constant(1)];
    let expected = [x1.plus(&one), x1.minus(&one), one.clone(), one];
    assert_carried::<Doubles51>(&out, &expected);
}

/// x2 and z2 are four times those of RFC 7748.
#[test]
fn a_step_of_one_point_in_integers() {
    let [c, d, a, b, x1] = [0, 1, 2, 3, 4].map(Expression::element);
    let (kind, four) = (Integers51::KIND, Expression::constant(4));
    for swap in [0, u64::MAX] {
        begin(RADIX);
        let points = elements::<4>(kind, carried::<Integers51>(), |lane| lane);
        let x1_in_all = Table(
            elements::<1>(kind, DECODED_INTEGER, |_| 4)
                .0
                .map(|[limb]| [limb; 4]),
        );
        let left = integers::left_of_x1::<Four>(load(&x1_in_all));
        let after = integers::step(load(&points), left, Four::splat(swap), Places::KNOWN);
        let mut out = Table::ZERO;
        store(&mut out, after);
        let mut step = LadderStep::new([&a, &b, &c, &d, &x1], swap != 0);
        (step.x2, step.z2) = (four.times(&step.x2), four.times(&step.z2));
        let [a, b, c, d] = step.sums_and_differences();
        assert_carried::<Integers51>(&out, &[c, d, a, b]);
    }
}

#[test]
fn the_start_of_one_point_in_integers() {
    begin(RADIX);
    let x1 = elements::<4>(Integers51::KIND, DECODED_INTEGER, |_| 0);
    let mut out = Table::ZERO;
    store(&mut out, integers::start::<Four>(load(&x1)));
    let [x1, one] = [Expression::element(0), Expression::constant(1)];
    assert_carried::<Integers51>(&out, &[x1.plus(&one), x1.minus(&one), one.clone(), one]);
}
