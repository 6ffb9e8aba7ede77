//! A whole step of a batch in each radix, and its start. Inputs and outputs are carried; no integer
//! wraps, and no operation on doubles has more than one rounding.

use x25519_proofs::{Expression, LadderStep, begin};

use super::{
    kernels::{DECODED_DOUBLE, DECODED_INTEGER, carried},
    symbols::{RADIX, Symbols, assert_lane, elements},
};
use crate::{
    field::{Columns, Doubles51, Integers51, Table},
    ladder::{
        group::Group,
        parts::{Inlined, Parts},
        step,
    },
    tests::samples::Representation,
};

/// One lane, since lanes are independent.
type Lane = Symbols<1>;

/// Checks that an element is carried limbs of this number.
fn assert_carried<R: Representation>(element: &Table<1>, expected: &Expression) {
    assert_lane(element, 0, (R::KIND, carried::<R>()), expected);
}

/// Proves a step in which A, B, C, D and x1 are elements 0 to 4, for two groups in lockstep; the
/// second has its points exchanged.
fn a_step<R: Representation + Columns<Lane, 1>>() {
    let [a, b, c, d, x1] = [0, 1, 2, 3, 4].map(Expression::element);
    for swap in [0, u64::MAX] {
        begin(RADIX);
        let table = |which| elements::<1>(R::KIND, carried::<R>(), |_| which);
        let mut groups = [[0, 1, 2, 3], [2, 3, 0, 1]].map(|points| {
            let mut group = Group::ZERO;
            let [a, b, c, d] = points.map(table);
            (group.a, group.b, group.c, group.d, group.x1) = (a, b, c, d, table(4));
            group
        });
        step::<Inlined<R, Lane>, 1>(&mut groups, swap);
        let steps = [[&a, &b, &c, &d, &x1], [&c, &d, &a, &b, &x1]];
        for (group, points) in groups.iter().zip(steps) {
            let out = LadderStep::new(points, swap != 0).sums_and_differences();
            for (place, out) in [&group.a, &group.b, &group.c, &group.d].iter().zip(&out) {
                assert_carried::<R>(place, out);
            }
        }
    }
}

/// Proves the start x2 = 1, z2 = 0, x3 = x1 and z3 = 1, with decoded limbs within these bounds.
fn the_start<R: Representation + Columns<Lane, 1>>(decoded: [i128; 2]) {
    begin(RADIX);
    let mut group = Group::<1>::ZERO;
    let x1 = elements(R::KIND, decoded, |_| 0);
    <Inlined<R, Lane> as Parts<1>>::start(&mut group, &x1);
    let [x1, one] = [Expression::element(0), Expression::constant(1)];
    for (place, expected) in [
        (&group.x1, x1.clone()),
        (&group.a, one.clone()),
        (&group.b, one.clone()),
        (&group.c, x1.plus(&one)),
        (&group.d, x1.minus(&one)),
    ] {
        assert_carried::<R>(place, &expected);
    }
}

#[test]
fn a_batch_in_doubles() {
    the_start::<Doubles51>([-DECODED_DOUBLE, DECODED_DOUBLE]);
    a_step::<Doubles51>();
}

#[test]
fn a_batch_in_integers() {
    the_start::<Integers51>(DECODED_INTEGER);
    a_step::<Integers51>();
}
