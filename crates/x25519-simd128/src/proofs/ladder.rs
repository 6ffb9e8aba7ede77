//! The ladder's step is RFC 7748's. Inputs and outputs are carried, so any number of steps can
//! follow the first.

use x25519_proofs::{Expression, LadderStep, begin};

use super::{DECODED, RADIX, around_zero, assert_carried, constant, element, four};
use crate::{field::CARRIED, ladder::step, row};

/// Computes the expected z2, x3, z3 and x2, with x1.
fn expected([z2, x3, z3, x2]: [&Expression; 4], x1: &Expression, swap: u8) -> [Expression; 4] {
    let [a, b, c, d] = [x2.plus(z2), x2.minus(z2), x3.plus(z3), x3.minus(z3)];
    let LadderStep { x2, z2, x3, z3 } = LadderStep::new([&a, &b, &c, &d, x1], swap == 1);
    [z2, x3, z3, x2]
}

/// The points are elements 0 to 3, x1 is element 4.
#[test]
fn a_step() {
    for swap in [0, 1] {
        begin(RADIX);
        let points = four(&[0, 1, 2, 3].map(|i| element(i, around_zero(CARRIED))));
        let x1 = row::factor(&four(&[element(4, DECODED); 4]));
        let out = step(&points, &x1, swap);
        let points = [0, 1, 2, 3].map(Expression::element);
        let expected = expected(points.each_ref(), &Expression::element(4), swap);
        assert_carried(&out, expected.each_ref());
    }
}

/// Tests the first step, from 0, x1, 1 and 1, as they are decoded.
#[test]
fn the_first_step() {
    for swap in [0, 1] {
        begin(RADIX);
        let x1 = element(0, DECODED);
        let points = four(&[constant(0), x1, constant(1), constant(1)]);
        let out = step(&points, &row::factor(&four(&[x1; 4])), swap);
        let [zero, one] = [0, 1].map(Expression::constant);
        let x1 = Expression::element(0);
        let expected = expected([&zero, &x1, &one, &one], &x1, swap);
        assert_carried(&out, expected.each_ref());
    }
}
