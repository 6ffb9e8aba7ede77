//! Exact polynomials of at most degree two, with dyadic coefficients.

use std::collections::BTreeMap;

use crate::{
    dyadic::{Dyadic, total},
    range::Range,
};

/// The index of a variable.
pub(crate) type Variable = usize;

/// No variable, in a monomial of degree below two. It is the least.
pub(crate) const NONE: Variable = 0;

/// A product of two variables, the smaller first.
pub(crate) type Monomial = [Variable; 2];

const CONSTANT: Monomial = [NONE, NONE];

/// A polynomial. No coefficient is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Polynomial(BTreeMap<Monomial, Dyadic>);

impl Polynomial {
    pub(crate) fn constant(number: Dyadic) -> Self {
        Self::default().plus_constant(number)
    }

    pub(crate) fn variable(variable: Variable) -> Self {
        Self(BTreeMap::from([([NONE, variable], Dyadic::ONE)]))
    }

    pub(crate) fn terms(&self) -> impl Iterator<Item = (Monomial, Dyadic)> {
        self.0.iter().map(|(monomial, c)| (*monomial, *c))
    }

    fn add(&mut self, monomial: Monomial, coefficient: Dyadic) {
        let sum = self.0.remove(&monomial).unwrap_or(Dyadic::ZERO) + coefficient;
        if !sum.is_zero() {
            self.0.insert(monomial, sum);
        }
    }

    pub(crate) fn plus_constant(mut self, number: Dyadic) -> Self {
        self.add(CONSTANT, number);
        self
    }

    /// Returns `self + factor * other`.
    pub(crate) fn plus_times(mut self, factor: Dyadic, other: &Self) -> Self {
        for (monomial, c) in other.terms() {
            self.add(monomial, c * factor);
        }
        self
    }

    pub(crate) fn minus(self, other: &Self) -> Self {
        self.plus_times(-Dyadic::ONE, other)
    }

    /// Returns the polynomial times 2^bits.
    pub(crate) fn scaled(&self, bits: i32) -> Self {
        Self::default().plus_times(Dyadic::power_of_2(bits), self)
    }

    /// Multiplies polynomials of degree one.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for ([none, a], c) in self.terms() {
            for ([also_none, b], d) in other.terms() {
                assert_eq!([none, also_none], CONSTANT, "a product of degree three");
                product.add([a.min(b), a.max(b)], c * d);
            }
        }
        product
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Splits off the terms whose coefficient is a multiple of 2^e and whose variables all satisfy
    /// `of`. Returns them and the others.
    pub(crate) fn multiples(self, e: i32, of: impl Fn(Variable) -> bool) -> [Self; 2] {
        let is_one = |[a, b]: &Monomial, c: &Dyadic| c.is_multiple(e) && of(*a) && of(*b);
        let (multiples, others) = self.0.into_iter().partition(|(ab, c)| is_one(ab, c));
        [Self(multiples), Self(others)]
    }

    /// Returns the value of a constant polynomial.
    pub(crate) fn as_constant(&self) -> Option<Dyadic> {
        let is_constant = self.0.keys().all(|monomial| *monomial == CONSTANT);
        is_constant.then(|| self.constant_term())
    }

    pub(crate) fn constant_term(&self) -> Dyadic {
        self.0.get(&CONSTANT).copied().unwrap_or(Dyadic::ZERO)
    }

    /// Returns the only variable and its factor, if it is a multiple of one variable.
    pub(crate) fn as_multiple_of_variable(&self) -> Option<(Variable, Dyadic)> {
        match self.0.iter().next() {
            Some((&[NONE, a], c)) if a != NONE && self.0.len() == 1 => Some((a, *c)),
            _ => None,
        }
    }

    /// Reports whether it is of degree one, in at most one variable.
    pub(crate) fn has_one_variable(&self) -> bool {
        let others = self.0.keys().filter(|monomial| **monomial != CONSTANT);
        others.clone().count() <= 1 && others.clone().all(|[a, _]| *a == NONE)
    }

    /// Returns the power of two in its first coefficient.
    pub(crate) fn exponent(&self) -> i32 {
        self.0.values().next().map_or(0, |c| c.parts().1)
    }

    /// Returns the value for these values of the variables.
    pub(crate) fn at(&self, of: impl Fn(Variable) -> Dyadic) -> Dyadic {
        let value = |a| if a == NONE { Dyadic::ONE } else { of(a) };
        total(self.terms().map(|([a, b], c)| value(a) * value(b) * c))
    }

    /// Returns bounds of the value within these bounds of the variables: the sum of the monomials'
    /// bounds.
    pub(crate) fn range(&self, of: impl Fn(Variable) -> Range) -> Range {
        self.terms()
            .map(|([a, b], c)| {
                let variables = match (a, b) {
                    (NONE, NONE) => Range::only(Dyadic::ONE),
                    (NONE, b) => of(b),
                    (a, b) => of(a).times(of(b)),
                };
                variables.times(Range::only(c))
            })
            .fold(Range::only(Dyadic::ZERO), Range::plus)
    }
}
