//! The batch's step is RFC 7748's, and that step is the group law.

use std::{cell::RefCell, thread::LocalKey};

use proofs::{Expression, LadderStep};

use super::model::{Formal, Model, number, table};
use crate::ladder::doubles::{Step, step};

impl Formal for Expression {
    fn one() -> Self {
        Self::constant(1)
    }
    fn times(&self, other: &Self) -> Self {
        self.times(other)
    }
    fn plus(&self, other: &Self) -> Self {
        self.plus(other)
    }
    fn minus(&self, other: &Self) -> Self {
        self.minus(other)
    }
    fn times_a24(&self) -> Self {
        self.times_a24()
    }
    fn memory() -> &'static LocalKey<RefCell<Vec<Self>>> {
        thread_local!(static MEMORY: RefCell<Vec<Expression>> = RefCell::default());
        &MEMORY
    }
}

/// Of x1, x2, z2, x3 and z3 as elements 0 to 4, in two groups in lockstep, of which the second has
/// its points exchanged.
#[test]
fn a_step_of_a_batch_is_that_of_rfc_7748() {
    let [x1, x2, z2, x3, z3] = [0, 1, 2, 3, 4].map(Expression::element);
    let group = |[x2, z2, x3, z3]: [&Expression; 4]| {
        let mut group = Step::new::<Model<Expression>>(table(x1.clone()));
        for (place, point) in [
            (&mut group.x2, x2),
            (&mut group.z2, z2),
            (&mut group.x3, x3),
            (&mut group.z3, z3),
        ] {
            *place = table(point.clone());
        }
        group
    };
    let expected = |[x2, z2, x3, z3]: [&Expression; 4], is_swapped| {
        let [a, b] = [x2.plus(z2), x2.minus(z2)];
        let [c, d] = [x3.plus(z3), x3.minus(z3)];
        let LadderStep { x2, z2, x3, z3 } = LadderStep::new([&a, &b, &c, &d, &x1], is_swapped);
        [x2, z2, x3, z3]
    };
    let points = [[&x2, &z2, &x3, &z3], [&x3, &z3, &x2, &z2]];
    for swap in [0, u64::MAX] {
        let mut groups = points.map(group);
        step::<Model<Expression>, 1>(&mut groups, swap);
        for (group, points) in groups.iter().zip(points) {
            let out = [&group.x2, &group.z2, &group.x3, &group.z3].map(number::<Expression>);
            assert_eq!(out, expected(points, swap != 0));
        }
    }
}

/// RFC 7748, section 5, swaps the points and then doubles the first: that is what [`LadderStep`]
/// says, which does not swap but chooses.
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

/// That step is the group law of v^2 = u^3 + A u^2 + u, where nothing is zero that one divides by.
///
/// Of points (u, v) and (s, t) with `d = u - s`, the sum has `d^2 x = (v - t)^2 - (A + u + s) d^2` and
/// the difference the same with `v + t`. Their product has `v` and `t` only as squares. Twice (u, v)
/// has `4 v^2 x = (3 u^2 + 2 A u + 1)^2 - 4 v^2 (A + 2 u)`.
#[test]
fn that_step_is_the_group_law() {
    let [u, z, s, y] = [0, 1, 2, 3].map(Expression::element);
    let [one, two, three, four, a] = [1, 2, 3, 4, 486_662].map(Expression::constant);
    let curve = |u: &Expression| u.times(&u.squared().plus(&a.times(u)).plus(&one));
    let (vv, tt, dd) = (curve(&u), curve(&s), u.minus(&s).squared());
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

    // The step's formulas are those, with denominators: of u / z and s / y.
    let (p, q, r, t) = (u.plus(&z), u.minus(&z), s.plus(&y), s.minus(&y));
    let (da, cb) = (t.times(&p), r.times(&q));
    let twice = |f: Expression| two.times(&f);
    assert_eq!(da.plus(&cb), twice(u.times(&s).minus(&z.times(&y))));
    assert_eq!(da.minus(&cb), twice(s.times(&z).minus(&u.times(&y))));
    let (pp, qq) = (p.squared(), q.squared());
    let e = pp.minus(&qq);
    assert_eq!(pp.times(&qq), u.squared().minus(&z.squared()).squared());
    let denominator = u.squared().plus(&a.times(&u).times(&z)).plus(&z.squared());
    assert_eq!(
        e.times(&pp.plus(&e.times_a24())),
        four.times(&u).times(&z).times(&denominator)
    );
}
