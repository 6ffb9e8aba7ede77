//! The operations of [`crate::comb::point`] are the group law of -x^2 + y^2 = 1 + d x^2 y^2:
//!
//! - x3 (1 + d x1 x2 y1 y2) = x1 y2 + y1 x2,
//! - y3 (1 - d x1 x2 y1 y2) = y1 y2 + x1 x2.

use std::{cell::RefCell, thread::LocalKey};

use x25519_proofs::Expression;

use super::{Formal, Model, number, table};
use crate::comb::point::{Affine, Point, Scratch, add, add_point, double};

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
    fn memory() -> &'static LocalKey<RefCell<Vec<Self>>> {
        thread_local!(static MEMORY: RefCell<Vec<Expression>> = RefCell::default());
        &MEMORY
    }
}

type Numbers = Model<Expression>;

/// Returns the point (x, y) with this Z.
fn point(x: &Expression, y: &Expression, z: &Expression) -> Point<1> {
    Point {
        x: table([x.times(z)]),
        y: table([y.times(z)]),
        z: table([z.clone()]),
        t: table([x.times(y).times(z)]),
    }
}

fn coordinates(point: &Point<1>) -> [Expression; 4] {
    [&point.x, &point.y, &point.z, &point.t].map(number::<Expression>)
}

/// Checks both statements of the group law, and T, for the sum of (x1, y1) and (x2, y2).
fn assert_sum(sum: &Point<1>, [x1, y1, x2, y2, d]: [&Expression; 5]) {
    let one = Expression::constant(1);
    let [x, y, z, t] = coordinates(sum);
    let product = d.times(x1).times(x2).times(y1).times(y2);
    let numerators = [
        x1.times(y2).plus(&y1.times(x2)),
        y1.times(y2).plus(&x1.times(x2)),
    ];
    assert_eq!(x.times(&one.plus(&product)), z.times(&numerators[0]));
    assert_eq!(y.times(&one.minus(&product)), z.times(&numerators[1]));
    assert_eq!(t.times(&z), x.times(&y));
}

#[test]
fn an_addition_is_the_group_law() {
    let [x1, y1, z1, x2, y2, d] = [0, 1, 2, 3, 4, 5].map(Expression::element);
    let two = Expression::constant(2);
    let mut sum = point(&x1, &y1, &z1);
    let q = Affine {
        plus: table([y2.plus(&x2)]),
        minus: table([y2.minus(&x2)]),
        product: table([two.times(&d).times(&x2).times(&y2)]),
    };
    let mut scratch = Scratch::ZERO;
    add::<Numbers, 1>(&mut sum, &q, &mut scratch);
    assert_sum(&sum, [&x1, &y1, &x2, &y2, &d]);
}

#[test]
fn an_addition_of_any_two_points_is_the_group_law() {
    let [x1, y1, z1, x2, y2, z2, d] = [0, 1, 2, 3, 4, 5, 6].map(Expression::element);
    let (mut sum, other) = (point(&x1, &y1, &z1), point(&x2, &y2, &z2));
    let twice_d = table([Expression::constant(2).times(&d)]);
    let mut scratch = Scratch::ZERO;
    add_point::<Numbers, 1>(&mut sum, &other, &twice_d, &mut scratch);
    assert_sum(&sum, [&x1, &y1, &x2, &y2, &d]);
}

/// On the curve 1 + d x^2 y^2 is y^2 - x^2, and 1 - d x^2 y^2 is 2 less that.
#[test]
fn a_doubling_is_the_group_law() {
    let [x1, y1, z1] = [0, 1, 2].map(Expression::element);
    let two = Expression::constant(2);
    let mut twice = point(&x1, &y1, &z1);
    let mut scratch = Scratch::ZERO;
    double::<Numbers, 1>(&mut twice, &mut scratch);
    let [x, y, z, t] = coordinates(&twice);
    let (xx, yy) = (x1.squared(), y1.squared());
    let denominator = yy.minus(&xx);
    assert_eq!(x.times(&denominator), z.times(&two.times(&x1).times(&y1)));
    assert_eq!(y.times(&two.minus(&denominator)), z.times(&xx.plus(&yy)));
    assert_eq!(t.times(&z), x.times(&y));
}
