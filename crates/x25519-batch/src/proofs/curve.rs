//! A ladder's step is RFC 7748's, and that step is the group law.

use x25519_proofs::{Expression, LadderStep};

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

    // The step's formulas are these with denominators: for u / z and s / y.
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
