//! A whole step of one point in integers, and its start. Inputs and outputs are carried, and
//! nothing wraps: no column falls below zero or exceeds 2^64, and no factor has more than 52 bits.

use x25519_proofs::{Expression, LadderStep, begin};

use super::{
    kernels::{DECODED_INTEGER, carried},
    symbols::{RADIX, Symbols, assert_lane, elements},
};
use crate::{
    field::{Integers51, Table, load, store},
    lanes::Lanes,
    one::integers::{self as one, Places},
    tests::samples::Representation,
};

type Four = Symbols<4>;

/// Checks that the lanes of these elements are carried limbs of these numbers.
fn assert_carried<const N: usize>(element: &Table<N>, expected: &[Expression; N]) {
    let limbs = (Integers51::KIND, carried::<Integers51>());
    for (lane, expected) in expected.iter().enumerate() {
        assert_lane(element, lane, limbs, expected);
    }
}

fn elements_of<const N: usize>(bounds: [i128; 2], which: impl Fn(usize) -> usize) -> Table<N> {
    elements(Integers51::KIND, bounds, which)
}

/// Lanes C, D, A and B are elements 0 to 3, and x1, in every lane, is element 4. x2 and z2 are four
/// times those of RFC 7748.
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
