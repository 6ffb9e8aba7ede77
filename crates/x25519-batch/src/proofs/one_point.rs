//! A whole step of one point, and its start. Lanes C, D, A and B of the points are elements 0 to 3,
//! and x1, in every lane, is element 4.

use x25519_proofs::{Expression, LadderStep, begin};
use zeroize::Zeroizing;

use super::{
    kernels::{DECODED_DOUBLE, carried},
    symbols::{RADIX, Symbols, assert_lane, elements},
};
use crate::{
    field::{Doubles51, Table, doubles::Rows, load, store},
    lanes::Lanes,
    one::doubles as one,
    tests::samples::Representation,
};

type Four = Symbols<4>;

#[test]
fn a_step_of_one_point() {
    let (kind, bounds) = (Doubles51::KIND, carried::<Doubles51>());
    for swap in [0, u64::MAX] {
        begin(RADIX);
        let points = elements::<4>(kind, bounds, |lane| lane);
        let x1 = elements::<4>(kind, bounds, |_| 4);
        let (mut left, mut done) = (Zeroizing::new(Table::ZERO), Zeroizing::new(Rows::ZERO));
        let memory = (&mut *left, &mut *done);
        let after = one::step::<Four>(load(&points), load(&x1), Four::splat(swap), memory);
        let mut out = Table::ZERO;
        store(&mut out, after);

        let [c, d, a, b, x1] = [0, 1, 2, 3, 4].map(Expression::element);
        let step = LadderStep::new([&a, &b, &c, &d, &x1], swap != 0);
        let [a, b, c, d] = step.sums_and_differences();
        for (lane, expected) in [c, d, a, b].iter().enumerate() {
            assert_lane(&out, lane, (kind, bounds), expected);
        }
    }
}

/// Proves the start x2 = 1, z2 = 0, x3 = x1 and z3 = 1.
#[test]
fn the_start_of_one_point() {
    begin(RADIX);
    let decoded = [-DECODED_DOUBLE, DECODED_DOUBLE];
    let x1 = elements::<4>(Doubles51::KIND, decoded, |_| 0);
    let mut out = Table::ZERO;
    store(&mut out, one::start::<Four>(load(&x1)));
    let [x1, one] = [Expression::element(0), Expression::constant(1)];
    let expected = [x1.plus(&one), x1.minus(&one), one.clone(), one];
    for (lane, expected) in expected.iter().enumerate() {
        let limbs = (Doubles51::KIND, carried::<Doubles51>());
        assert_lane(&out, lane, limbs, expected);
    }
}
