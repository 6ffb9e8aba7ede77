//! Polynomials modulo p = 2^255 - 19 in whole elements, of any degree: the values of limbs in
//! theorems.

use std::collections::BTreeMap;

use crate::number::Number;

/// A polynomial. Each monomial is the sorted list of its elements. No coefficient is zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expression(BTreeMap<Vec<usize>, Number>);

/// (486662 - 2) / 4, the constant of Curve25519's ladder (RFC 7748, section 5).
const A24: i128 = 121_665;

impl Expression {
    /// Returns an element that is an input.
    pub fn element(element: usize) -> Self {
        Self::default().plus_term(vec![element], Number::ONE)
    }

    /// Returns an integer.
    pub fn constant(number: i128) -> Self {
        Self::default().plus_term(vec![], Number::integer(number))
    }

    pub(crate) fn plus_term(mut self, monomial: Vec<usize>, coefficient: Number) -> Self {
        let before = self.0.remove(&monomial).unwrap_or(Number::ZERO);
        let sum = before.plus(coefficient);
        if !sum.is_zero() {
            self.0.insert(monomial, sum);
        }
        self
    }

    pub(crate) fn plus_times(&self, factor: Number, other: &Self) -> Self {
        other.0.iter().fold(self.clone(), |sum, (monomial, c)| {
            sum.plus_term(monomial.clone(), c.times(factor))
        })
    }

    /// Returns the number by which another expression is multiplied to give this one, if there is
    /// one.
    pub(crate) fn over(&self, other: &Self) -> Option<Number> {
        let (monomial, c) = other.0.first_key_value()?;
        let ratio = self.0.get(monomial)?.times(c.inverse());
        (Self::default().plus_times(ratio, other) == *self).then_some(ratio)
    }

    /// Returns `self + other`.
    pub fn plus(&self, other: &Self) -> Self {
        self.plus_times(Number::ONE, other)
    }

    /// Returns `self - other`.
    pub fn minus(&self, other: &Self) -> Self {
        self.plus_times(Number::integer(-1), other)
    }

    /// Returns `self * other`.
    pub fn times(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for (a, c) in &self.0 {
            for (b, d) in &other.0 {
                let mut monomial = [a.as_slice(), b].concat();
                monomial.sort_unstable();
                product = product.plus_term(monomial, c.times(*d));
            }
        }
        product
    }

    /// Returns `self^2`.
    pub fn squared(&self) -> Self {
        self.times(self)
    }

    /// Returns `121665 self`, with the ladder's constant.
    pub fn times_a24(&self) -> Self {
        Self::default().plus_times(Number::integer(A24), self)
    }
}

/// A step of the ladder (RFC 7748, section 5) without its swap: x2, z2, x3 and z3.
pub struct LadderStep {
    /// The numerator of twice the first point.
    pub x2: Expression,
    /// The denominator of twice the first point.
    pub z2: Expression,
    /// The numerator of the sum of both points.
    pub x3: Expression,
    /// The denominator of the sum of both points.
    pub z3: Expression,
}

impl LadderStep {
    /// Returns the step of A, B, C, D and x1, where A and B, or C and D if they are swapped, are of
    /// the point that is doubled. A swap of the points changes only the sign of `da - cb`, which is
    /// squared.
    pub fn new([a, b, c, d, x1]: [&Expression; 5], is_swapped: bool) -> Self {
        let (p, q) = if is_swapped { (c, d) } else { (a, b) };
        let (da, cb, aa, bb) = (d.times(a), c.times(b), p.squared(), q.squared());
        let e = aa.minus(&bb);
        Self {
            x2: aa.times(&bb),
            z2: e.times(&aa.plus(&e.times_a24())),
            x3: da.plus(&cb).squared(),
            z3: x1.times(&da.minus(&cb).squared()),
        }
    }

    /// Returns A, B, C and D of the next step.
    pub fn sums_and_differences(&self) -> [Expression; 4] {
        let Self { x2, z2, x3, z3 } = self;
        [x2.plus(z2), x2.minus(z2), x3.plus(z3), x3.minus(z3)]
    }
}
