//! Products of powers of variables that are not zero modulo p = 2^255 - 19, for inversions and
//! divisions.

use std::collections::BTreeMap;

use crate::number::Exponent;

/// A product: the exponent of each variable, modulo p - 1; none is zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Powers(BTreeMap<usize, Exponent>);

impl Powers {
    /// Returns the number one.
    pub fn one() -> Self {
        Self::default()
    }

    /// Returns a variable.
    pub fn variable(variable: usize) -> Self {
        Self(BTreeMap::from([(variable, Exponent::ONE)]))
    }

    /// Returns `1 / variable`.
    pub fn inverse(variable: usize) -> Self {
        Self(BTreeMap::from([(variable, Exponent::MINUS_ONE)]))
    }

    /// Returns `self * other`.
    pub fn times(&self, other: &Self) -> Self {
        let mut product = self.0.clone();
        for (variable, exponent) in &other.0 {
            let before = product.remove(variable).unwrap_or(Exponent::ZERO);
            let sum = before.plus(*exponent);
            if sum != Exponent::ZERO {
                product.insert(*variable, sum);
            }
        }
        Self(product)
    }
}
