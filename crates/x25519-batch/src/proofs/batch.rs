//! A whole step of a batch in each radix, and its start. Inputs and outputs are carried; no integer
//! wraps, and no operation on doubles has more than one rounding. That step is RFC 7748's, and is
//! the group law.

use x25519_proofs::{Expression, LadderStep, begin};

use super::{DECODED_DOUBLE, DECODED_INTEGER, RADIX, Symbols, assert_lane, carried, elements};
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

/// Makes a carried element.
fn symbol<R: Representation>(which: usize) -> Table<1> {
    elements(R::KIND, carried::<R>(), |_| which)
}

/// Proves a step in which A, B, C, D and x1 are elements 0 to 4, for two groups in lockstep; the
/// second has its points exchanged.
fn a_step<R: Representation + Columns<Lane, 1>>() {
    let [a, b, c, d, x1] = [0, 1, 2, 3, 4].map(Expression::element);
    for swap in [0, u64::MAX] {
        begin(RADIX);
        let mut groups = [[0, 1, 2, 3], [2, 3, 0, 1]].map(|points| {
            let mut group = Group::ZERO;
            let [a, b, c, d] = points.map(symbol::<R>);
            (group.a, group.b, group.c, group.d, group.x1) = (a, b, c, d, symbol::<R>(4));
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

/// RFC 7748, section 5, swaps the points and then doubles the first. [`LadderStep`] chooses instead
/// of swapping.
#[test]
fn to_choose_what_is_doubled_is_to_swap() {
    let [a, b, c, d, x1] = [0, 1, 2, 3, 4].map(Expression::element);
    let chosen = LadderStep::new([&a, &b, &c, &d, &x1], true);
    let swapped = LadderStep::new([&c, &d, &a, &b, &x1], false);
    assert_eq!(
        chosen.sums_and_differences(),
        swapped.sums_and_differences()
    );
}

/// The step is the group law of v^2 = u^3 + A u^2 + u, if no divisor is zero.
///
/// For points (u, v) and (s, t) with `d = u - s`, the sum satisfies `d^2 x = (v - t)^2 - (A + u +
/// s) d^2` and the difference the same with `v + t`. Their product contains `v` and `t` only as
/// squares. Twice (u, v) satisfies `4 v^2 x = (3 u^2 + 2 A u + 1)^2 - 4 v^2 (A + 2 u)`.
#[test]
fn that_step_is_the_group_law() {
    let [u, z, s, y] = [0, 1, 2, 3].map(Expression::element);
    let [one, two, three, four, a] = [1, 2, 3, 4, 486_662].map(Expression::constant);
    let [vv, tt] = [&u, &s].map(|u| u.times(&u.squared().plus(&a.times(u)).plus(&one)));
    let dd = u.minus(&s).squared();
    let mean = vv.plus(&tt).minus(&a.plus(&u).plus(&s).times(&dd));
    let sum_times_difference = mean.squared().minus(&four.times(&vv).times(&tt));
    assert_eq!(
        sum_times_difference,
        dd.times(&u.times(&s).minus(&one).squared())
    );
    let slope = three
        .times(&u.squared())
        .plus(&two.times(&a).times(&u))
        .plus(&one);
    let twice = slope
        .squared()
        .minus(&four.times(&vv).times(&a.plus(&two.times(&u))));
    assert_eq!(twice, u.squared().minus(&one).squared());

    // The step's formulas are these with denominators: for u / z and s / y.
    let (p, q, r, t) = (u.plus(&z), u.minus(&z), s.plus(&y), s.minus(&y));
    let (da, cb) = (t.times(&p), r.times(&q));
    let sum = u.times(&s).minus(&z.times(&y));
    let difference = s.times(&z).minus(&u.times(&y));
    assert_eq!(da.plus(&cb), two.times(&sum));
    assert_eq!(da.minus(&cb), two.times(&difference));
    let (pp, qq) = (p.squared(), q.squared());
    let e = pp.minus(&qq);
    assert_eq!(pp.times(&qq), u.squared().minus(&z.squared()).squared());
    let denominator = u.squared().plus(&a.times(&u).times(&z)).plus(&z.squared());
    assert_eq!(
        e.times(&pp.plus(&e.times_a24())),
        four.times(&u).times(&z).times(&denominator)
    );
}
